/** The parse workers as the pipeline sees them: paths in, stored files and their segment out. */
import type { FileRecord, SkipReason } from "../model/code.ts";
import type { ContentHash, ProjectId } from "../model/ids.ts";
import type { BlobNames, IndexSettings } from "./indexer.ts";
import type { FileBatch, VersionKey } from "./versions.ts";

/** A file to be read. */
export interface ReadTask {
  readonly path: string;
  readonly size: number;
  /** As the walk saw it; that of a file which cannot be read. */
  readonly stamp?: string;
  /** What the view shows at the path now, if it was made by today's extractor. */
  readonly indexedAs?: ContentHash;
  /** It is in the tree, and cannot be had. */
  readonly unreadable?: true;
  /** `text`: the parser has failed on this file before; read it without. */
  readonly mode?: "text";
  /** The content, where it is not that of the file on disk. */
  readonly bytes?: Uint8Array;
  /** Git's name of `bytes`, or of the content that the file on disk should have: what else that has is not read. */
  readonly blob?: string;
}

/** What became of a file. `stamp` is that of the bytes that were read. */
export type ReadOutcome =
  | { readonly path: string; readonly stamp: string; readonly unchanged: true }
  | { readonly path: string; readonly stamp: string; readonly version: VersionKey; readonly symbols: number }
  | { readonly path: string; readonly stamp?: string; readonly skip: SkipReason }
  | { readonly path: string; readonly gone: true }
  | ContentMismatch;

/** The file on disk has not the content that was wanted. */
export interface ContentMismatch {
  readonly path: string;
  readonly elsewhere: true;
}

export interface ReadResults {
  /** One for each task, in the order of the tasks. */
  readonly outcomes: readonly ReadOutcome[];
  /** Files that the store did not know; usually one batch, none when everything was known. */
  readonly batches: readonly FileBatch[];
  /** Instead of batches, for a request of `records`. */
  readonly records?: readonly FileRecord[];
}

export interface ReadRequest {
  readonly root: string;
  readonly project: ProjectId;
  readonly settings: IndexSettings;
  readonly tasks: readonly ReadTask[];
  /** Files are stored with git's name of their content. */
  readonly blobs?: BlobNames;
  /** `records`: the caller wants to look at the symbols, not to store the files. */
  readonly purpose?: "records";
  /** The caller has seen that the store has none of these: a worker need not wait for `known`. */
  readonly unseen?: true;
  /** Which of these versions the store has already; those are not parsed. */
  known(keys: readonly VersionKey[]): Promise<ReadonlySet<string>>;
  /** It is among the requests that were made for all there is to read: none comes after those that wait. */
  readonly isAll?: true;
  readonly signal: AbortSignal;
}

export interface Parsers {
  /** There is memory for large requests, which take less time in all. */
  readonly isRoomy?: boolean;
  /** Requests worth having under way at once; more only wait. */
  capacity(settings: IndexSettings): number;
  /** A whole tree of at least so many files will be read: what that needs may be started while its files are listed. */
  warm(settings: IndexSettings, files: number): void;
  /** Never rejects for an input: a file that kills its worker is stored as text, with the problem. */
  read(request: ReadRequest): Promise<ReadResults>;
  close(): Promise<void>;
}
