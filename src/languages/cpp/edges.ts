/** References in C++: as in C, with types that have members, also outside of their bodies. */

import type { LanguageEdges } from "../../model/language-edges.ts";
import { includeFiles, includes } from "../c-includes.ts";

export const cppEdges: LanguageEdges = {
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
  overridesAreUses: "bases",
  types: cppType,
  resolver: includeFiles,
};

/** `auto` has the type of the value. */
function cppType(written: string): string {
  const text = written.replace(/\b(?:struct|class|union|enum|const|volatile|static|typename|constexpr)\s+/g, "").trim();
  return /^(?:auto|decltype\b.*)$/s.test(text) ? "" : text.replace(/[&*\s]+$/, "");
}
