/**
 * Rows that are kept over another row of their table: a file's new version shares nearly everything with the one that
 * the view showed before, and a branch with the one of its base. A row is never kept over one that is itself kept over
 * another, so reading takes one row more and no chain grows; the table records which row needs which.
 */
import { CorruptionError } from "../../segment/bytes.ts";
import {
  decodeDelta,
  encodeDelta,
  isDelta,
  recordContent,
  seal,
  sealRecord,
  sealUncompressed,
  TAG,
  unseal,
} from "../../segment/stored-content.ts";
import type { Connection } from "./connection.ts";

interface Kind {
  readonly number: number;
  readonly select: string;
  /** What the stored bytes hold: this is compared. */
  readonly content: (stored: Uint8Array) => Uint8Array;
  /** As it would be stored by itself; `passing`: in a form that its decoder reads as well, made at no cost. */
  readonly stored: (content: Uint8Array) => Uint8Array;
  readonly passing: (content: Uint8Array) => Uint8Array;
}

const same = (bytes: Uint8Array) => bytes;

function sealedBytes(tag: Parameters<typeof seal>[0]): Pick<Kind, "content" | "stored" | "passing"> {
  return {
    content: (stored) => unseal(tag, stored),
    stored: (content) => seal(tag, content),
    passing: (content) => sealUncompressed(tag, content),
  };
}

const KINDS = {
  text: {
    number: 0,
    select: "SELECT text AS bytes FROM content WHERE id = ?",
    ...sealedBytes(TAG.text),
  },
  record: {
    number: 1,
    select: "SELECT bytes FROM record WHERE version = ?",
    content: recordContent,
    stored: sealRecord,
    passing: (content) => sealUncompressed(TAG.record, content),
  },
  facts: {
    number: 2,
    select: "SELECT bytes FROM facts WHERE version = ?",
    ...sealedBytes(TAG.facts),
  },
  vectors: { number: 3, select: "SELECT bytes FROM vectors WHERE id = ?", content: same, stored: same, passing: same },
} as const satisfies Record<string, Kind>;

export type DeltaKind = keyof typeof KINDS;

/** Less than this is not worth a second row to be read. */
const LEAST_BYTES = 1_024;
/** What is kept must be at most this part of the whole. Facts of a changed file are half to two thirds: names are numbered. */
const MOST_PART = 0.75;

interface StoredDelta {
  readonly bytes: Uint8Array;
  readonly base?: number;
}

/** What to store for `bytes` when `like` is a row of the same table that should have much in common with it. */
export function keptOver(db: Connection, kind: DeltaKind, like: number | undefined, bytes: Uint8Array): StoredDelta {
  const { select, content } = KINDS[kind];
  if (like === undefined || bytes.length < LEAST_BYTES) return { bytes };
  const base = baseOf(db, kind, like) ?? like;
  const stored = db.get<{ bytes: Uint8Array }>(select, base)?.bytes;
  if (stored === undefined || isDelta(stored)) return { bytes };
  try {
    const kept = encodeDelta(content(bytes), content(stored));
    return kept !== undefined && kept.length <= bytes.length * MOST_PART ? { bytes: kept, base } : { bytes };
  } catch (error) {
    // A damaged row cannot be a base; reading it reports the damage.
    if (error instanceof CorruptionError) return { bytes };
    throw error;
  }
}

/** Notes over which row the new one is kept. Inside the transaction that writes it. */
export function noteBase(db: Connection, kind: DeltaKind, id: number, { base }: StoredDelta): void {
  if (base === undefined) return;
  db.run("INSERT OR REPLACE INTO kept_over (kind, id, base) VALUES (?, ?, ?)", KINDS[kind].number, id, base);
}

/** A replaced row no longer needs a base. */
export function forgetBase(db: Connection, kind: DeltaKind, id: number): void {
  db.run("DELETE FROM kept_over WHERE kind = ? AND id = ?", KINDS[kind].number, id);
}

/** The bytes of a row as its decoder takes them. Throws `CorruptionError`. */
export function wholeOf(db: Connection, kind: DeltaKind, id: number, bytes: Uint8Array): Uint8Array {
  return isDelta(bytes) ? KINDS[kind].passing(contentOf(db, kind, id, bytes)) : bytes;
}

/** The bytes of a row as they would be stored by themselves. Throws `CorruptionError`. */
export function storedOf(db: Connection, kind: DeltaKind, id: number, bytes: Uint8Array): Uint8Array {
  return isDelta(bytes) ? KINDS[kind].stored(contentOf(db, kind, id, bytes)) : bytes;
}

export function isBase(db: Connection, kind: DeltaKind, id: number): boolean {
  return db.get("SELECT 1 FROM kept_over WHERE kind = ? AND base = ?", KINDS[kind].number, id) !== undefined;
}

/** As an expression of SQL: the rows of this table that others are kept over. */
export function basesOf(kind: DeltaKind): string {
  return `(SELECT base FROM kept_over WHERE kind = ${KINDS[kind].number})`;
}

/** Deleted rows no longer need a base. Runs inside a write transaction. */
export function forgetKept(db: Connection): void {
  const versions = "SELECT id FROM file_version";
  const alive: Record<DeltaKind, string> = {
    text: "SELECT content.id FROM content JOIN file_version USING (hash)",
    record: versions,
    facts: versions,
    vectors: `SELECT id FROM vectors WHERE version IN (${versions})`,
  };
  for (const [kind, ids] of Object.entries(alive)) {
    db.run(`DELETE FROM kept_over WHERE kind = ? AND id NOT IN (${ids})`, KINDS[kind as DeltaKind].number);
  }
}

function baseOf(db: Connection, kind: DeltaKind, id: number): number | undefined {
  const sql = "SELECT base FROM kept_over WHERE kind = ? AND id = ?";
  return db.get<{ base: number }>(sql, KINDS[kind].number, id)?.base;
}

function contentOf(db: Connection, kind: DeltaKind, id: number, bytes: Uint8Array): Uint8Array {
  const { select, content } = KINDS[kind];
  const base = baseOf(db, kind, id);
  const stored = base === undefined ? undefined : db.get<{ bytes: Uint8Array }>(select, base)?.bytes;
  if (stored === undefined || isDelta(stored)) throw new CorruptionError(`what ${kind} ${id} is kept over is missing`);
  return decodeDelta(bytes, content(stored));
}
