/** Requests to several workspaces: which of them answered, and pattern search page by page. */
import type { ErrorCode } from "./errors.ts";
import type { GrepHit, GrepRequest, NotSearched } from "./grep.ts";
import type { FreshnessStatus } from "./status.ts";

/** A workspace that has a part in the answer. */
export interface AnsweredWorkspace {
  /** What a call names it by. */
  readonly workspace: string;
  readonly ref: string;
  /** Of the publication, where there is no checkout to compare it with. */
  readonly commit?: string;
  readonly freshness: FreshnessStatus;
}

/** Which of the selected workspaces the answer covers. */
export interface MultiRepoReport {
  readonly selected: number;
  /** Workspaces that answered, or that the index ruled out. */
  readonly searched: number;
  /** Not opened: they lack the query's words, or others match better. */
  readonly passedOver: number;
  /** By name. */
  readonly answered: readonly AnsweredWorkspace[];
  readonly late: readonly string[];
  readonly failed: readonly { readonly workspace: string; readonly code: ErrorCode; readonly message: string }[];
  readonly notIndexed: readonly string[];
}

/** Lines are in the order of workspaces, paths and lines: behind this many of a workspace's, or of one of its files. */
export interface GrepPosition {
  readonly workspace: string;
  readonly path?: string;
  readonly skip: number;
}

/** A page of lines of several workspaces. */
export type MultiRepoGrepRequest = Omit<GrepRequest, "offset"> & {
  /** Absent: from the beginning. */
  readonly from?: GrepPosition;
};

export interface MultiRepoGrepAnswer {
  readonly hits: readonly (GrepHit & { readonly workspace: string; readonly behind: GrepPosition })[];
  /** Matching lines from the place on, as far as they were counted. */
  readonly counted: number;
  /** Whether there is no line that was not counted. */
  readonly exact: boolean;
  /** Whether lines after the page were not counted. */
  readonly more: boolean;
  readonly filesMatched: number;
  /** Files that were searched, or ruled out by their trigrams; undefined if not counted. */
  readonly filesSearched?: number;
  /** Text files of the workspaces that could not be searched; empty when all were. */
  readonly notSearched: readonly NotSearched[];
  /** False if the search exceeded its work or time limit. */
  readonly complete: boolean;
}
