/** Looks for a pattern in many texts, in another thread than the caller: no pattern may delay other calls. */
import type { PatternOptions, TrigramPlan } from "../model/grep.ts";

export interface ScanRequest {
  readonly pattern: string;
  readonly options: PatternOptions;
  /** What a text must hold for the pattern to match in it; those of the index were chosen by it already. */
  readonly plan: TrigramPlan;
  /** What names each text, in the order of the answer. Equal keys mean equal text, so a scanner may keep texts. */
  readonly keys: readonly string[];
  /** Bytes of the largest text, as far as the caller knows; a scanner may choose its thread by it. */
  readonly largestText?: number;
  /** Which of the matching lines are returned, counted through all texts. */
  readonly offset: number;
  readonly limit: number;
}

/**
 * A text as it is stored (`encodeText`), plain and not worth keeping, or the bytes of a file that were not decoded yet. Undefined: it cannot
 * be read now, and counts as empty without being remembered.
 */
export type LoadedText = Uint8Array | string | FileBytes | undefined;

export interface FileBytes {
  readonly bytes: Uint8Array;
  readonly masksSecrets: boolean;
}

/** Texts by position in `keys`, in the order asked. */
export type LoadTexts = (texts: readonly number[]) => Promise<readonly LoadedText[]>;

export interface ScanPosition {
  /** Position in `keys`. */
  readonly text: number;
  /** 1-based. */
  readonly line: number;
}

export interface ScanReply {
  /** Matching lines of each text. */
  readonly counts: Uint32Array;
  readonly places: readonly ScanPosition[];
  /** False when the pattern asked for more work than one search may take: lines may be missing. */
  readonly complete: boolean;
}

export interface Scanner {
  /** Throws `invalid_input` for a pattern that cannot be read. */
  scan(request: ScanRequest, load: LoadTexts, signal?: AbortSignal): Promise<ScanReply>;
  close(): Promise<void>;
}
