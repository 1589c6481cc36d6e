/** Swift. Modules are build targets, which no file knows; names begin with the outermost type. */
import type { Visibility } from "../../model/code.ts";
import type { ImportItem } from "../../model/edges.ts";
import type { Kind } from "../../model/kinds.ts";
import type { LanguageEdges, ModuleResolver, NamedSymbol, NameUser } from "../../model/language-edges.ts";
import { defineLanguage, FUNCTION_KINDS } from "../define.ts";
import { push } from "../packages.ts";

/** References in Swift: every file of a target sees every name of it. */
const swiftEdges: LanguageEdges = {
  imports: swiftImports,
  self: ["self", "Self"],
  base: ["super"],
  callsConstruct: true,
  implicitSelf: true,
  detachedMembers: true,
  types: (written) =>
    written
      .replace(/[?!]/g, "")
      .replace(/^(?:inout|any|some)\s+/, "")
      .replace(/^\[([^:\]]+)\]$/, "$1[]"),
  near,
  resolver: swiftTargets(),
};

function near(symbol: NamedSymbol, { path, imports }: NameUser): number {
  if (symbol.language !== "swift") return 0;
  const [its, own] = [swiftModule(symbol.path), swiftModule(path)];
  if (its === own) return 2;
  return imports.some(({ module }) => module === its) ? 1 : 0;
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
    prepare: ({ paths }) => {
      const targets = new Map<string, string[]>();
      for (const path of paths) {
        if (path.endsWith(".swift") && /(?:^|\/)Sources\//.test(path)) push(targets, swiftModule(path), path);
      }
      return (module) => targets.get(module) ?? [];
    },
  };
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
  docMarkers: ["///", "/**", "//", "/*", "*/", "*"],
});
