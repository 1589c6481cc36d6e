/**
 * Looks for a pattern in all repositories of a catalog, in the order of their names and paths, until a page is full. What
 * is behind the page is counted only where there is little of it.
 */
import type { CodeSymbol } from "../model/code.ts";
import { type GrepRequest, type NotSearched, SEARCHED_SKIPS, type TrigramPlan } from "../model/grep.ts";
import type { GrepPosition, MultiRepoGrepAnswer, MultiRepoGrepRequest } from "../model/multi-repository.ts";
import type { Catalog, CatalogedFile, CatalogScope } from "../ports/catalog.ts";
import type { Scanner, ScanReply } from "../ports/scanner.ts";
import { Pattern } from "../regex/pattern.ts";
import { compileScope, filePlan } from "./grep.ts";
import { type Definitions, hitsIn } from "./hit.ts";

export interface CatalogSearchPorts {
  readonly catalog: Catalog;
  readonly scanner: Scanner;
  readonly signal: AbortSignal;
}

export interface CatalogMatches extends MultiRepoGrepAnswer {
  /** Every file with a match on the page or before its end. */
  readonly files: readonly CatalogedFile[];
  /** The repository being searched when the time limit was reached. */
  readonly stoppedIn?: string;
}

/** Size of the first batch of candidates, which is counted completely. More follow if they do not fill a page. */
const FIRST_HELPING = 256;
const LARGEST_HELPING = 4_096;
/** Texts of a batch that are searched first; then twice as many, until a page is full. */
const FIRST_TEXTS = 64;

interface LineTally {
  readonly hits: MultiRepoGrepAnswer["hits"][number][];
  readonly files: CatalogedFile[];
  counted: number;
  complete: boolean;
  notSearched: readonly NotSearched[];
}

export async function grepAcross(
  ask: MultiRepoGrepRequest,
  scope: CatalogScope,
  ports: CatalogSearchPorts,
): Promise<CatalogMatches> {
  const pattern = new Pattern(ask.pattern, ask);
  const plan = filePlan(pattern, ask);
  const kept = compileScope(ask);
  const tally: LineTally = { hits: [], files: [], counted: 0, complete: true, notSearched: [] };
  let from = ask.from;
  let size = FIRST_HELPING;
  let at: string | undefined;
  try {
    const kinds = await ports.catalog.skipped(SEARCHED_SKIPS, scope, { signal: ports.signal });
    tally.notSearched = SEARCHED_SKIPS.flatMap((kind) =>
      kinds.includes(kind) ? [{ kind, cause: "no_checkout" }] : [],
    );
    for (;;) {
      at = from?.workspace;
      const place = from && { from: { repository: from.workspace, path: from.path ?? "" } };
      const page = await ports.catalog.holding(plan, { ...scope, ...place, limit: size }, { signal: ports.signal });
      const files = page.files.filter((file) => kept(file.path, file.language));
      const done = await helping(files, { ask, pattern, plan, from, tally, isLast: !page.more, ports });
      if (!done || !tally.complete) return summary(tally, { exact: false });
      if (!page.more) return summary(tally, { exact: true });
      from = behind(page.files.at(-1)!);
      size = Math.min(size * 4, LARGEST_HELPING);
    }
  } catch (error) {
    // Time limit: return what was found, marked as incomplete.
    if (!ports.signal.aborted) throw error;
    const stoppedIn = tally.files.at(-1)?.repository ?? at;
    return {
      ...summary({ ...tally, complete: false }, { exact: false }),
      ...(stoppedIn !== undefined && { stoppedIn }),
    };
  }
}

function summary(tally: LineTally, { exact }: { readonly exact: boolean }): CatalogMatches {
  return { ...tally, exact, more: !exact, filesMatched: tally.files.length };
}

/** The next file: no path sorts between a path and the same path with the lowest character appended. */
function behind({ repository, path }: CatalogedFile): GrepPosition {
  return { workspace: repository, path: `${path}\u0001`, skip: 0 };
}

interface CatalogGrep {
  readonly ask: MultiRepoGrepRequest;
  readonly pattern: Pattern;
  readonly plan: TrigramPlan;
  readonly from: GrepPosition | undefined;
  readonly tally: LineTally;
  readonly isLast: boolean;
  readonly ports: CatalogSearchPorts;
}

/** Searches the files; false if the page was full before the end. */
async function helping(files: readonly CatalogedFile[], by: CatalogGrep): Promise<boolean> {
  const { ask, tally, isLast } = by;
  // The last helping is counted to its end, so that a pattern with few candidates has its exact total.
  let size = isLast ? files.length : FIRST_TEXTS;
  for (let start = 0; start < files.length && tally.complete; start += size, size *= 2) {
    if (tally.hits.length >= ask.limit && !isLast) return false;
    await lookThrough(files.slice(start, start + size), by);
  }
  return isLast || tally.hits.length < ask.limit;
}

async function lookThrough(files: readonly CatalogedFile[], by: CatalogGrep): Promise<void> {
  const { ask, tally, plan, from, ports } = by;
  const { ignoreCase = false, literal = false, wholeWords = false, invert = false, multiline = false } = ask;
  const first = files[0]!;
  const skipped = first.repository === from?.workspace && first.path === from.path ? from.skip : 0;
  const request = {
    pattern: ask.pattern,
    options: { ignoreCase, literal, wholeWords, invert, multiline },
    plan,
    keys: files.map(({ contentHash }) => contentHash),
    offset: skipped,
    limit: Math.max(0, ask.limit - tally.hits.length),
  };
  const load = async (texts: readonly number[]) => {
    const some = texts.map((at) => files[at]!);
    return (await ports.catalog.contents("packed", some, { signal: ports.signal })).map((packed) => packed!);
  };
  const reply = await ports.scanner.scan(request, load, ports.signal);
  tally.complete = reply.complete;
  tally.files.push(...files.filter((_, at) => reply.counts[at]! > 0));
  tally.counted += Math.max(0, reply.counts.reduce((sum, count) => sum + count, 0) - skipped);
  tally.hits.push(...(await pageHits(files, reply, skipped, by)));
}

async function pageHits(
  files: readonly CatalogedFile[],
  { places }: ScanReply,
  skipped: number,
  { ask, pattern, ports }: CatalogGrep,
): Promise<MultiRepoGrepAnswer["hits"]> {
  const linesByFile = new Map<number, number[]>();
  for (const { text, line } of places) linesByFile.set(text, [...(linesByFile.get(text) ?? []), line]);
  const shown = [...linesByFile.keys()].map((at) => files[at]!);
  const limits = { signal: ports.signal };
  const [texts, records] = await Promise.all([
    ports.catalog.contents("text", shown, limits),
    ports.catalog.contents("record", shown, limits),
  ]);
  const request: GrepRequest = { ...ask, offset: 0 };
  const hits: MultiRepoGrepAnswer["hits"][number][] = [];
  for (const [i, [at, lines]] of [...linesByFile].entries()) {
    const file = files[at]!;
    const [text, record] = [texts[i], records[i]];
    // Its part of the store went out since it was searched: `Catalog.missing` names it.
    if (text === undefined || record === undefined) continue;
    const before = at === 0 ? skipped : 0;
    const definitions = indexDefinitions(record.symbols);
    const found = await hitsIn({ ...file, text, definitions }, lines, request, pattern);
    for (const [n, hit] of found.entries()) {
      const behind = { workspace: file.repository, path: file.path, skip: before + n + 1 };
      hits.push({ ...hit, workspace: file.repository, behind });
    }
  }
  return hits;
}

function indexDefinitions(symbols: readonly CodeSymbol[]): Definitions {
  const spanAt = (index: number) => symbols[index]!.span;
  return {
    symbolCount: symbols.length,
    line: (index) => spanAt(index).lineStart,
    lastLine: (index) => spanAt(index).lineEnd,
    symbol: (index) => symbols[index],
  };
}
