/**
 * Symbols that a symbol's signature and body name, found inside the view: those of its own file first, then types and
 * functions that are the only one of their name. Cheap on purpose: no imports are resolved here.
 */
import { moduleSystemOf } from "../languages/index.ts";
import type { CodeSymbol, FileFrame, FileRecord } from "../model/code.ts";
import type { SymbolLocation } from "../model/edges.ts";
import { frameHit, type IdSource, symbolHit } from "../model/ids.ts";
import { TYPE_KINDS } from "../model/kinds.ts";
import { RELATIONS, type RelatedScope, type RelatedSymbol, type Relation } from "../model/navigation.ts";
import type { SymbolHit } from "../model/search.ts";
import type { FileRow, Snapshot } from "../ports/snapshot.ts";
import { locationKey, parentFolder } from "./bind/qualified.ts";

/** Of a longer body the first part is read. */
const MAX_BODY = 8_000;
/** Maximum names looked up in other files. */
const MAX_LOOKED_UP = 60;

export async function related(hit: SymbolHit, limit: number, at: Snapshot, ids: IdSource): Promise<SymbolHit[]> {
  const file = await at.file(hit.path);
  if (file === undefined || limit < 1) return [];
  const frame = await at.frame(file);
  const names = namesIn(readBody(hit, await at.text(file)));
  const { near, known } = inSameFile(frame, hit.symbol, names);
  const found = near.slice(0, limit).map((index) => frameHit(file, frame, index, ids)!);
  for (const name of names.filter((it) => !known.has(it)).slice(0, MAX_LOOKED_UP)) {
    if (found.length >= limit) break;
    const elsewhere = await onlyOne(name, at, ids);
    if (elsewhere !== undefined) found.push(elsewhere);
  }
  return found;
}

function readBody({ symbol }: SymbolHit, text: string): string {
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

const LOOKED_FOR = new Set([...TYPE_KINDS, "fn", "macro", "const"]);
/** One definition and the imports of it that have its name. */
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

interface NeighbourQuestion {
  readonly record: FileRecord;
  readonly index: number;
  readonly scope: RelatedScope;
  readonly limit: number;
  /** What the file imports from elsewhere in the view. */
  readonly imported: readonly SymbolLocation[];
}

interface Neighbours {
  readonly related: readonly RelatedSymbol[];
  readonly total: number;
}

/** Maximum records opened for one answer; symbols beyond them are not counted. */
const MAX_FILES = 2_000;
/** Each relation that has symbols shows some of them, even if a nearer one has many. */
const LEAST_SHARE = 5;

interface NearbySymbol extends SymbolLocation {
  readonly record: FileRecord;
  readonly relation: Relation;
}

export async function neighbours(ask: NeighbourQuestion, at: Snapshot, ids: IdSource): Promise<Neighbours> {
  const found = [...inFile(ask.record, "same_file", ask.index)];
  if (ask.scope !== "file") {
    const imported = await importedOnes(ask, at);
    const taken = new Set(imported.map(locationKey));
    for (const { row, relation } of await filesAround(ask, at)) {
      found.push(...inFile(await at.record(row), relation).filter((it) => !taken.has(locationKey(it))));
    }
    found.push(...imported);
  }
  found.sort(byNearness);
  const related = chosen(found, ask.limit).map(({ record, index, relation }) => ({
    hit: symbolHit(record, index, ids),
    relation,
  }));
  return { related, total: found.length };
}

const NOT_SHOWN: ReadonlySet<string> = new Set(["use", "package", "heading", "impl", "field", "property", "variant"]);

function inFile(record: FileRecord, relation: Relation, but?: number): NearbySymbol[] {
  const self = but === undefined ? undefined : record.symbols[but]!;
  return record.symbols.flatMap((symbol, index) =>
    index === but || NOT_SHOWN.has(symbol.kind) || symbol.qualifiedName === self?.qualifiedName
      ? []
      : [{ record, path: record.path, index, relation }],
  );
}

async function importedOnes({ record, imported }: NeighbourQuestion, at: Snapshot): Promise<NearbySymbol[]> {
  const near: NearbySymbol[] = [];
  const seen = new Set<string>();
  for (const place of imported) {
    if (place.path === record.path || seen.has(locationKey(place))) continue;
    seen.add(locationKey(place));
    const row = await at.file(place.path);
    if (row !== undefined) near.push({ ...place, record: await at.record(row), relation: "imported" });
  }
  return near;
}

async function filesAround({ record, scope }: NeighbourQuestion, at: Snapshot) {
  const files = await at.files();
  const system = moduleSystemOf(record.language);
  const alike = files.filter((row) => row.path !== record.path && moduleSystemOf(row.language) === system);
  const folder = parentFolder(record.path);
  const isNear = (row: FileRow) => parentFolder(row.path) === folder;
  const module = alike.filter(isNear).map((row) => ({ row, relation: "same_module" as const }));
  if (scope === "module") return module.slice(0, MAX_FILES);
  const root = packageRoot(folder, files);
  const rest = alike.filter((row) => !isNear(row) && (root === "" || row.path.startsWith(`${root}/`)));
  return [...module, ...rest.map((row) => ({ row, relation: "same_package" as const }))].slice(0, MAX_FILES);
}

/** Files at the root of a package. */
const MANIFEST =
  /^(?:Cargo\.toml|package\.json|go\.mod|pyproject\.toml|setup\.(?:py|cfg)|pom\.xml|build\.gradle(?:\.kts)?|build\.sbt|composer\.json|Gemfile|Package\.swift|CMakeLists\.txt|[^/]+\.(?:gemspec|csproj))$/;

function packageRoot(folder: string, files: readonly FileRow[]): string {
  const roots = new Set(
    files.flatMap(({ path }) => (MANIFEST.test(path.slice(path.lastIndexOf("/") + 1)) ? [parentFolder(path)] : [])),
  );
  let at = folder;
  while (at !== "" && !roots.has(at)) at = parentFolder(at);
  return at;
}

function byNearness(a: NearbySymbol, b: NearbySymbol): number {
  return (
    RELATIONS.indexOf(a.relation) - RELATIONS.indexOf(b.relation) ||
    (a.path < b.path ? -1 : a.path > b.path ? 1 : 0) ||
    a.record.symbols[a.index]!.span.start - b.record.symbols[b.index]!.span.start ||
    a.index - b.index
  );
}

/** The nearest, in order, but at least some of each relation. */
function chosen(sorted: readonly NearbySymbol[], limit: number): readonly NearbySymbol[] {
  if (sorted.length <= limit) return sorted;
  const least = Math.floor(limit / LEAST_SHARE);
  const kept = new Set(RELATIONS.flatMap((it) => sorted.filter(({ relation }) => relation === it).slice(0, least)));
  for (const one of sorted) {
    if (kept.size >= limit) break;
    kept.add(one);
  }
  return sorted.filter((one) => kept.has(one)).slice(0, limit);
}
