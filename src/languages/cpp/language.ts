/** C++. Namespaces are the modules; the path is used only outside of them. */
import { firstBranches } from "../conditionals.ts";
import { defineLanguage, modulePath } from "../define.ts";
import { withoutMacros } from "../macros.ts";
import { cppEdges } from "./edges.ts";

export default defineLanguage({
  id: "cpp",
  title: "C++",
  aliases: ["c++", "cplusplus"],
  moduleSystem: "c",
  extensions: [
    ".cpp",
    ".cc",
    ".cxx",
    ".c++",
    ".hpp",
    ".hh",
    ".hxx",
    ".h++",
    ".ipp",
    ".inl",
    ".tpp",
    ".txx",
    ".cu",
    ".cuh",
  ],
  // What no C header has at the start of a line.
  contested: {
    extensions: [".h"],
    evidence:
      /^\s*(?:namespace\b|template\s*<|class\s+\w|using\s+\w|(?:public|private|protected)\s*:|#include <[a-z_]+>|constexpr\b)/m,
  },
  grammar: { npm: "@repomix/tree-sitter-wasms", wasm: "out/tree-sitter-cpp.wasm" },
  quiet: withoutMacros,
  secondTry: (text) => firstBranches(text, (condition) => condition === "0"),
  separator: "::",
  moduleOf: (path) => modulePath(path),
  declaresModules: true,
  methodOwners: ["class", "struct", "union"],
  visibility: ({ kind, head }) => {
    if (kind !== "fn" && kind !== "var") return {};
    return /^static\b/.test(head) ? { keyword: "static", visibility: "private" } : { visibility: "public" };
  },
  edges: cppEdges,
  docMarkers: ["/**", "/*!", "///", "//!", "//", "/*", "*/", "*"],
});
