/** Swift. Modules are build targets, which no file knows; names begin with the outermost type. */
import type { Visibility } from "../../model/code.ts";
import type { ImportItem } from "../../model/edges.ts";
import type { Kind } from "../../model/kinds.ts";
import type { LanguageEdges, ModuleResolver, NamedSymbol, NameUser, ViewPaths } from "../../model/language-edges.ts";
import { defineLanguage, FUNCTION_KINDS } from "../define.ts";
import { joinPath, parentFolder, push } from "../packages.ts";

/** References in Swift: every file of a target sees every name of it. */
const swiftEdges: LanguageEdges = {
  imports: swiftImports,
  self: ["self", "Self"],
  base: ["super"],
  callsConstruct: true,
  implicitSelf: true,
  detachedMembers: true,
  targets: true,
  types: (written) =>
    written
      .replace(/[?!]/g, "")
      .replace(/^(?:inout|any|some)\s+/, "")
      .replace(/^\[([^:\]]+)\]$/, "$1[]"),
  near,
  resolver: swiftTargets(),
};

function near(symbol: NamedSymbol, { reach }: NameUser): number {
  if (symbol.language !== "swift") return 0;
  return { own: 2, imported: 1, none: 0 }[reach(symbol.path) ?? "none"];
}

/** `Sources/Vapor/…` is of Vapor; `Source/…` of whatever the project is. */
function swiftModule(path: string): string {
  return /(?:^|\/)(?:Sources|Tests)\/([^/]+)\/./.exec(path)?.[1] ?? /^[^/]*/.exec(path)![0];
}

function swiftImports(statement: string): ImportItem[] {
  const found = /\bimport\s+(?:(?:class|struct|enum|protocol|func|var|let|typealias)\s+)?([\w.]+)/.exec(statement);
  if (!found) return [];
  const module = found[1]!.split(".")[0]!;
  return [{ module, name: "*", local: "*", at: statement.indexOf(found[1]!, found.index + 6) }];
}

function swiftTargets(): ModuleResolver {
  return {
    configs: /^Package\.swift$/,
    prepare: (view) => {
      const folders = view.paths.flatMap((path) =>
        /(?:^|\/)Package\.swift$/.test(path) ? targetFolders(view, path) : [],
      );
      const moduleOf = (path: string) =>
        folders.find(({ folder }) => path.startsWith(folder))?.name ?? swiftModule(path);
      const modules = new Map<string, string[]>();
      for (const path of view.paths) if (path.endsWith(".swift")) push(modules, moduleOf(path), path);
      return (module, from) => modules.get(module === "" ? moduleOf(from) : module) ?? NO_FILES;
    },
  };
}

const NO_FILES: readonly string[] = [];

/** Targets whose folder a manifest names: `.target(name: "Shop", path: "Sources")`. */
function targetFolders(view: ViewPaths, manifest: string): { name: string; folder: string }[] {
  const text = view.text(manifest) ?? "";
  const targets = text.matchAll(
    /\.\w*[tT]arget\(\s*name:\s*"([^"]+)"((?:(?!\.\w*[tT]arget\()[\s\S])*?)\bpath:\s*"([^"]*)"/g,
  );
  return [...targets]
    .map(([, name = "", , path = ""]) => ({
      name,
      folder: joinPath(parentFolder(manifest), path).replace(/\/?$/, "/"),
    }))
    .sort((a, b) => b.folder.length - a.folder.length);
}

const KEYWORD = /\b(open|public|package|internal|fileprivate|private)\b(?!\s*\(set\))/;
const MEANING: Readonly<Record<string, Visibility>> = {
  open: "public",
  public: "public",
  package: "internal",
  internal: "internal",
  fileprivate: "private",
  private: "private",
};

// As visible as what they belong to or extend.
const FOLLOWERS: ReadonlySet<Kind> = new Set(["use", "extension", "variant"]);
const OWNERS: ReadonlySet<Kind | undefined> = new Set(["protocol", "extension"]);

export default defineLanguage({
  id: "swift",
  title: "Swift",
  aliases: [],
  extensions: [".swift"],
  interpreters: ["swift"],
  // This build of the grammar reads conditional compilation that older ones fail on.
  grammar: { npm: "@cursorless/tree-sitter-wasms", wasm: "out/tree-sitter-swift.wasm" },
  separator: ".",
  moduleOf: () => [],
  methodOwners: ["class", "struct", "enum", "protocol", "extension"],
  visibility: ({ vis, kind, parentKind }) => {
    // Attributes are among the modifiers; words in their strings are not keywords.
    const keyword = vis?.replace(/"[^"]*"/g, "").match(KEYWORD)?.[1];
    if (keyword) return { keyword, visibility: MEANING[keyword]! };
    return FOLLOWERS.has(kind) || OWNERS.has(parentKind) || FUNCTION_KINDS.has(parentKind)
      ? {}
      : { visibility: "internal" };
  },
  edges: swiftEdges,
  sealedPrivate: true,
  docMarkers: ["///", "/**", "//", "/*", "*/", "*"],
});
