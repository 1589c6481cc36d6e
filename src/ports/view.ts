/** What a ref shows: path → file version, or why the path is skipped; and what is known of a working tree's own files. */
import type { Coverage, SkipReason } from "../model/code.ts";
import type { ContentHash, FileId, Generation } from "../model/ids.ts";
import type { VersionKey } from "./versions.ts";

export interface ViewInfo {
  /**
   * Names this published state, and what caches go by. Never reused: generations and file ids start again when an index is
   * removed and built again, this does not.
   */
  readonly stateId: string;
  readonly ref: string;
  readonly generation: Generation;
  readonly commit?: string;
  readonly publishedAt: number;
  /** Of the repository's default branch, as the writer knew; absent: it is not, or the writer did not know. */
  readonly isDefault?: true;
  readonly coverage: Coverage;
  readonly fileCount: number;
  readonly symbolCount: number;
  readonly chunkCount: number;
  /** Sorted, each with its number of files. */
  readonly languages: readonly { readonly language: string; readonly files: number }[];
}

export interface FileRow {
  readonly id: FileId;
  readonly path: string;
  readonly language: string;
  readonly contentHash: ContentHash;
  /** How much there is to open, where the store has it at hand. */
  readonly symbols?: number;
  readonly chunks?: number;
}

/** An entry of a view as the write path compares it with the tree. */
export type ViewEntry =
  | { readonly path: string; readonly version: VersionKey; readonly skip?: undefined }
  | { readonly path: string; readonly skip: SkipReason; readonly version?: undefined };

/** What a view shows at a path. */
export type ViewChange =
  | { readonly path: string; readonly version: VersionKey }
  | { readonly path: string; readonly skip: SkipReason }
  | { readonly path: string; readonly removed: true };

/**
 * What a file of a working tree was read as while it bore a stamp. This is a fact about the tree and not about a view:
 * every view of the tree uses it, it needs no publication, and it stays true whatever is published. A view is as on
 * disk where the file's present stamp is known and was read as what the view shows; so switching to a branch that is
 * indexed costs the files that the switch wrote, and a new view of known files reads none of them.
 */
export type Stamped =
  | { readonly path: string; readonly stamp: string; readonly version: VersionKey }
  | { readonly path: string; readonly stamp: string; readonly skip: SkipReason };
