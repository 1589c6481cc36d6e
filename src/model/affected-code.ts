/** What a change may touch beyond itself: who uses what changed, and the tests that are likely to speak of it. */
import type { Resolution } from "./edges.ts";

/** A symbol that changed, as the view after the change knows it. */
export interface ChangedSymbol {
  /** Absent when it is gone: then only its name can be looked for. */
  readonly symbolId?: string;
  readonly name: string;
  readonly qualifiedName: string;
  readonly path: string;
  /** Whether its users may have to change with it. */
  readonly signature: boolean;
}

export interface AffectedCodeRequest {
  readonly changed: readonly ChangedSymbol[];
  readonly paths: readonly string[];
  readonly callersOfEach: number;
  readonly tests: number;
}

export interface CallSite {
  /** Qualified name of what changed. */
  readonly of: string;
  readonly path: string;
  readonly line: number;
  /** The source line, trimmed. */
  readonly context: string;
  /** Qualified name of the symbol around the site. */
  readonly from?: string;
  readonly resolution: Resolution;
}

export interface LikelyTest {
  readonly path: string;
  readonly reason: "changed" | "uses" | "named_alike";
  /** What changed and is used there. */
  readonly uses: readonly string[];
}

export interface AffectedCode {
  readonly callers: readonly CallSite[];
  /** Of each changed symbol, before the limit. */
  readonly totalCallers: number;
  readonly tests: readonly LikelyTest[];
}
