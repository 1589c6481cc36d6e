/** The working tree as the write path needs it. Nothing here writes. */
import type { SkipReason } from "../model/code.ts";

/** A file that the ignore rules let through, with a stamp that changes when the file is modified. */
export interface WalkedFile {
  /** Relative to the root, `/`-separated, as the disk spells it. */
  readonly path: string;
  readonly size: number;
  /** `size:mtimeNs:inode`; equal stamps mean the file was not touched. */
  readonly stamp: string;
}

/** A skipped entry. A skipped directory counts once and its path ends in `/`. */
export interface WalkedSkip {
  readonly path: string;
  readonly reason: SkipReason;
}

export interface WalkOptions {
  /** Follow only these sub-trees or files (relative paths); absent: everything. */
  readonly only?: readonly string[];
  readonly hidden?: boolean;
  /** `all`: every layer of ignore files is read; `none`: only the built-in list. */
  readonly ignoreFiles?: "all" | "none";
  /**
   * Directory for the walk cache: a later survey lists only the directories that changed since. Deleting it only costs
   * time.
   */
  readonly memory?: string;
  readonly signal?: AbortSignal;
}

export interface SurveyOptions extends WalkOptions {
  /** Approximate number of files; a large tree is surveyed in another thread. */
  readonly expectedFiles: number;
}

export type WalkItem = { readonly file: WalkedFile } | { readonly skip: WalkedSkip };

/** Ignore rules of a directory. The disk and commits are walked by the same rules. */
export interface EntryRules {
  /** Why the entry (relative to the root; directories end in `/`) is skipped; undefined: it is included. */
  verdict(path: string): SkipReason | undefined;
  /** The same for an entry that git tracks, or a directory that holds one: no `.gitignore` applies to it. */
  trackedVerdict(path: string): SkipReason | undefined;
  /** The rules inside a directory: these, and what its own ignore files add. `names` are its entries where known. */
  inside(directory: string, names: readonly string[] | undefined): EntryRules;
}

/** Reads the ignore files of a tree. Directories are empty or end in `/`. */
export interface IgnoreTexts {
  readonly inside: (directory: string, name: string) => string | undefined;
  /** A `.gitignore` above the root, by its directory relative to the repository's top. */
  readonly above: (directory: string) => string | undefined;
}

/** The sub-trees a walk is restricted to, as a tree of names; `undefined`: everything below. */
export interface SelectedNames extends ReadonlyMap<string, SelectedNames | undefined> {}

/** The selection rules of the disk walker, for walkers of other trees. */
export interface FileSelection {
  rules(root: string, options: WalkOptions, texts: IgnoreTexts): EntryRules;
  select(paths: readonly string[] | undefined): SelectedNames | undefined;
  /** Decodes the bytes of a name; invalid UTF-8 is written `\\xNN`. */
  nameOf(bytes: Uint8Array): string;
  isVcsName(name: string): boolean;
  isTooLong(path: string): boolean;
}

export type ReadResult =
  | { readonly ok: true; readonly bytes: Uint8Array; readonly stamp: string }
  | { readonly ok: false; readonly reason: SkipReason | "gone" };

export interface Files {
  /** Streams the tree in a fixed order (by path). Symlinks are never followed; FIFOs and devices never opened. */
  walk(root: string, options?: WalkOptions): AsyncIterable<readonly WalkItem[]>;
  /** Calls `see` with the path and the stamp of every file that a walk would return. */
  survey(root: string, options: SurveyOptions, see: (path: string, stamp: string) => void): Promise<void>;
  /** Reads a regular file up to `maxBytes` in one call; larger ones are refused with `too_large` without reading. */
  read(root: string, path: string, maxBytes: number): Promise<ReadResult>;
  /** Present stamp of a path, or undefined when it is gone or no regular file. */
  stamp(root: string, path: string): Promise<string | undefined>;
  /** The ignore rules outside the tree that apply to it: a few small files, read before every answer. */
  outsideRules?(root: string, options: Pick<WalkOptions, "ignoreFiles">): OutsideRules;
  /** The real path of whatever is there, symlinks resolved; undefined when nothing is. */
  realPath(path: string): Promise<string | undefined>;
  /** The real path of an existing directory, symlinks resolved; undefined when there is none. */
  realDirectory(path: string): Promise<string | undefined>;
}

export interface OutsideRules {
  /** Equal only where the rules are equal. */
  readonly fingerprint: string;
  /** Ignore files that exist and cannot be read, one sentence each. */
  readonly problems: readonly string[];
}

export interface WatchEvents {
  /** Paths relative to the root; `everything` when the system lost count. */
  onChange(paths: readonly string[] | "everything"): void;
  /** The native watcher could not start or failed; the tree is polled from now on. */
  onDegraded(reason: string): void;
}

export interface Watch {
  readonly mode: "native" | "polling";
  /**
   * Reported changes that were not delivered yet because their burst is not over, including those in ignored
   * directories. Returns the same array until a change is added.
   */
  gathered(): readonly string[] | "everything";
  /** Filters out paths in ignored directories. */
  outsideIgnored(paths: readonly string[]): Promise<readonly string[]>;
  close(): Promise<void>;
}

export interface Watcher {
  watch(root: string, events: WatchEvents): Promise<Watch>;
}
