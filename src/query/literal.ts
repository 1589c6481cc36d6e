/**
 * Where the text of a query occurs word for word. A name or a quoted phrase that occurs ranks every result that holds it above
 * every result that does not; one that does not occur is reported as absent.
 */
import type { FileFrame } from "../model/code.ts";
import { DATA_KINDS } from "../model/kinds.ts";
import type { FileRow, Limits, Snapshot } from "../ports/snapshot.ts";
import { fold, isWordUnit } from "../text/identifiers.ts";
import { literalPlan } from "../text/trigrams.ts";
import { inScope, matchedDefinition, type QueryScope, type RankingCandidate } from "./candidate.ts";
import { isLiteral, type NameQuery, qualifierMatch } from "./parsed-query.ts";
import { pathClasses } from "./path-class.ts";
import { beginOfLine } from "./snippet-symbol.ts";

/** How a candidate holds the literal: defines it, contains it (`names`: in a file of this name), in another case, or not. */
export type LiteralRank = "defines" | "names" | "contains" | "folded" | "none";

export interface LiteralQuery {
  /** As it has to occur; at least three characters. */
  readonly text: string;
  /** Absent: a phrase. */
  readonly name?: NameQuery;
}

/** The literal's occurrences, and the candidates with `literal` set. */
export interface LiteralMatches {
  /** Undefined: too many files to say that it does not occur. */
  readonly isPresent: boolean | undefined;
  /** It occurs by itself, not only inside longer names. */
  readonly isWhole: boolean;
  readonly symbols: readonly RankingCandidate[];
  readonly texts: readonly RankingCandidate[];
}

/** Whether what the query spells like code occurs in the view; without `match`: it has none, or too many files were left. */
export interface LiteralPresence {
  readonly match?: "present" | "absent";
  /** The names and phrases that do not occur. */
  readonly missing?: readonly string[];
  /** Symbol names that resemble them, nearest first. */
  readonly didYouMean?: readonly string[];
}

/** Files whose text is compared. A name in more files is common, and its best results are among these. */
const MAX_READ = 48;
/** Files that are read to find out whether a text occurs at all. */
const MAX_SCANNED = 1_000;
/** Files with a plain word that are read: whether 1,000 have it only inside longer words takes 300 ms and ranks alike. */
const MAX_READ_WORD = 96;
/** Files that are read at once: a remote store fetches them in one round trip. */
const BATCH = 16;
/** Chunks that are added because they hold the literal although their words did not bring them. */
const MAX_ADDED = 150;

export interface LiteralLists {
  readonly symbols: readonly RankingCandidate[];
  readonly texts: readonly RankingCandidate[];
}

interface LiteralSearch {
  readonly literal: LiteralQuery;
  readonly lists: LiteralLists;
  readonly scope: QueryScope;
  readonly at: Snapshot;
  readonly limits: Limits;
}

export async function matchLiteral(search: LiteralSearch): Promise<LiteralMatches> {
  const { literal, lists } = search;
  const found = await matchText(search);
  const { name } = literal;
  // `Foo.bar` need not occur in these words where `bar` of `Foo` is defined.
  const isOwned = name !== undefined && name.qualifier.length > 0 && lists.symbols.some((it) => defines(it, name));
  if (found.isPresent !== false || !isOwned || !isLiteral(name.name)) return found;
  const again = await matchText({ ...search, literal: { ...literal, text: name.name } });
  return { ...again, isPresent: true };
}

async function matchText({ literal, lists, scope, at, limits }: LiteralSearch): Promise<LiteralMatches> {
  const holding = (await at.holding(literalPlan(literal.text), limits)).filter((file) => inScope(file, scope));
  const order = readingOrder(holding, [...lists.symbols, ...lists.texts]);
  const found = new Map<string, Occurrences>();
  let read = 0;
  let isWhole = lists.symbols.some((it) => literal.name !== undefined && defines(it, literal.name));
  const isCommon = isPlainWord(literal.text);
  const isPartOfWords = !isWhole && (await isNoWord(literal.text, at));
  const isSettled = () => isWhole || (found.size > 0 && (isPartOfWords || (isCommon && read >= MAX_READ_WORD)));
  while (read < holding.length && (read < MAX_READ || (!isSettled() && read < MAX_SCANNED))) {
    limits.signal?.throwIfAborted();
    const batch = order(read, read + BATCH);
    const opened = await Promise.all(batch.map((file) => occurrencesIn(file, literal.text, at)));
    for (const it of opened) {
      if (it === undefined) continue;
      found.set(it.file.path, it);
      isWhole ||= it.isWhole;
    }
    read += batch.length;
  }
  const unread = read < holding.length ? new Set(order(read).map(({ path }) => path)) : NO_PATHS;
  const judge = (it: RankingCandidate) => ({ ...it, literal: rankOf(it, literal, found, unread) });
  const symbols = lists.symbols.map(judge);
  const texts = namesakesMarked([...lists.texts.map(judge), ...furtherChunks(found.values(), lists.texts)], literal);
  const isNamed = [...symbols, ...texts].some((it) => it.literal !== "none" && it.literal !== "folded");
  isWhole ||= texts.some((it) => it.literal === "names");
  const isPresent = isNamed || found.size > 0 ? true : unread.size > 0 ? undefined : false;
  isWhole ||= isPresent === true && unread.size > 0 && !isPartOfWords;
  return { isPresent, isWhole, symbols, texts };
}

/** Whether no chunk has the text as a word of its own, which the index knows of single words. */
async function isNoWord(text: string, at: Snapshot): Promise<boolean> {
  if (!/^\w+$/.test(text)) return false;
  const term = fold(text);
  return (await at.termStats([term])).documentFrequency.get(term) === 0;
}

/** Whether the text occurs in the scope; undefined: too many files to say. */
export async function occurs(text: string, scope: QueryScope, at: Snapshot): Promise<boolean | undefined> {
  const files = (await at.holding(literalPlan(text))).filter((file) => inScope(file, scope));
  for (let read = 0; read < Math.min(files.length, MAX_SCANNED); read += BATCH) {
    const batch = files.slice(read, read + BATCH);
    const found = await Promise.all(batch.map(async (file) => spelling(await at.text(file), text) !== undefined));
    if (found.includes(true)) return true;
  }
  return files.length > MAX_SCANNED ? undefined : false;
}

const NO_PATHS: ReadonlySet<string> = new Set();

/**
 * Slices of the files: those of the best candidates first, then plain source before tests and other files; by path. The first
 * ones answer most queries, so the thousands of others are sorted only when they are reached. A slice without an end is not sorted.
 */
function readingOrder(
  holding: readonly FileRow[],
  candidates: readonly RankingCandidate[],
): (from: number, to?: number) => readonly FileRow[] {
  const places = new Map<string, number>();
  for (const { file } of candidates) if (!places.has(file.path)) places.set(file.path, places.size);
  const [near, far]: [FileRow[], FileRow[]] = [[], []];
  for (const file of holding) (places.has(file.path) ? near : far).push(file);
  near.sort((a, b) => places.get(a.path)! - places.get(b.path)!);
  let all: readonly FileRow[] | undefined;
  return (from, to) => {
    if (to !== undefined && to <= near.length) return near.slice(from, to);
    if (to === undefined) return (all ?? [...near, ...far]).slice(from);
    all ??= [...near, ...plainFirst(far)];
    return all.slice(from, to);
  };
}

function plainFirst(files: readonly FileRow[]): readonly FileRow[] {
  return files
    .map((file) => ({ file, classes: pathClasses(file.path).length }))
    .sort((a, b) => a.classes - b.classes)
    .map(({ file }) => file);
}

/** Where a file holds the literal. */
interface Occurrences {
  readonly file: FileRow;
  /** 1-based, ascending. */
  readonly lines: readonly number[];
  readonly chunks: ReadonlySet<number>;
  readonly rank: "contains" | "folded";
  /** Not only inside longer names. */
  readonly isWhole: boolean;
}

async function occurrencesIn(file: FileRow, literal: string, at: Snapshot): Promise<Occurrences | undefined> {
  const text = await at.text(file);
  const rank = spelling(text, literal);
  if (rank === undefined) return undefined;
  const frame = await at.frame(file);
  const compared = rank === "exact" ? text : text.toLowerCase();
  // A few letters change their length in lower case; lines stay what they are.
  const { lines, isWhole } = linesOf(compared, literal, compared.length === text.length ? frame : undefined);
  const isContained = rank === "exact" || isPlainWord(literal);
  return { file, lines, isWhole, rank: isContained ? "contains" : "folded", chunks: chunksWith(frame, lines) };
}

/** How the text has the literal, if it does. */
function spelling(text: string, literal: string): "exact" | "folded" | undefined {
  if (text.includes(literal)) return "exact";
  return ignoresCase(literal) && text.toLowerCase().includes(literal) ? "folded" : undefined;
}

/** Chunks and lines both ascend. */
function chunksWith(frame: FileFrame, lines: readonly number[]): Set<number> {
  const chunks = new Set<number>();
  let next = 0;
  for (let i = 0; i < frame.chunkCount && next < lines.length; i++) {
    const { lineStart, lineEnd } = frame.chunk(i)!;
    while (next < lines.length && lines[next]! < lineStart) next++;
    if (next < lines.length && lines[next]! <= lineEnd) chunks.add(i);
  }
  return chunks;
}

/** Chunks with the literal that their words did not bring: it may be part of a longer word. */
function furtherChunks(found: Iterable<Occurrences>, known: readonly RankingCandidate[]): RankingCandidate[] {
  const seen = new Set(known.map(({ file, at }) => `${at} ${file.path}`));
  const added: RankingCandidate[] = [];
  for (const { file, chunks, rank } of found) {
    for (const at of chunks) {
      if (added.length === MAX_ADDED) return added;
      if (seen.has(`${at} ${file.path}`)) continue;
      const how = "contains the query word for word";
      added.push({ type: "snippet", retriever: "text", file, at, strength: 0, how, bm25: 0, literal: rank });
    }
  }
  return added;
}

/** Lines that are noted per file. */
const MAX_LINES = 500;

/** Lines are counted from the symbol before an occurrence, if the symbols are known. */
function linesOf(text: string, literal: string, frame?: FileFrame): { lines: number[]; isWhole: boolean } {
  const lines: number[] = [];
  let isWhole = false;
  let line = 1;
  let from = 0;
  let symbol = 0;
  for (let at = text.indexOf(literal); at >= 0 && lines.length < MAX_LINES; at = text.indexOf(literal, at + 1)) {
    while (frame !== undefined && symbol < frame.symbolCount && frame.start(symbol) <= at) symbol++;
    const anchor = symbol === 0 ? 0 : beginOfLine(text, frame!.start(symbol - 1));
    if (anchor > from) [line, from] = [frame!.line(symbol - 1), anchor];
    for (let end = text.indexOf("\n", from); end >= 0 && end < at; end = text.indexOf("\n", from)) {
      line++;
      from = end + 1;
    }
    if (lines.at(-1) !== line) lines.push(line);
    isWhole ||= !isInside(text, at, literal);
  }
  return { lines, isWhole };
}

/** Whether the text is part of a longer name. */
function isInside(text: string, at: number, literal: string): boolean {
  const end = at + literal.length;
  const joins = (a: number, b: number) => isWordUnit(a) && isWordUnit(b);
  const before = at > 0 && joins(text.charCodeAt(at - 1), literal.charCodeAt(0));
  return before || (end < text.length && joins(text.charCodeAt(end - 1), text.charCodeAt(end)));
}

/** Smart case, as in ripgrep: text without capitals matches any case. */
export function ignoresCase(text: string): boolean {
  return !/\p{Lu}/u.test(text);
}

/** A word that says nothing of how it is spelt in code: `blueprint` is answered by `Blueprint`. */
function isPlainWord(text: string): boolean {
  return /^\p{Ll}+$/u.test(text);
}

function rankOf(
  it: RankingCandidate,
  { text, name }: LiteralQuery,
  found: ReadonlyMap<string, Occurrences>,
  unread: ReadonlySet<string>,
): LiteralRank {
  if (name !== undefined && defines(it, name) && !isOfData(it)) return "defines";
  const { path } = it.file;
  const inFile = found.get(path);
  if (inFile !== undefined && holds(it, inFile)) return inFile.rank;
  if (path.includes(text)) return "contains";
  // Not compared: below what is known to hold the text, above what is known not to.
  return unread.has(path) || (ignoresCase(text) && definesFolded(it, text)) ? "folded" : "none";
}

function isOfData(it: RankingCandidate): boolean {
  const kind = matchedDefinition(it)?.kind;
  return kind !== undefined && DATA_KINDS.has(kind);
}

/** `Changeset` is answered by `changeset.ex`, which need not define a symbol of this very name: by its best chunk. */
function namesakesMarked(texts: readonly RankingCandidate[], { text, name }: LiteralQuery): RankingCandidate[] {
  const marked = new Set<string>();
  return texts.map((it) => {
    const { path } = it.file;
    if (name === undefined || it.literal !== "contains" || marked.has(path) || !isNamed(path, text)) return it;
    marked.add(path);
    return { ...it, literal: "names" };
  });
}

function isNamed(path: string, text: string): boolean {
  const base = path.slice(path.lastIndexOf("/") + 1);
  return withoutJoints(base.replace(/\.[^.]*$/, "")) === withoutJoints(text);
}

function withoutJoints(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, "");
}

function holds({ type, at, opened }: RankingCandidate, { lines, chunks }: Occurrences): boolean {
  if (type === "snippet") return chunks.has(at);
  const span = type === "symbol" ? opened?.symbol?.span : undefined;
  return span === undefined || lines.some((line) => span.lineStart <= line && line <= span.lineEnd);
}

/** Whether the candidate is a definition of the name, under the owner that the query gives. */
export function defines(it: RankingCandidate, name: NameQuery): boolean {
  const symbol = matchedDefinition(it);
  if (symbol === undefined) return false;
  if (symbol.name === name.spellings[0]) return true;
  if (!name.spellings.includes(symbol.name) && !(isPlainWord(name.name) && definesFolded(it, name.name))) return false;
  return name.qualifier.length === 0 || qualifierMatch(symbol.qualifiedName, name) > 0;
}

function definesFolded(it: RankingCandidate, text: string): boolean {
  return matchedDefinition(it)?.name.toLowerCase() === text.toLowerCase();
}
