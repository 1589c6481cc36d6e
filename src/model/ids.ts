/** Branded ids, so that one kind cannot be passed for another, and the two ids made from a symbol's identity. */
import type { CodeSymbol, FileFrame, FileRecord } from "./code.ts";
import type { SymbolHit } from "./search.ts";

declare const brand: unique symbol;
type Branded<T, Name extends string> = T & { readonly [brand]: Name };

/** Row number of a file version inside one store; meaningless outside it. */
export type FileId = Branded<number, "FileId">;
/** Lower-case hex BLAKE3 of a file's bytes. */
export type ContentHash = Branded<string, "ContentHash">;
/** Number of a published state of one view; grows by one with each publish. */
export type Generation = Branded<number, "Generation">;
/** 16 hex digits of BLAKE3 over the workspace's real path. */
export type ProjectId = Branded<string, "ProjectId">;
export type JobId = Branded<string, "JobId">;

/** BLAKE3 as lower-case hex; passed in, because the core imports no package. */
export type Hash = (input: string | Uint8Array) => string;

/** What makes a symbol itself; neither ref nor line is part of it. */
export interface SymbolIdentity {
  readonly language: string;
  readonly path: string;
  readonly kind: string;
  readonly qualifiedName: string;
  /** Position among symbols of the same file, kind and qualified name. */
  readonly ordinal: number;
}

const CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

export function symbolId(project: ProjectId, it: SymbolIdentity, hash: Hash): string {
  const hex = hash(`${project}\0${it.path}\0${it.kind}\0${it.qualifiedName}\0${it.ordinal}`);
  return `sym_${base32(hex)}`;
}

export function symbolStableId(it: SymbolIdentity, hash: Hash): string {
  return `b3:${hash(`${it.language}\0${it.kind}\0${it.qualifiedName}\0${it.ordinal}`)}`;
}

/** 52 bits in decimal digits, of which a tokenizer takes three at a time: half the tokens of 26 letters and digits. */
export function resultId(prefix: "snip" | "file", parts: readonly (string | number)[], hash: Hash): string {
  return `${prefix}_${Number.parseInt(hash(parts.join("\0")).slice(0, 13), 16)}`;
}

export function projectId(realPath: string, hash: Hash): ProjectId {
  return hash(realPath).slice(0, 16) as ProjectId;
}

/** Two characters at a time: half as many strings are made on the way. */
const PAIRS = Array.from({ length: 1_024 }, (_, bits) => `${CROCKFORD[bits >> 5]}${CROCKFORD[bits & 31]}`);

/** The first 130 bits of a hex digest as 26 Crockford base-32 characters. */
function base32(hex: string): string {
  let out = "";
  let bits = 0;
  let held = 0;
  for (let at = 0; out.length < 26; at++) {
    const digit = hex.charCodeAt(at);
    // 0 to 9, or a to f.
    bits = ((bits << 4) | (digit < 0x3a ? digit - 0x30 : digit - 0x57)) & 0x1fff;
    held += 4;
    if (held < 10) continue;
    held -= 10;
    out += PAIRS[(bits >> held) & 1_023];
  }
  return out;
}

/** What ids are made from, passed in because the core imports no hash. */
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
