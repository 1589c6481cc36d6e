/** Zig. A file is a struct; types are constants that hold one. */
import { defineLanguage, modulePath } from "../define.ts";
import { zigEdges } from "./edges.ts";

export default defineLanguage({
  id: "zig",
  title: "Zig",
  aliases: [],
  extensions: [".zig", ".zon"],
  grammar: { npm: "@tree-sitter-grammars/tree-sitter-zig", wasm: "tree-sitter-zig.wasm" },
  separator: ".",
  moduleOf: (path) => modulePath(path, ["root"]),
  methodOwners: ["struct", "enum", "union"],
  visibility: ({ vis, kind }) => {
    if (vis === "pub" || vis === "export") return { keyword: vis, visibility: "public" };
    const follows = kind === "field" || kind === "variant" || kind === "test" || kind === "use";
    return follows ? {} : { visibility: "private" };
  },
  edges: zigEdges,
  docMarkers: ["///", "//!", "//"],
});
