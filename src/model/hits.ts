/** A symbol of a record as a hit: its ids, its place, its parent. */
import type { CodeSymbol, FileFrame, FileRecord } from "./code.ts";
import { type Hash, type ProjectId, symbolId, symbolStableId } from "./ids.ts";
import type { SymbolHit } from "./search.ts";

/** What ids are made from, handed in because the core imports no hash. */
export interface IdSource {
  readonly project: ProjectId;
  readonly hash: Hash;
}

export function symbolHit(record: FileRecord, index: number, ids: IdSource): SymbolHit {
  const symbol = record.symbols[index]!;
  return buildHit(record, symbol, symbol.parent === undefined ? undefined : record.symbols[symbol.parent], ids);
}

/** The same out of a frame; nothing where it has no such symbol. */
export function frameHit(file: PathAndLanguage, frame: FileFrame, index: number, ids: IdSource): SymbolHit | undefined {
  const symbol = frame.symbol(index);
  if (symbol === undefined) return undefined;
  return buildHit(file, symbol, symbol.parent === undefined ? undefined : frame.symbol(symbol.parent), ids);
}

type PathAndLanguage = Pick<FileRecord, "path" | "language">;

function buildHit(
  { path, language }: PathAndLanguage,
  symbol: CodeSymbol,
  parent: CodeSymbol | undefined,
  ids: IdSource,
): SymbolHit {
  const { kind, qualifiedName, ordinal } = symbol;
  const identity = { kind, qualifiedName, ordinal, language, path };
  return {
    symbolId: symbolId(ids.project, identity, ids.hash),
    symbolStableId: symbolStableId(identity, ids.hash),
    path,
    language,
    symbol,
    ...(parent !== undefined && { parent }),
  };
}
