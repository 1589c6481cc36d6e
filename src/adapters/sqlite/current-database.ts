/** The current database file, open for reading and for writing; notices when another took its place or it is gone. */
import { CorruptionError } from "../../segment/bytes.ts";
import { Connection, isEmpty, openIndexForWriting } from "./connection.ts";
import { SqliteContent } from "./content.ts";
import { type Directory, identityOf } from "./directory.ts";

/** Resets that a reader follows in one query before it takes what it got. */
const MOST_TURNS = 5;

type Opened = { readonly content: SqliteContent } | { readonly error: unknown };

export class CurrentDatabase {
  readonly #directory: Directory;
  readonly #isBeingWritten: () => boolean;
  #content: SqliteContent | undefined;
  #writer: { readonly db: Connection; readonly identity: string | undefined } | undefined;

  constructor(directory: Directory, isBeingWritten: () => boolean) {
    this.#directory = directory;
    this.#isBeingWritten = isBeingWritten;
  }

  /**
   * For reading; undefined when there is none. A file without tables is an index that is being made. What is replaced is
   * closed by those who read it. Throws `SchemaMismatch`.
   */
  readable(): SqliteContent | undefined {
    const content = this.#reader();
    if (content === undefined) this.#requireNone();
    if (content === undefined || content.isEmpty()) return undefined;
    content.requireSchema();
    return content;
  }

  #reader(): SqliteContent | undefined {
    for (let attempt = 1; ; attempt++) {
      const path = this.#directory.current();
      const identity = identityOf(path);
      if (this.#content?.identity === identity && this.#content?.hasItsLog()) return this.#content;
      this.#closeReader();
      const opened = identity === undefined ? undefined : open(path, identity);
      // A reset may turn the pointer meanwhile; what was then opened may lack its log.
      const isTurned = this.#directory.current() !== path || identityOf(path) !== identity;
      if (!isTurned || attempt === MOST_TURNS) {
        if (opened !== undefined && "error" in opened) throw opened.error;
        this.#content = opened?.content;
        return this.#content;
      }
      if (opened !== undefined && "content" in opened) opened.content.db.close();
    }
  }

  /**
   * Databases without the one that the pointer names: the pointer was lost or damaged, and "not indexed" would be wrong.
   * While another process writes, they may be a first index that is being made.
   */
  #requireNone(): void {
    if (this.#directory.hasDatabases() && !this.#isBeingWritten())
      throw new CorruptionError("the pointer to the current database names none that is there");
  }

  /** A reader of its own on the same file, whose one state lasts until it is closed. */
  isolated(): SqliteContent | undefined {
    const current = this.readable();
    if (current === undefined) return undefined;
    const content = new SqliteContent(current.db.path, current.identity);
    content.requireSchema();
    content.db.exec("BEGIN");
    return content;
  }

  /** For writing; makes an empty one when there is none. */
  writable(storeId: string): Connection {
    const path = this.#directory.current();
    if (this.#writer === undefined || this.#writer.identity !== identityOf(path)) {
      this.closeWriter();
      this.#directory.create();
      this.adopt(openIndexForWriting(path, storeId));
    }
    return this.#writer!.db;
  }

  /** Takes over a connection to what is the current file now. */
  adopt(db: Connection): void {
    this.closeWriter();
    this.#writer = { db, identity: identityOf(db.path) };
  }

  /** Whether this connection's file is still the current one. */
  isCurrent(db: Connection): boolean {
    return this.#writer?.db === db && identityOf(this.#directory.current()) === this.#writer.identity;
  }

  /** Removes files that are not current. A damaged pointer keeps them all until the next one is written. */
  sweep(): void {
    try {
      this.#directory.sweep();
    } catch (error) {
      if (!(error instanceof CorruptionError)) throw error;
    }
  }

  closeWriter(): void {
    this.#writer?.db.close();
    this.#writer = undefined;
  }

  #closeReader(): void {
    if (this.#content?.isHandedOut === false) this.#content.db.close();
    this.#content = undefined;
  }

  close(): void {
    this.#closeReader();
    this.closeWriter();
  }

  rest(): void {
    this.#content?.db.pragma("shrink_memory");
    this.#writer?.db.pragma("shrink_memory");
  }
}

function open(path: string, identity: string): Opened {
  try {
    const content = new SqliteContent(path, identity);
    content.touch();
    return { content };
  } catch (error) {
    const isHalfMade = error instanceof Error && "code" in error && error.code === "SQLITE_READONLY_ROLLBACK";
    return isHalfMade ? openRolledBack(path, identity) : { error };
  }
}

/** Reading never writes, but here: a process that was killed while it made the file left its first write half-done. */
function openRolledBack(path: string, identity: string): Opened {
  try {
    const writer = new Connection(path, "write");
    try {
      isEmpty(writer);
    } finally {
      writer.close();
    }
    return { content: new SqliteContent(path, identity) };
  } catch (error) {
    return { error };
  }
}
