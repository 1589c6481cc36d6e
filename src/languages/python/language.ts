/** Python. A leading underscore is its word for private. */

import type { ImportItem } from "../../model/edges.ts";
import type { LanguageEdges } from "../../model/language-edges.ts";
import { defineLanguage, modulePath } from "../define.ts";
import { pythonModules } from "./modules.ts";

const pythonEdges: LanguageEdges = {
  imports: pythonImports,
  self: ["self", "cls"],
  base: ["super"],
  callsConstruct: true,
  importsAreExports: true,
  classScope: true,
  resolver: pythonModules,
};

export function pythonImports(statement: string): ImportItem[] {
  const text = statement.replace(/#[^\n]*|\\\n/g, (all) => " ".repeat(all.length));
  const from = /^from\s+([.\w\s]+?)\s+import\b/.exec(text);
  return from ? namesFrom(text, from[1]!.replace(/\s/g, ""), from[0].length) : parseImport(text);
}

const NAME = /([\w.]+)(?:\s+as\s+(\w+))?/g;

function namesFrom(text: string, module: string, start: number): ImportItem[] {
  if (/^\s*\(?\s*\*/.test(text.slice(start))) {
    return [{ module, name: "*", local: "*", exported: "*", at: text.indexOf("*", start) }];
  }
  return [...text.slice(start).matchAll(NAME)].map((found) => {
    const local = found[2] ?? found[1]!;
    return { module, name: found[1]!, local, exported: local, at: start + found.index };
  });
}

/** `import a.b` binds `a` and loads `a.b`; `import a.b as c` binds the module itself. */
function parseImport(text: string): ImportItem[] {
  const start = /^import\b/.exec(text)?.[0].length ?? 0;
  return [...text.slice(start).matchAll(NAME)].flatMap((found): ImportItem[] => {
    const [, module, alias] = found as unknown as [string, string, string | undefined];
    const at = start + found.index;
    if (alias !== undefined) return [{ module, name: "*", local: alias, exported: alias, at }];
    const top = module.split(".")[0]!;
    const bound = { module: top, name: "*", local: top, exported: top, at };
    return top === module ? [bound] : [bound, { module, name: "", local: "", at }];
  });
}

export default defineLanguage({
  id: "python",
  title: "Python",
  aliases: ["py", "python3"],
  extensions: [".py", ".pyi", ".pyw"],
  filenames: ["SConstruct", "SConscript", "wscript"],
  interpreters: ["python", "python3", "pypy", "uv"],
  grammar: { npm: "@repomix/tree-sitter-wasms", wasm: "out/tree-sitter-python.wasm" },
  separator: ".",
  moduleOf: (path) => modulePath(path, ["__init__"]),
  methodOwners: ["class"],
  visibility: ({ name, kind }) => {
    if (kind === "use") return {};
    return { visibility: /^_(?!_.*__$)/.test(name) ? "private" : "public" };
  },
  edges: pythonEdges,
  exposure: "modules",
  docMarkers: ['r"""', 'u"""', '"""', "'''", '"', "'", "#"],
});
