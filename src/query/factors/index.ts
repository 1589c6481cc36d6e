/** The ranking factors, in the order of the explanation. One factor is one file and one line here. */
import type { Factor, Scaling } from "../candidate.ts";
import bm25 from "./bm25.ts";
import definitionBoost from "./definition-boost.ts";
import exactMatch from "./exact-match.ts";
import fileCoherence from "./file-coherence.ts";
import fileFocus from "./file-focus.ts";
import fileName from "./file-name.ts";
import fileSimilarity from "./file-similarity.ts";
import kindMatch from "./kind-match.ts";
import mention from "./mention.ts";
import pathAffinity from "./path-affinity.ts";
import pathClass from "./path-class.ts";
import pathDepth from "./path-depth.ts";
import phrase from "./phrase.ts";
import qualifiedName from "./qualified-name.ts";
import semanticSimilarity from "./semantic-similarity.ts";

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
];

/** They take a share of the sum, one after the other. */
export const SCALINGS: readonly Scaling[] = [pathClass, pathDepth];
