/**
 * What a compiler says of the names in one file: which definition each of them means. Imported from a SCIP index, and
 * kept by the file's path and content, so that a file that changed has none.
 */
import type { ContentHash } from "./ids.ts";

/** The view that keeps them: each of its files is the edges of one file, as JSON. It has no name for callers. */
export const COMPILER_VIEW = "compiler";

export interface CompilerEdges {
  /** The program that wrote the index. */
  readonly tool: string;
  /** How the files were read whose symbols are named by their numbers. */
  readonly extractor: string;
  readonly targets: readonly CompilerTarget[];
  readonly uses: readonly CompilerUse[];
}

/** A definition: the path and the content of its file, the symbol's index in the file's record, and its name. */
export type CompilerTarget = readonly [path: string, content: ContentHash, symbol: number, name: string];

/** `target` is a place in the list, or -1: it means no symbol of the repository. Line 1-based, column 0-based in UTF-16. */
export type CompilerUse = readonly [
  line: number,
  column: number,
  target: number,
  /** Of a use that the file's facts do not have. */
  extra?: { readonly isCall: boolean; readonly from: number },
];

/** The path of a file's edges in their view. */
export function compilerPath(path: string, content: ContentHash): string {
  return `${content}/${path}`;
}

/** What became of an imported index. */
export interface ScipImportReport {
  readonly tool: string;
  readonly documents: number;
  /** Files that have compiler edges now. */
  readonly imported: number;
  readonly edges: number;
  /** Documents of files that the view does not have. */
  readonly missing: number;
  /** Documents that were written about another content of their file. */
  readonly changed: number;
  /** Some of the paths that were left out. */
  readonly leftOut: readonly string[];
}
