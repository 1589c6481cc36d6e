/** C++. Namespaces are the modules; the path is used only outside of them. */

import type { LanguageEdges } from "../../model/language-edges.ts";
import { firstBranches, includeFiles, includes, withoutMacros } from "../c-preprocessor.ts";
import { defineLanguage, modulePath } from "../define.ts";

/** References in C++: as in C, with types that have members, also outside of their bodies. */
const cppEdges: LanguageEdges = {
  imports: includes,
  self: ["this"],
  base: [],
  joints: ["->", "::"],
  derefs: true,
  composites: true,
  implicitSelf: true,
  detachedMembers: true,
  prototypes: true,
  openNamespaces: true,
  openEnums: true,
  types: cppType,
  resolver: includeFiles,
};

/** `auto` has the type of the value. */
function cppType(written: string): string {
  const text = written.replace(/\b(?:struct|class|union|enum|const|volatile|static|typename|constexpr)\s+/g, "").trim();
  return /^(?:auto|decltype\b.*)$/s.test(text) ? "" : text.replace(/[&*\s]+$/, "");
}

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
  grammar: {
    npm: "@repomix/tree-sitter-wasms",
    wasm: "out/tree-sitter-cpp.wasm",
    symbols: ["cpp/symbols.scm", "c-symbols.scm"],
  },
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
  exposure: "linkage",
  docMarkers: ["/**", "/*!", "///", "//!", "//", "/*", "*/", "*"],
});
