/** A symbol of a record as a hit: its ids, its place, its parent. */
import type { FileRecord } from "./code.ts";
import { type Hash, type ProjectId, symbolId, symbolStableId } from "./ids.ts";
import type { SymbolHit } from "./search.ts";

/** What ids are made from, handed in because the core imports no hash. */
export interface IdSource {
  readonly project: ProjectId;
  readonly hash: Hash;
}

export function symbolHit(record: FileRecord, index: number, ids: IdSource): SymbolHit {
  const symbol = record.symbols[index]!;
  const parent = symbol.parent === undefined ? undefined : record.symbols[symbol.parent];
  const identity = { ...symbol, language: record.language, path: record.path };
  return {
    symbolId: symbolId(ids.project, identity, ids.hash),
    symbolStableId: symbolStableId(identity, ids.hash),
    path: record.path,
    language: record.language,
    symbol,
    ...(parent !== undefined && { parent }),
  };
}
