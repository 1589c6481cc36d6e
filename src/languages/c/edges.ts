/** References in C: what a file includes, prototypes and their definitions. */

import type { LanguageEdges } from "../../model/language-edges.ts";
import { includeFiles, includes } from "../c-includes.ts";

export const cEdges: LanguageEdges = {
  imports: includes,
  self: [],
  base: [],
  joints: ["->"],
  derefs: true,
  prototypes: true,
  openNamespaces: true,
  openEnums: "of file",
  types: (written) => written.replace(/\b(?:struct|union|enum|const|volatile|static)\s+/g, "").trim(),
  resolver: includeFiles,
};
