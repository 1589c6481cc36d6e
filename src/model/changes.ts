/** What differs between two states of a tree, by file and by symbol. */
import type { FileRecord, PARSE_GAVE_UP, SkipReason } from "./code.ts";
import type { SymbolHit } from "./search.ts";

export type ChangeType = "added" | "modified" | "deleted";

/** A file that differs. A renamed one is `modified` and says where it came from. */
export interface FileChange {
  readonly path: string;
  readonly change: ChangeType;
  readonly renamedFrom?: string;
  /** Why its symbols were not compared. */
  readonly skipped?: SkipReason | "not_looked_at" | typeof PARSE_GAVE_UP;
}

/** One side of a changed file: what was read of it. */
export interface FileSide {
  readonly record: FileRecord;
  readonly text: string;
}

/** A symbol that differs. `before` is absent when it is new, `after` when it is gone. */
export interface SymbolChange {
  readonly change: ChangeType;
  readonly before?: SymbolHit;
  readonly after?: SymbolHit;
  /** The qualified name it had, or the path where only that is another. */
  readonly renamedFrom?: string;
}

/** Whether its callers may have to change with it. */
export function signatureChanged({ before, after }: SymbolChange): boolean {
  if (before === undefined || after === undefined) return before !== undefined;
  return before.symbol.signature !== after.symbol.signature || before.symbol.name !== after.symbol.name;
}

/** The head of a comparison that means the files on disk. */
export const WORKTREE = "worktree";

export interface DiffRequest {
  /** Absent: the project's default branch. */
  readonly baseRef?: string;
  /** Absent: HEAD. `worktree`: the files on disk. */
  readonly headRef?: string;
  /** A file or directory, from the root; "" is the root itself. */
  readonly pathFilter?: string;
}

/** The commits that were compared. */
export interface ComparedRefs {
  readonly baseRef: string;
  readonly headRef: string;
  readonly mergeBase: string;
}

export interface DiffAnswer extends ComparedRefs {
  readonly files: readonly FileChange[];
  /** Definitions in the order of files and lines, headings after them. */
  readonly changes: readonly SymbolChange[];
  /** The text of a change's symbol on one side. */
  textOf(hit: SymbolHit, side: "before" | "after"): string;
  /** What could not be compared. */
  readonly warnings: readonly string[];
}
