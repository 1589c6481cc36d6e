/**
 * The exported state of an index: what its views show, apart from how a store keeps it. No dates, no stamps, no row
 * numbers and no segments, which follow from the rest: equal states are equal bytes, on every machine and engine.
 */
import type { CompassError } from "../model/errors.ts";
import type { ContentHash } from "../model/ids.ts";
import { refusedArchive } from "../model/refused-archive.ts";
import type { MemberSum } from "../ports/archive.ts";
import type { ViewChange } from "../ports/view.ts";

/** The members, in their order. */
export const MEMBERS = { manifest: "manifest.json", views: "views.jsonl", files: "files.bin" } as const;

/** Grows when an older release could not read what a newer one writes. */
export const FORMAT_VERSION = 1;

export interface Manifest {
  readonly format: "codecompass-state";
  readonly format_version: number;
  readonly product_version: string;
  readonly schema_version: number;
  readonly extractor: string;
  readonly project_id: string;
  /** The view that the others are written as differences to. */
  readonly base_ref: string;
  readonly refs: readonly { readonly ref: string; readonly commit: string | null; readonly files: number }[];
  readonly members: readonly MemberSum[];
}

/** A line that begins a view; its changes to the base, or to nothing, follow. */
export interface ViewLine {
  readonly view: string;
  readonly commit?: string;
  readonly uncounted?: Readonly<Record<string, number>>;
}

/** One path of a view. */
export type EntryLine =
  | { readonly path: string; readonly hash: ContentHash; readonly extractor: string }
  | { readonly path: string; readonly skip: string }
  | { readonly path: string; readonly removed: true };

/** Before the three contents of a file: record, text, facts. */
export interface FrameHead {
  readonly path: string;
  readonly hash: ContentHash;
  readonly extractor: string;
  readonly language: string;
  readonly bytes: number;
  readonly problem?: string;
  readonly blob?: string;
  readonly sizes: readonly [record: number, text: number, facts: number];
}

export function entryLine(change: ViewChange): EntryLine {
  const { path } = change;
  if ("removed" in change) return { path, removed: true };
  if ("skip" in change) return { path, skip: change.skip };
  return { path, hash: change.version.contentHash, extractor: change.version.extractor };
}

export function refuseArchive(reason: string, cause?: unknown): CompassError {
  return refusedArchive(`the archive ${reason}`, cause);
}
