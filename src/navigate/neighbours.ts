/** Symbols that stand near a symbol: in its file, its folder, its package, and those that its file imports. */
import { languageById } from "../languages/index.ts";
import type { FileRecord } from "../model/code.ts";
import type { SymbolLocation } from "../model/edges.ts";
import { type IdSource, symbolHit } from "../model/ids.ts";
import { RELATIONS, type RelatedScope, type RelatedSymbol, type Relation } from "../model/navigation.ts";
import type { Snapshot } from "../ports/snapshot.ts";
import type { FileRow } from "../ports/view.ts";

export interface NeighbourQuestion {
  readonly record: FileRecord;
  readonly index: number;
  readonly scope: RelatedScope;
  readonly limit: number;
  /** What the file imports from elsewhere in the view. */
  readonly imported: readonly SymbolLocation[];
}

export interface Neighbours {
  readonly related: readonly RelatedSymbol[];
  readonly total: number;
}

/** Records opened for one answer; a larger package is counted as far as it was looked at. */
const MAX_FILES = 2_000;
/** Each relation that has symbols shows some of them, however many a nearer one has. */
const LEAST_SHARE = 5;

interface Near extends SymbolLocation {
  readonly record: FileRecord;
  readonly relation: Relation;
}

export async function neighbours(ask: NeighbourQuestion, at: Snapshot, ids: IdSource): Promise<Neighbours> {
  const found = [...inFile(ask.record, "same_file", ask.index)];
  if (ask.scope !== "file") {
    const imported = await importedOnes(ask, at);
    const taken = new Set(imported.map(keyOf));
    for (const { row, relation } of await filesAround(ask, at)) {
      found.push(...inFile(await at.record(row), relation).filter((it) => !taken.has(keyOf(it))));
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

function inFile(record: FileRecord, relation: Relation, but?: number): Near[] {
  const self = but === undefined ? undefined : record.symbols[but]!;
  return record.symbols.flatMap((symbol, index) =>
    index === but || NOT_SHOWN.has(symbol.kind) || symbol.qualifiedName === self?.qualifiedName
      ? []
      : [{ record, path: record.path, index, relation }],
  );
}

async function importedOnes({ record, imported }: NeighbourQuestion, at: Snapshot): Promise<Near[]> {
  const near: Near[] = [];
  const seen = new Set<string>();
  for (const place of imported) {
    if (place.path === record.path || seen.has(keyOf(place))) continue;
    seen.add(keyOf(place));
    const row = await at.file(place.path);
    if (row !== undefined) near.push({ ...place, record: await at.record(row), relation: "imported" });
  }
  return near;
}

async function filesAround({ record, scope }: NeighbourQuestion, at: Snapshot) {
  const files = await at.files();
  const system = moduleSystem(record.language);
  const alike = files.filter((row) => row.path !== record.path && moduleSystem(row.language) === system);
  const folder = folderOf(record.path);
  const isNear = (row: FileRow) => folderOf(row.path) === folder;
  const module = alike.filter(isNear).map((row) => ({ row, relation: "same_module" as const }));
  if (scope === "module") return module.slice(0, MAX_FILES);
  const root = packageRoot(folder, files);
  const rest = alike.filter((row) => !isNear(row) && (root === "" || row.path.startsWith(`${root}/`)));
  return [...module, ...rest.map((row) => ({ row, relation: "same_package" as const }))].slice(0, MAX_FILES);
}

function moduleSystem(language: string): string {
  return languageById(language)?.moduleSystem ?? language;
}

/** Files that stand at the root of a package. */
const MANIFEST =
  /^(?:Cargo\.toml|package\.json|go\.mod|pyproject\.toml|setup\.(?:py|cfg)|pom\.xml|build\.gradle(?:\.kts)?|build\.sbt|composer\.json|Gemfile|Package\.swift|CMakeLists\.txt|[^/]+\.(?:gemspec|csproj))$/;

function packageRoot(folder: string, files: readonly FileRow[]): string {
  const roots = new Set(
    files.flatMap(({ path }) => (MANIFEST.test(path.slice(path.lastIndexOf("/") + 1)) ? [folderOf(path)] : [])),
  );
  let at = folder;
  while (at !== "" && !roots.has(at)) at = folderOf(at);
  return at;
}

function byNearness(a: Near, b: Near): number {
  return (
    RELATIONS.indexOf(a.relation) - RELATIONS.indexOf(b.relation) ||
    (a.path < b.path ? -1 : a.path > b.path ? 1 : 0) ||
    a.record.symbols[a.index]!.span.start - b.record.symbols[b.index]!.span.start ||
    a.index - b.index
  );
}

/** The nearest, in order, but at least some of each relation. */
function chosen(sorted: readonly Near[], limit: number): readonly Near[] {
  if (sorted.length <= limit) return sorted;
  const least = Math.floor(limit / LEAST_SHARE);
  const kept = new Set(RELATIONS.flatMap((it) => sorted.filter(({ relation }) => relation === it).slice(0, least)));
  for (const one of sorted) {
    if (kept.size >= limit) break;
    kept.add(one);
  }
  return sorted.filter((one) => kept.has(one)).slice(0, limit);
}

function keyOf({ path, index }: SymbolLocation): string {
  return `${path}\0${index}`;
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}
