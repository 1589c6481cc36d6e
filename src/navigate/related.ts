/**
 * Symbols that a symbol's signature and body name, found inside the view: those of its own file first, then types and
 * functions that are the only one of their name. Cheap on purpose: no imports are resolved here.
 */
import type { CodeSymbol, FileFrame } from "../model/code.ts";
import { frameHit, type IdSource } from "../model/ids.ts";
import type { SymbolHit } from "../model/search.ts";
import type { Snapshot } from "../ports/snapshot.ts";

/** Of a longer body the first part is read. */
const MAX_BODY = 8_000;
/** Names that are looked up elsewhere; the rest of a body repeats them. */
const MAX_LOOKED_UP = 60;

export async function related(hit: SymbolHit, limit: number, at: Snapshot, ids: IdSource): Promise<SymbolHit[]> {
  const file = await at.file(hit.path);
  if (file === undefined || limit < 1) return [];
  const frame = await at.frame(file);
  const names = namesIn(bodyOf(hit, await at.text(file)));
  const { near, known } = inSameFile(frame, hit.symbol, names);
  const found = near.slice(0, limit).map((index) => frameHit(file, frame, index, ids)!);
  for (const name of names.filter((it) => !known.has(it)).slice(0, MAX_LOOKED_UP)) {
    if (found.length >= limit) break;
    const elsewhere = await onlyOne(name, at, ids);
    if (elsewhere !== undefined) found.push(elsewhere);
  }
  return found;
}

function bodyOf({ symbol }: SymbolHit, text: string): string {
  const body = text.slice(symbol.span.start, Math.min(symbol.span.end, symbol.span.start + MAX_BODY));
  return `${symbol.signature ?? ""}\n${body}`;
}

/** Identifiers of more than two letters in the order of their first use. */
function namesIn(text: string): string[] {
  return [...new Set(text.match(/[\p{L}_][\p{L}\p{N}_]{2,}/gu) ?? [])];
}

const NOT_RELATED = new Set(["use", "impl", "heading", "field", "property", "variant", "package"]);

interface SameFile {
  readonly near: readonly number[];
  /** Those of the names that the file defines. */
  readonly known: ReadonlySet<string>;
}

/** In the order in which they are named; neither the symbol itself nor what it contains or is contained in. */
function inSameFile(frame: FileFrame, self: CodeSymbol, names: readonly string[]): SameFile {
  const order = new Map(names.map((name, i) => [name, i]));
  const known = new Set<string>();
  const near: { readonly index: number; readonly rank: number }[] = [];
  for (let index = 0; index < frame.symbolCount; index++) {
    const name = frame.name(index)!;
    const rank = order.get(name);
    if (rank === undefined) continue;
    known.add(name);
    const symbol = frame.symbol(index)!;
    if (!NOT_RELATED.has(symbol.kind) && !overlaps(symbol, self)) near.push({ index, rank });
  }
  near.sort((a, b) => a.rank - b.rank || a.index - b.index);
  return { near: near.map(({ index }) => index), known };
}

function overlaps(a: CodeSymbol, b: CodeSymbol): boolean {
  return a.name === b.name || (a.span.start < b.span.end && b.span.start < a.span.end);
}

const LOOKED_FOR = new Set([
  "class",
  "struct",
  "trait",
  "interface",
  "protocol",
  "enum",
  "type",
  "fn",
  "macro",
  "object",
  "record",
  "union",
  "const",
]);
/** One definition and the imports of it that bear its name. */
const FEW = 8;

async function onlyOne(name: string, at: Snapshot, ids: IdSource): Promise<SymbolHit | undefined> {
  const page = await at.symbols({ name, match: "exact", limit: FEW + 1 });
  if (page.matched === 0 || page.matched > FEW) return undefined;
  const definitions: SymbolHit[] = [];
  for (const { file, index } of page.candidates) {
    const frame = await at.frame(file);
    if (LOOKED_FOR.has(frame.kind(index) ?? "")) definitions.push(frameHit(file, frame, index, ids)!);
  }
  return definitions.length === 1 ? definitions[0] : undefined;
}
