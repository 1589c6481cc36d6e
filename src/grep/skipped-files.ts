/** Text files of a view that the indexer skips. Pattern search reads them from where they are kept. */
import type { NotSearched, SearchedSkip } from "../model/grep.ts";

export interface SkippedFile {
  readonly path: string;
  readonly language: string;
  /** Why it is skipped. */
  readonly kind: SearchedSkip;
  /** Changes with the content; equal keys mean equal content. */
  readonly key: string;
  readonly size: number;
}

export interface SkippedFileList {
  /** Sorted by path. */
  readonly files: readonly SkippedFile[];
  readonly notSearched: readonly NotSearched[];
}

export interface SkippedFiles {
  /** Tokens and private keys in the texts are masked before they are searched or shown. */
  readonly masksSecrets: boolean;
  /** The files that a search may read, and how many of the scope it may not. */
  list(inScope: (path: string, language: string) => boolean): Promise<SkippedFileList>;
  /** Undefined when the content cannot be read. */
  read(file: SkippedFile): Promise<Uint8Array | undefined>;
}
