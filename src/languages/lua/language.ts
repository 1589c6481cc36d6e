/** Lua. Modules are tables: `function M.f()` is `f` of `M`. */
import { defineLanguage, modulePath } from "../define.ts";

export default defineLanguage({
  id: "lua",
  title: "Lua",
  aliases: ["luau"],
  extensions: [".lua", ".luau", ".rockspec"],
  filenames: [".luacheckrc"],
  interpreters: ["lua", "luajit"],
  grammar: { npm: "@tree-sitter-grammars/tree-sitter-lua", wasm: "tree-sitter-lua.wasm" },
  separator: ".",
  // `lua/` is the root that `require` searches in editors' plugins.
  moduleOf: (path) => modulePath(path.replace(/^(?:.*\/)?lua\//, ""), ["init"]),
  methodOwners: [],
  visibility: ({ vis, kind }) => {
    if (vis === "local") return { keyword: "local", visibility: "private" };
    return kind === "use" ? {} : { visibility: "public" };
  },
  docMarkers: ["---", "--[[", "--", "]]"],
});
