/** Versions that others come after, with their vectors: what of them is equal need not be embedded again. */
import type { EarlierVersion, VersionKey } from "../../ports/versions.ts";
import { CorruptionError } from "../../segment/bytes.ts";
import type { Connection } from "./connection.ts";
import { type LikeKind, wholeOf } from "./delta-rows.ts";
import { versionId } from "./publish.ts";

interface Row {
  readonly id: number;
  readonly bytes: Uint8Array;
}

type Parts = Omit<EarlierVersion, "model">;

export function earlierOf(db: Connection, keys: readonly VersionKey[]): ReadonlyMap<string, EarlierVersion> {
  const found = new Map<string, EarlierVersion>();
  // Whoever embeds now has most likely embedded last.
  const model = db.get<{ model: string }>("SELECT model FROM vectors ORDER BY id DESC LIMIT 1")?.model;
  if (model === undefined) return found;
  for (const key of keys) {
    const id = versionId(db, key);
    const version = id === undefined ? undefined : partsOf(db, id, key.contentHash, model);
    if (version !== undefined) found.set(key.path, { ...version, model });
  }
  return found;
}

/** Undefined also where it is damaged: whoever reads it says so. */
function partsOf(db: Connection, version: number, hash: string, model: string): Parts | undefined {
  const vectors = db.get<Row>("SELECT id, bytes FROM vectors WHERE model = ? AND version = ?", model, version);
  const record = db.get<Row>("SELECT version AS id, bytes FROM record WHERE version = ?", version);
  const text = db.get<Row>("SELECT id, text AS bytes FROM content WHERE hash = ?", hash);
  if (vectors === undefined || record === undefined || text === undefined) return undefined;
  const whole = (kind: LikeKind, { id, bytes }: Row) => wholeOf(db, kind, id, bytes);
  try {
    return { text: whole("text", text), record: whole("record", record), vectors: whole("vectors", vectors) };
  } catch (error) {
    if (error instanceof CorruptionError) return undefined;
    throw error;
  }
}
