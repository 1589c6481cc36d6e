/**
 * File versions: what names a parsed file, and what of it goes into the store. A version is kept once, whatever number
 * of views show it.
 */
import type { ContentHash, FileId } from "../model/ids.ts";

/** What names a file version. Another extractor makes another version, so a fixed bug does not live on in old content. */
export interface VersionKey {
  readonly path: string;
  readonly contentHash: ContentHash;
  readonly extractor: string;
}

/** `versionKeyText` of a key, as `Build.known` answers. */
export type VersionKeyText = string;

export function versionKeyText(key: VersionKey): VersionKeyText {
  return `${key.contentHash}\0${key.extractor}\0${key.path}`;
}

/** A parsed file on its way into the store. `record` and `text` are codecs of `segment/`. */
export interface StoredFile extends VersionKey {
  readonly language: string;
  readonly symbolCount: number;
  readonly chunkCount: number;
  readonly byteCount: number;
  /** What the file lost: kind of the first problem of the record that is not a mere syntax error, if any. */
  readonly problem?: string;
  /** Git's id of the same content, where the file belongs to a repository. */
  readonly blob?: string;
  /** `encodeRecord(FileRecord)`. */
  readonly record: Uint8Array;
  /** `encodeText(text)`: the decoded text, compressed. */
  readonly text: Uint8Array;
  /** `encodeVectors(…)` of its chunks, by the batch's model. */
  readonly vectors?: Uint8Array;
  /** `encodeFacts(Facts)`; empty where there are none. */
  readonly facts: Uint8Array;
}

/** Files that become durable together, with the segment that indexes them (files named by position in the list). */
export interface FileBatch {
  readonly files: readonly StoredFile[];
  readonly segment: Uint8Array;
  /** Fingerprint of the model that made the files' vectors. */
  readonly model?: string;
}

/** The vectors of a stored file's chunks: `encodeVectors(…)`. */
export interface FileVectors {
  readonly file: FileId;
  readonly vectors: Uint8Array;
}
