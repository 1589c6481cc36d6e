/** Lua. Modules are tables: `function M.f()` is `f` of `M`. */

import type { ImportItem } from "../../model/edges.ts";
import type { LanguageEdges, ModuleResolver } from "../../model/language-edges.ts";
import { defineLanguage, modulePath } from "../define.ts";
import { filesByTail, joinPath, nearestFile, parentFolder } from "../packages.ts";

/** References in Lua: modules are files that return a table, members are fields of tables, everything else is global. */
const luaEdges: LanguageEdges = {
  imports: luaImports,
  self: ["self"],
  base: [],
  joints: [":"],
  dynamic: /./,
  lexical: true,
  tables: true,
  detachedMembers: true,
  // Globals. A function or field of a table has the table's name before its own.
  near: ({ language, local, kind, path, qualifiedName }) => {
    const isGlobal = qualifiedName.split(".").length === luaModule(path).length + 1;
    return language === "lua" && !local && GLOBALS.has(kind) && isGlobal ? 1 : 0;
  },
  resolver: requiredFiles(),
};

const GLOBALS: ReadonlySet<string> = new Set(["fn", "var", "const"]);

/** `lua/` is the root that `require` searches in editors' plugins. */
function luaModule(path: string): string[] {
  return modulePath(path.replace(/^(?:.*\/)?lua\//, ""), ["init"]);
}

function luaImports(statement: string): ImportItem[] {
  const required = /^require\s*\(?\s*(["'])([^"']+)\1/.exec(statement);
  if (required) return [{ module: required[2]!, name: "", local: "", at: statement.indexOf(required[2]!) }];
  const returned = /^return\s+(?:setmetatable\s*\(\s*)?([A-Za-z_]\w*)\s*(?=[,;]|$)/.exec(statement);
  if (returned) return [exportOf(returned[1]!, "=", statement.indexOf(returned[1]!, "return".length))];
  // `return { open = open, close = close }`
  const table = /^return\s*\{((?:\s*\w+\s*=\s*[A-Za-z_]\w*\s*[,;]?)+)\s*\}\s*$/.exec(statement);
  if (!table) return [];
  const start = statement.indexOf("{") + 1;
  return [...table[1]!.matchAll(/(\w+)(\s*=\s*)([A-Za-z_]\w*)/g)].map(({ 0: all, 1: key, 3: name, index }) =>
    exportOf(name!, key!, start + index + all.length - name!.length),
  );
}

function exportOf(name: string, exported: string, at: number): ImportItem {
  return { module: "", name, local: "", exported, at };
}

function requiredFiles(): ModuleResolver {
  return {
    prepare: (view) => {
      const stemOf = (path: string) => (/\.luau?$/.test(path) ? path.replace(/(?:\/init)?\.luau?$/, "") : undefined);
      const byTail = filesByTail(view.paths, stemOf);
      return (module, from) => {
        const isRelative = module.startsWith("./") || module.startsWith("../");
        const tail = isRelative ? joinPath(parentFolder(from), module) : module.replace(/[.]/g, "/");
        return nearestFile(isRelative ? byTail(tail).filter((path) => stemOf(path) === tail) : byTail(tail), from);
      };
    },
  };
}

export default defineLanguage({
  id: "lua",
  title: "Lua",
  aliases: ["luau"],
  extensions: [".lua", ".luau", ".rockspec"],
  filenames: [".luacheckrc"],
  interpreters: ["lua", "luajit"],
  grammar: { npm: "@tree-sitter-grammars/tree-sitter-lua", wasm: "tree-sitter-lua.wasm" },
  separator: ".",
  moduleOf: luaModule,
  methodOwners: [],
  visibility: ({ vis, kind }) => {
    if (vis === "local") return { keyword: "local", visibility: "private" };
    return kind === "use" ? {} : { visibility: "public" };
  },
  edges: luaEdges,
  docMarkers: ["---", "--[[", "--", "]]"],
});
