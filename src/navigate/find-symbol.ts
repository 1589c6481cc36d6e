/** Finds the one symbol that a name, a path and an id identify. Several matches are refused with candidates, never guessed. */
import type { CodeSymbol, FileRecord } from "../model/code.ts";
import { CompassError } from "../model/errors.ts";
import { type IdSource, symbolHit } from "../model/ids.ts";
import { DATA_KINDS, TYPE_KINDS } from "../model/kinds.ts";
import type { SymbolSelector } from "../model/navigation.ts";
import type { SymbolCandidate } from "../ports/candidates.ts";
import type { Snapshot } from "../ports/snapshot.ts";
import { parseNameQuery, qualifierMatch } from "../query/parsed-query.ts";
import { suggestNames } from "../query/retrievers/named.ts";

export interface FoundSymbol {
  readonly record: FileRecord;
  readonly index: number;
}

/** Maximum number of definitions to open: `new` has thousands, and no caller means one of them. */
const MAX_OPENED = 400;
const MAX_CANDIDATES = 10;

/** Throws `symbol_not_found` or `ambiguous_symbol`. */
export async function findSymbol(ask: SymbolSelector, at: Snapshot, ids: IdSource): Promise<FoundSymbol> {
  const { opened, matched } = await matchingSymbols(ask, at);
  return oneSymbol(codeBeforeProse(mergeOverloads(opened)), { ...ask, matched }, at, ids);
}

/** The one of these; throws as `findSymbol`. `matched`: how many there are in all. */
export async function oneSymbol(
  distinct: readonly FoundSymbol[],
  ask: Pick<SymbolSelector, "name" | "symbolId" | "line"> & { readonly matched: number },
  at: Snapshot,
  ids: IdSource,
): Promise<FoundSymbol> {
  const { matched } = ask;
  if (distinct.length === 1) return distinct[0]!;
  const ref = at.info.ref;
  if (distinct.length === 0) {
    if (ask.line !== undefined) throw new CompassError("symbol_not_found", { name: ask.name, ref, cause: "line" });
    const near = ask.name ? await suggestNames(ask.name, at) : [];
    const suggestion = near.length > 0 && { did_you_mean: near };
    throw new CompassError("symbol_not_found", { name: ask.name || ask.symbolId, ref, ...suggestion });
  }
  throw new CompassError("ambiguous_symbol", {
    name: ask.name,
    candidate_count: Math.max(distinct.length, matched > MAX_OPENED ? matched : 0),
    candidates: distinct.slice(0, MAX_CANDIDATES).map((it) => describeCandidate(it, ids)),
  });
}

/** Headings, the keys of data and definitions in strings have no references by name: where code has the same name, the caller means the code. */
const PROSE: ReadonlySet<string> = new Set(["heading", ...DATA_KINDS]);

function codeBeforeProse(found: readonly FoundSymbol[]): readonly FoundSymbol[] {
  const code = found.filter(({ record, index }) => {
    const { kind, language } = record.symbols[index]!;
    return !PROSE.has(kind) && language === undefined;
  });
  return code.length > 0 ? code : found;
}

function describeCandidate({ record, index }: FoundSymbol, ids: IdSource) {
  const hit = symbolHit(record, index, ids);
  return {
    symbol_id: hit.symbolId,
    symbol_stable_id: hit.symbolStableId,
    name: hit.symbol.name,
    kind: hit.symbol.kind,
    qualified_name: hit.symbol.qualifiedName,
    path: hit.path,
    line_start: hit.symbol.span.lineStart,
  };
}

export interface NearestSymbol extends FoundSymbol {
  /** Symbols of the same name in the same file that were not chosen. */
  readonly others: number;
}

/** As `findSymbol`, but symbols of one name in one file are not ambiguous: a type comes first, then source order. */
export async function findInFile(ask: SymbolSelector, at: Snapshot, ids: IdSource): Promise<NearestSymbol> {
  const { opened } = await matchingSymbols(ask, at);
  const distinct = mergeOverloads(opened);
  const best = distinct.toSorted((a, b) => rankInFile(a) - rankInFile(b) || a.index - b.index)[0];
  if (best === undefined || new Set(distinct.map(({ record }) => record.path)).size > 1) {
    return { ...(await findSymbol(ask, at, ids)), others: 0 };
  }
  return { ...best, others: distinct.length - 1 };
}

function rankInFile({ record, index }: FoundSymbol): number {
  const { kind, declaration } = record.symbols[index]!;
  return (BLOCKS.has(kind) ? 2 : 0) + (declaration ? 1 : 0) - (TYPE_KINDS.has(kind) ? 1 : 0);
}

async function matchingSymbols(ask: SymbolSelector, at: Snapshot): Promise<{ opened: FoundSymbol[]; matched: number }> {
  if (ask.symbolId !== undefined) {
    const found = (await at.symbolsById(ask.symbolId)).filter((it) => isAt(it, ask.path));
    return { opened: await open(found, at), matched: found.length };
  }
  if (ask.line !== undefined && ask.path !== undefined) return symbolAround(ask.path, ask.line, at);
  const question = parseNameQuery(ask.name);
  for (const spelling of question?.spellings ?? []) {
    for (const match of ["exact", "folded"] as const) {
      const page = await at.symbols({ name: spelling, match, limit: 10 * MAX_OPENED });
      const found = page.candidates.filter((it) => isAt(it, ask.path));
      const opened = (await open(found.slice(0, MAX_OPENED), at)).filter(({ record, index }) => {
        const { kind } = record.symbols[index]!;
        return kind !== "use" && (question!.kinds.length === 0 || question!.kinds.includes(kind));
      });
      const owned = filterByQualifier(opened, question!.qualifier);
      if (owned.length > 0) return { opened: owned, matched: found.length };
    }
  }
  return { opened: [], matched: 0 };
}

async function symbolAround(path: string, line: number, at: Snapshot) {
  const file = await at.file(path.replace(/^(\.\/)+/, ""));
  if (file === undefined) return { opened: [], matched: 0 };
  const record = await at.record(file);
  const length = ({ span }: CodeSymbol) => span.lineEnd - span.lineStart;
  const around = record.symbols
    .map((symbol, index) => ({ symbol, index }))
    .filter(({ symbol: { kind, span } }) => kind !== "use" && span.lineStart <= line && span.lineEnd >= line)
    .sort((a, b) => length(a.symbol) - length(b.symbol) || b.index - a.index);
  const opened = around.slice(0, 1).map(({ index }) => ({ record, index }));
  return { opened, matched: opened.length };
}

/** Keeps the symbols of the named owner, where the request names one. */
function filterByQualifier(opened: readonly FoundSymbol[], qualifier: readonly string[]): FoundSymbol[] {
  if (qualifier.length === 0) return [...opened];
  // `Handler.close` is the class's, though the file may be called handler.
  const direct = opened.filter(({ record, index }) => {
    const owners = record.symbols[index]!.qualifiedName.split(/::|\./).slice(0, -1);
    return qualifier.every((part, i) => owners[owners.length - qualifier.length + i] === part);
  });
  if (direct.length > 0) return direct;
  return opened.filter(
    ({ record, index }) => qualifierMatch(record.symbols[index]!.qualifiedName, { qualifier }) === 1,
  );
}

async function open(candidates: readonly SymbolCandidate[], at: Snapshot): Promise<FoundSymbol[]> {
  const opened: FoundSymbol[] = [];
  for (const { file, index } of candidates) {
    const record = await at.record(file);
    if (record.symbols[index] !== undefined) opened.push({ record, index });
  }
  return opened;
}

function isAt({ file }: SymbolCandidate, path: string | undefined): boolean {
  if (path === undefined) return true;
  const folder = path.replace(/^(\.?\/)+|\/+$/g, "");
  return file.path === folder || folder === "" || file.path.startsWith(`${folder}/`);
}

/** Overloads and redefinitions are one symbol, and a prototype is its definition's. */
function mergeOverloads(found: readonly FoundSymbol[]): FoundSymbol[] {
  const byOwner = new Map<string, FoundSymbol>();
  for (const it of found) {
    const symbol = it.record.symbols[it.index]!;
    const key = `${it.record.path}\0${symbol.parent ?? -1}\0${symbol.name}`;
    const known = byOwner.get(key);
    if (known === undefined || (known.record.symbols[known.index]!.declaration && !symbol.declaration))
      byOwner.set(key, it);
  }
  const all = dropImplBlocks([...byOwner.values()]);
  const defined = all.filter(({ record, index }) => !record.symbols[index]!.declaration);
  return defined.length === 1 && all.every((it) => sameName(it, defined[0]!)) ? defined : all;
}

/** `impl Claims` belongs to `Claims`, and Java's constructor has its class's name: neither is a second symbol. */
function dropImplBlocks(all: FoundSymbol[]): FoundSymbol[] {
  const types = all.filter(({ record, index }) => TYPE_KINDS.has(record.symbols[index]!.kind));
  if (types.length === 0) return all;
  const names = new Set(types.map(({ record, index }) => record.symbols[index]!.qualifiedName));
  return all.filter(({ record, index }) => {
    const { kind, qualifiedName } = record.symbols[index]!;
    // In C++ they may be in another file than their class.
    const owner = qualifiedName.replace(/(?:::|\.)[^:.]+$/, "");
    return !BLOCKS.has(kind) && !(kind === "constructor" && names.has(owner));
  });
}

const BLOCKS: ReadonlySet<string> = new Set(["impl", "extension", "instance"]);

function sameName(a: FoundSymbol, b: FoundSymbol): boolean {
  const [one, other] = [a.record.symbols[a.index]!, b.record.symbols[b.index]!];
  return one === other || (one.kind === other.kind && one.qualifiedName === other.qualifiedName);
}
