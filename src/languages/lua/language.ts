/** Lua. Modules are tables: `function M.f()` is `f` of `M`. */
import { defineLanguage } from "../define.ts";
import { luaEdges, luaModule } from "./edges.ts";

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
