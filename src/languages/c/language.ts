/** C. A header belongs to C unless it shows that it is C++. */
import { firstBranches } from "../conditionals.ts";
import { defineLanguage, modulePath } from "../define.ts";
import { withoutMacros } from "../macros.ts";
import { cEdges } from "./edges.ts";

export default defineLanguage({
  id: "c",
  title: "C",
  aliases: [],
  extensions: [".c", ".h"],
  grammar: { npm: "@repomix/tree-sitter-wasms", wasm: "out/tree-sitter-c.wasm" },
  quiet: withoutMacros,
  secondTry: (text) => firstBranches(text, (condition) => condition === "0" || /\b__cplusplus\b/.test(condition)),
  separator: ".",
  moduleOf: (path) => modulePath(path),
  methodOwners: [],
  visibility: ({ kind, head }) => {
    if (kind !== "fn" && kind !== "var") return {};
    return /^(?:\w+ )*?static\b/.test(head) ? { keyword: "static", visibility: "private" } : { visibility: "public" };
  },
  edges: cEdges,
  docMarkers: ["/**", "/*!", "///", "//!", "//", "/*", "*/", "*"],
});
