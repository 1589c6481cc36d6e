/** The current database file, open for reading and for writing; notices when another took its place or it is gone. */
import { CorruptionError } from "../../segment/bytes.ts";
import { Connection, isEmpty, openIndexForWriting } from "./connection.ts";
import { type Directory, identityOf } from "./directory.ts";
import { type ReadMeans, Source } from "./source.ts";

/** Resets that a reader follows in one question before it takes what it got. */
const MOST_TURNS = 5;

export class CurrentDatabase {
  private readonly directory: Directory;
  private readonly means: ReadMeans;
  private readonly isBeingWritten: () => boolean;
  private source: Source | undefined;
  private writer: { readonly db: Connection; readonly identity: string | undefined } | undefined;

  constructor(directory: Directory, means: ReadMeans, isBeingWritten: () => boolean) {
    this.directory = directory;
    this.means = means;
    this.isBeingWritten = isBeingWritten;
  }

  /** For reading, whatever it holds; undefined when there is none. */
  reader(): Source | undefined {
    for (let attempt = 1; ; attempt++) {
      const path = this.directory.current();
      const identity = identityOf(path);
      if (this.source !== undefined && this.source.identity === identity && this.source.hasItsLog()) return this.source;
      this.closeReader();
      const opened = identity === undefined ? { source: undefined } : this.open(path, identity);
      // A reset may turn the pointer while we look; what we then opened may lack its log.
      const turned = this.directory.current() !== path || identityOf(path) !== identity;
      if (!turned || attempt === MOST_TURNS) {
        if ("error" in opened) throw opened.error;
        this.source = opened.source;
        return this.source;
      }
      if ("source" in opened) opened.source?.retire();
    }
  }

  /** As `reader`, refusing what this release cannot read. A file without tables is an index that is being made. */
  readable(): Source | undefined {
    const source = this.reader();
    if (source === undefined) this.requireNone();
    if (source === undefined || source.isEmpty()) return undefined;
    source.requireSchema();
    return source;
  }

  /**
   * Databases without the one that the pointer names: the pointer was lost or damaged, and "not indexed" would be wrong.
   * While somebody writes, they may be a first index that is being made.
   */
  requireNone(): void {
    if (this.directory.hasDatabases() && !this.isBeingWritten())
      throw new CorruptionError("the pointer to the current database names none that is there");
  }

  /** A reader of its own on the same file, for who holds one state for long. */
  apart(): Source | undefined {
    const source = this.readable();
    return source && new Source(source.db.path, source.identity, this.means);
  }

  /** For writing; makes an empty one when there is none. */
  writable(storeId: string): Connection {
    const path = this.directory.current();
    if (this.writer === undefined || this.writer.identity !== identityOf(path)) {
      this.closeWriter();
      this.directory.create();
      this.adopt(openIndexForWriting(path, storeId));
    }
    return this.writer!.db;
  }

  /** Takes over a connection to what is the current file now. */
  adopt(db: Connection): void {
    this.closeWriter();
    this.writer = { db, identity: identityOf(db.path) };
  }

  /** Whether this connection's file is still the current one. */
  isCurrent(db: Connection): boolean {
    return this.writer?.db === db && identityOf(this.directory.current()) === this.writer.identity;
  }

  /** Removes files that are not current. A damaged pointer keeps them all until the next one is written. */
  sweep(): void {
    try {
      this.directory.sweep();
    } catch (error) {
      if (!(error instanceof CorruptionError)) throw error;
    }
  }

  closeWriter(): void {
    this.writer?.db.close();
    this.writer = undefined;
  }

  rest(): void {
    this.source?.rest();
    this.writer?.db.pragma("shrink_memory");
  }

  close(): void {
    this.closeReader();
    this.closeWriter();
  }

  /** Opens and reads once, so that the log is open too. */
  private open(path: string, identity: string): Opened {
    try {
      const source = new Source(path, identity, this.means);
      source.touch();
      return { source };
    } catch (error) {
      return isHalfMade(error) ? this.openRolledBack(path, identity) : { error };
    }
  }

  /** Reading never writes, but here: a process that was killed while it made the file left its first write half-done. */
  private openRolledBack(path: string, identity: string): Opened {
    try {
      const writer = new Connection(path, "write");
      try {
        isEmpty(writer);
      } finally {
        writer.close();
      }
      return { source: new Source(path, identity, this.means) };
    } catch (error) {
      return { error };
    }
  }

  private closeReader(): void {
    this.source?.retire();
    this.source = undefined;
  }
}

type Opened = { readonly source: Source } | { readonly error: unknown };

function isHalfMade(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "SQLITE_READONLY_ROLLBACK";
}
