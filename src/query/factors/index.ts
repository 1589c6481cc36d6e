/** The ranking factors, in the order of the explanation. */
import type { Factor, Scaling } from "../candidate.ts";
import { fileCoherence, fileFocus, fileName, fileSimilarity, pathAffinity, pathClass, pathDepth } from "./file.ts";
import { definitionBoost, kindMatch, qualifiedName } from "./symbol.ts";
import { bm25, exactMatch, mention, messageTemplate, phrase, semanticSimilarity } from "./text.ts";

/** Their values add up. */
export const FACTORS: readonly Factor[] = [
  bm25,
  exactMatch,
  qualifiedName,
  pathAffinity,
  definitionBoost,
  kindMatch,
  semanticSimilarity,
  fileCoherence,
  fileSimilarity,
  fileName,
  fileFocus,
  mention,
  phrase,
  messageTemplate,
];

/** They take a share of the sum, one after the other. */
export const SCALINGS: readonly Scaling[] = [pathClass, pathDepth];
