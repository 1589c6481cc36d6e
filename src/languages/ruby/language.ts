/** Ruby. Constants nest by `module` and `class`; the path is not used. */

import type { ImportItem } from "../../model/edges.ts";
import type { LanguageEdges, ModuleResolver } from "../../model/language-edges.ts";
import { defineLanguage } from "../define.ts";
import { joinPath, nearestFile, parentFolder, push, sharedFolders } from "../packages.ts";

/** References in Ruby: files are required, constants are global. */
const rubyEdges: LanguageEdges = {
  imports: rubyImports,
  self: ["self"],
  base: ["super"],
  joints: ["::", "&."],
  implicitSelf: true,
  moduleTypes: true,
  dynamic: /./,
  exactNames: true,
  detachedMembers: true,
  maker: "new",
  passing: ["class", "clone", "dup", "freeze", "itself", "tap"],
  namesOfLocals: { do: "described_class", "subject!": "subject" },
  initializer: "initialize",
  // Outside of every module around it, a constant is of the top level. Where none is, the nearest folder wins, and two that
  // are equally near are ambiguous.
  near: ({ language, kind, path: its, qualifiedName }, { path }) =>
    language === "ruby" && /^(?:class|module|const|struct|fn)$/.test(kind)
      ? 1 + sharedFolders(its, path) + (qualifiedName.includes(".") ? 0 : MAX_FOLDERS)
      : 0,
  resolver: rubyFiles(),
};

/** More folders than a path has. */
const MAX_FOLDERS = 1_000;

function rubyImports(statement: string): ImportItem[] {
  const found = /^(require_relative|require|load|autoload)\b[\s(]*(?::\w+\s*,\s*)?(["'])([^"'#]+)\2/.exec(statement);
  if (!found) return [];
  const module = found[1] === "require_relative" ? `./${found[3]}` : found[3]!;
  return [{ module, name: "", local: "", at: statement.indexOf(found[3]!) }];
}

function rubyFiles(): ModuleResolver {
  return {
    prepare: (view) => {
      const byName = new Map<string, string[]>();
      for (const path of view.paths)
        if (path.endsWith(".rb")) push(byName, path.slice(path.lastIndexOf("/") + 1, -3), path);
      return (module, from) => {
        const stem = module.replace(/\.rb$/, "");
        if (stem.startsWith(".")) {
          const path = `${joinPath(parentFolder(from), stem)}.rb`;
          return view.has(path) ? [path] : [];
        }
        const tail = `${stem}.rb`;
        const found = (byName.get(stem.slice(stem.lastIndexOf("/") + 1)) ?? []).filter(
          (path) => path === tail || path.endsWith(`lib/${tail}`) || path.endsWith(`app/${tail}`),
        );
        return nearestFile(found, from);
      };
    },
  };
}

const WORDS: Readonly<Record<string, "private" | "protected" | "public">> = {
  private: "private",
  private_class_method: "private",
  protected: "protected",
  public: "public",
};

export default defineLanguage({
  id: "ruby",
  title: "Ruby",
  aliases: ["rb"],
  extensions: [".rb", ".rake", ".gemspec", ".ru", ".podspec"],
  filenames: ["Rakefile", "Gemfile", "Guardfile", "Vagrantfile", "Podfile", "Capfile", "Brewfile"],
  interpreters: ["ruby", "jruby"],
  grammar: { npm: "@repomix/tree-sitter-wasms", wasm: "out/tree-sitter-ruby.wasm" },
  separator: ".",
  moduleOf: () => [],
  methodOwners: ["class", "module", "struct"],
  visibility: ({ vis, kind }) => {
    const visibility = vis === undefined ? undefined : WORDS[vis];
    if (visibility) return { keyword: vis!, visibility };
    return kind === "use" || kind === "test" ? {} : { visibility: "public" };
  },
  nameOf: (written) => written.replace(/^:(?=\w)/, ""),
  edges: rubyEdges,
  methodsInMethods: true,
  docMarkers: ["##", "#"],
});
