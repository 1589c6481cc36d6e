/** C. A header belongs to C unless it shows that it is C++. */

import type { LanguageEdges } from "../../model/language-edges.ts";
import { firstBranches, includeFiles, includes, withoutMacros } from "../c-preprocessor.ts";
import { defineLanguage, modulePath } from "../define.ts";

/** References in C: what a file includes, prototypes and their definitions. */
const cEdges: LanguageEdges = {
  imports: includes,
  self: [],
  base: [],
  joints: ["->"],
  derefs: true,
  prototypes: true,
  openNamespaces: true,
  openEnums: "of file",
  // Of `struct state { … }` only the name counts.
  types: (written) =>
    written
      .replace(/\s*\{.*$/s, "")
      .replace(/\b(?:struct|union|enum|const|volatile|static)\b\s*/g, "")
      .trim(),
  resolver: includeFiles,
};

export default defineLanguage({
  id: "c",
  title: "C",
  aliases: [],
  extensions: [".c", ".h"],
  grammar: {
    npm: "@repomix/tree-sitter-wasms",
    wasm: "out/tree-sitter-c.wasm",
    symbols: ["c/symbols.scm", "c-symbols.scm"],
  },
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
  exposure: "linkage",
  docMarkers: ["/**", "/*!", "///", "//!", "//", "/*", "*/", "*"],
});
