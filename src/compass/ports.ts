/** Everything of the outside world that the core API needs, in one value made by `compose/`. */
import type { Hash } from "../model/ids.ts";
import type { Archives } from "../ports/archive.ts";
import type { Embedders } from "../ports/embedder.ts";
import type { Env } from "../ports/env.ts";
import type { Files, Watcher } from "../ports/files.ts";
import type { Indexer, IndexSettings } from "../ports/indexer.ts";
import type { Parsers } from "../ports/parsers.ts";
import type { Readers } from "../ports/readers.ts";
import type { Registry } from "../ports/registry.ts";
import type { Scanner } from "../ports/scanner.ts";
import type { StoreOpener } from "../ports/store.ts";
import type { GitObjects, History, Vcs, Worktrees } from "../ports/vcs.ts";
import type { ReadApi } from "./reading/read-methods.ts";

export interface CompassPorts {
  readonly env: Env;
  readonly hash: Hash;
  readonly files: Files;
  readonly vcs: Vcs;
  readonly history: History;
  /** For files of commits that the store does not hold. */
  readonly objects: GitObjects;
  readonly archives: Archives;
  readonly worktrees: Worktrees;
  readonly registry: Registry;
  readonly stores: StoreOpener;
  readonly indexer: Indexer;
  readonly scanner: Scanner;
  /** For contents that are compared and not stored. */
  readonly parsers: Parsers;
  /** Absent: every question is answered on the caller's thread. */
  readonly readers?: Readers<ReadApi>;
  /** Absent: nothing is watched and every read checks the tree. */
  readonly watcher?: Watcher;
  /** Languages whose grammar is present, and those whose grammar is missing. */
  readonly grammars: () => Promise<{ readonly available: readonly string[]; readonly missing: readonly string[] }>;
  /** Absent: meaning is switched off. */
  readonly embedders?: Embedders;
  readonly memoryBytes: () => number;
  /** The name in a shared store of the repository that a directory is a clone of; absent or undefined: it has none. */
  readonly repositoryName?: (root: string) => string | undefined;
  /** Of the product. */
  readonly version: string;
}

/** Trees that calls may name although they are not registered. */
export interface Discovery {
  /** Real paths. */
  readonly allowedRoots: readonly string[];
  /** Maximum number of discovered trees. */
  readonly most: number;
}

export interface CompassOptions {
  /** Trees of this process, registered when first needed; the first is the default workspace. */
  readonly workspaces: readonly string[];
  /** The workspace of a call that names none, where none was given at start: used if it is registered. */
  readonly defaultWorkspace?: string;
  /** Absent: unregistered trees are refused. */
  readonly discovery?: Discovery;
  /** Callers may know of some trees only: the others are hidden, and the given ones are registered already. */
  readonly discreet?: boolean;
  /** Callers may only read: no question, and no edit on disk, starts a job. */
  readonly readOnly?: boolean;
  /** Nothing is released after a while without requests. */
  readonly keepsMemory?: boolean;
  /** How many trees stay open for the next question. Default: 3. */
  readonly warmset?: number;
  /** How long the first question about a never-indexed tree waits for its index. */
  readonly bootstrapWaitMs: number;
  readonly prewarm: boolean;
  /** How long a question to several workspaces waits for all of them. Default: `WIDE_DEADLINE_MS`. */
  readonly wideDeadlineMs?: number;
  readonly indexing: IndexSettings;
}
