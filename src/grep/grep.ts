/**
 * Searches a view for a pattern: selects files that can match, counts matching lines in each, and reads the lines of
 * one page. Equal to ripgrep on the same files; files that are not searched are counted.
 */
import { isLongTurn, nextTurn } from "../model/event-loop.ts";
import {
  type GrepAnswer,
  type GrepHit,
  type GrepRequest,
  type GrepScopeRequest,
  type NotSearched,
  type PatternOptions,
  type SearchedSkip,
  sumNotSearched,
  type TrigramPlan,
} from "../model/grep.ts";
import type { LoadedText, LoadTexts, Scanner, ScanPosition, ScanReply } from "../ports/scanner.ts";
import type { FileRow, Snapshot } from "../ports/snapshot.ts";
import { Pattern } from "../regex/pattern.ts";
import { trigramPlan } from "../regex/plan.ts";
import { decode } from "../text/decode.ts";
import { maskSecrets } from "../text/mask-secrets.ts";
import { globFilter } from "./glob.ts";
import { hitsIn } from "./hit.ts";

export interface GrepPorts {
  readonly snapshot: Snapshot;
  readonly scanner: Scanner;
  readonly skipped: SkippedFiles;
  readonly memo: GrepMemo;
  readonly signal?: AbortSignal;
}

/** A file of the index, or one that the indexer skips. */
type GrepCandidate = { readonly row: FileRow } | { readonly skipped: SkippedFile };

export async function grep(ask: GrepRequest, ports: GrepPorts): Promise<GrepAnswer> {
  const pattern = new Pattern(ask.pattern, ask);
  const scope = compileScope(ask);
  const plan = filePlan(pattern, ask);
  if (isLongTurn()) await nextTurn();
  const indexed = (await ports.snapshot.holding(plan)).filter((row) => scope(row.path, row.language));
  const { files: skipped, notSearched } = await ports.skipped.list(scope);
  const candidates = merged(indexed, skipped);
  const unreadable = new Set<SkippedFile>();
  const reply = await counted(ask, plan, candidates, { ...ports, unreadable });
  const total = reply.counts.reduce((sum, count) => sum + count, 0);
  return {
    hits: await fileHits(ask, pattern, candidates, reply.places, ports),
    total,
    files: candidates.flatMap((file, at) => {
      const lines = reply.counts[at]!;
      return lines > 0 ? [{ path: filePath(file), lines }] : [];
    }),
    filesSearched: (await inScope(ports.snapshot, ask, scope)) + skipped.length - unreadable.size,
    notSearched: sumNotSearched([...notSearched, ...[...unreadable].map(asNotSearched)]),
    complete: reply.complete,
  };
}

/** A line without the pattern may be in any file. */
export function filePlan({ node }: Pattern, { invert }: PatternOptions): TrigramPlan {
  return invert === true ? { op: "any" } : trigramPlan(node);
}

/** Paths of the files that a search of the same scope reads, sorted. */
export async function searchedFiles(ask: GrepScopeRequest, ports: GrepPorts): Promise<string[]> {
  const scope = compileScope(ask);
  const rows = (await ports.snapshot.files()).filter((row) => scope(row.path, row.language));
  return merged(rows, (await ports.skipped.list(scope)).files).map(filePath);
}

function asNotSearched({ kind }: SkippedFile): NotSearched {
  return { kind, cause: "unreadable", files: 1 };
}

type GrepScope = (path: string, language: string) => boolean;

export function compileScope({ under = "", languages, globs = [] }: GrepScopeRequest): GrepScope {
  const folder = under.replace(/^(\.?\/)+|\/+$/g, "").replace(/^\.$/, "");
  const kept = globFilter(globs);
  return (path, language) => {
    if (languages !== undefined && !languages.includes(language)) return false;
    if (folder !== "" && path !== folder && !path.startsWith(`${folder}/`)) return false;
    return globs.length === 0 || kept(path);
  };
}

async function inScope(
  { files, info }: Snapshot,
  { under, languages, globs }: GrepRequest,
  scope: GrepScope,
): Promise<number> {
  if (!under && languages === undefined && globs === undefined) return info.fileCount;
  return (await files()).filter((row) => scope(row.path, row.language)).length;
}

function filePath(file: GrepCandidate): string {
  return "row" in file ? file.row.path : file.skipped.path;
}

function cacheKey(file: GrepCandidate): string {
  return "row" in file ? file.row.contentHash : file.skipped.key;
}

function merged(indexed: readonly FileRow[], files: readonly SkippedFile[]): GrepCandidate[] {
  const rows = indexed.map((row): GrepCandidate => ({ row }));
  if (files.length === 0) return rows;
  const all = [...rows, ...files.map((skipped): GrepCandidate => ({ skipped }))];
  return all.sort((a, b) => (filePath(a) < filePath(b) ? -1 : 1));
}

interface CountPorts extends GrepPorts {
  /** Collects the skipped files whose content could not be read. */
  readonly unreadable: Set<SkippedFile>;
}

/** Counts of all candidates and places of the page; a later page of the same search reuses the counts. */
async function counted(
  ask: GrepRequest,
  plan: TrigramPlan,
  candidates: readonly GrepCandidate[],
  ports: CountPorts,
): Promise<ScanReply> {
  const {
    pattern,
    ignoreCase = false,
    literal = false,
    wholeWords = false,
    invert = false,
    multiline = false,
    offset,
    limit,
  } = ask;
  const options = { ignoreCase, literal, wholeWords, invert, multiline };
  const keys = candidates.map(cacheKey);
  const load = createLoader(candidates, ports);
  const scan = { pattern, options, plan, largestText: largestSkippedFile(candidates) };
  const known = ports.memo.find([pattern, options], keys);
  if (known === undefined) {
    const reply = await ports.scanner.scan({ ...scan, keys, offset, limit }, load, ports.signal);
    // Content that could not be read now may be readable for the next page.
    if (ports.unreadable.size === 0) ports.memo.keep([pattern, options], keys, reply);
    return reply;
  }
  const { from, to, skipped } = stretch(known.counts, offset, limit);
  const request = { ...scan, keys: keys.slice(from, to), offset: offset - skipped, limit };
  const page = await ports.scanner.scan(request, (texts) => load(texts.map((at) => at + from)), ports.signal);
  return { ...known, places: page.places.map(({ text, line }) => ({ text: text + from, line })) };
}

function largestSkippedFile(candidates: readonly GrepCandidate[]): number {
  return candidates.reduce((most, file) => ("row" in file ? most : Math.max(most, file.skipped.size)), 0);
}

/** The texts with the page's lines, and how many matching lines precede them. */
function stretch(counts: Uint32Array, offset: number, limit: number) {
  let from = 0;
  let skipped = 0;
  while (from < counts.length && skipped + counts[from]! <= offset) skipped += counts[from++]!;
  let to = from;
  for (let seen = skipped; to < counts.length && seen < offset + limit; to++) seen += counts[to]!;
  return { from, to, skipped };
}

/** Skipped files that are read at once: enough to keep the source busy, few enough to stop soon when cancelled. */
const READ_AT_ONCE = 16;

function createLoader(candidates: readonly GrepCandidate[], ports: CountPorts): LoadTexts {
  const { snapshot, skipped, unreadable, signal } = ports;
  const readOne = async (file: SkippedFile): Promise<LoadedText> => {
    const bytes = await skipped.read(file);
    if (bytes === undefined) unreadable.add(file);
    return bytes && { bytes, masksSecrets: skipped.masksSecrets };
  };
  return async (texts) => {
    const requested = texts.map((at) => candidates[at]!);
    const packed = await snapshot.packed(requested.flatMap((file) => ("row" in file ? [file.row] : [])));
    const files = requested.flatMap((file) => ("row" in file ? [] : [file.skipped]));
    const read: LoadedText[] = [];
    for (let from = 0; from < files.length; from += READ_AT_ONCE) {
      signal?.throwIfAborted();
      read.push(...(await Promise.all(files.slice(from, from + READ_AT_ONCE).map(readOne))));
    }
    let [nextRow, nextSkipped] = [0, 0];
    return requested.map((file) => ("row" in file ? packed[nextRow++] : read[nextSkipped++]));
  };
}

async function fileHits(
  ask: GrepRequest,
  pattern: Pattern,
  candidates: readonly GrepCandidate[],
  places: readonly ScanPosition[],
  { snapshot, skipped, signal }: GrepPorts,
): Promise<GrepHit[]> {
  const hits: GrepHit[] = [];
  for (let i = 0; i < places.length; ) {
    const at = places[i]!.text;
    const file = candidates[at]!;
    const lines: number[] = [];
    for (; i < places.length && places[i]!.text === at; i++) lines.push(places[i]!.line);
    signal?.throwIfAborted();
    const text = "row" in file ? await snapshot.text(file.row) : await readText(file.skipped, skipped);
    if (isLongTurn()) await nextTurn();
    const definitions = "row" in file ? await snapshot.frame(file.row) : undefined;
    if (isLongTurn()) await nextTurn();
    const shown = { ...("row" in file ? file.row : file.skipped), text, definitions };
    hits.push(...(await hitsIn(shown, lines, ask, pattern)));
  }
  return hits;
}

async function readText(file: SkippedFile, files: SkippedFiles): Promise<string> {
  const bytes = await files.read(file);
  const text = (bytes && decode(bytes)?.text) ?? "";
  return files.masksSecrets ? maskSecrets(text) : text;
}

interface CachedCount {
  readonly keys: readonly string[];
  readonly reply: ScanReply;
}

const MOST = 16;

export class GrepMemo {
  private readonly known = new Map<string, CachedCount>();

  /** The answer to the same search over the same texts. */
  find(question: readonly unknown[], keys: readonly string[]): ScanReply | undefined {
    const found = this.known.get(JSON.stringify(question));
    if (found === undefined || found.keys.length !== keys.length) return undefined;
    return found.keys.every((key, i) => key === keys[i]) ? found.reply : undefined;
  }

  keep(question: readonly unknown[], keys: readonly string[], reply: ScanReply): void {
    const name = JSON.stringify(question);
    this.known.delete(name);
    this.known.set(name, { keys, reply });
    for (const oldest of this.known.keys()) {
      if (this.known.size <= MOST) return;
      this.known.delete(oldest);
    }
  }
}

export interface SkippedFile {
  readonly path: string;
  readonly language: string;
  /** Why it is skipped. */
  readonly kind: SearchedSkip;
  /** Changes with the content; equal keys mean equal content. */
  readonly key: string;
  readonly size: number;
}

export interface SkippedFileList {
  /** Sorted by path. */
  readonly files: readonly SkippedFile[];
  readonly notSearched: readonly NotSearched[];
}

export interface SkippedFiles {
  /** Tokens and private keys in the texts are masked before they are searched or shown. */
  readonly masksSecrets: boolean;
  /** The files that a search may read, and how many of the scope it may not. */
  list(inScope: (path: string, language: string) => boolean): Promise<SkippedFileList>;
  /** Undefined when the content cannot be read. */
  read(file: SkippedFile): Promise<Uint8Array | undefined>;
}
