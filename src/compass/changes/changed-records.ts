/** What changed files hold, both sides: from the store where it has the content, parsed by the workers where not. */
import { chooseBatchLimits, cutBatches } from "../../ingest/batches.ts";
import { classifyText } from "../../ingest/classify.ts";
import { extractorId } from "../../ingest/extractor.ts";
import { detectLanguage } from "../../languages/index.ts";
import type { FileChange, FileSide } from "../../model/changes.ts";
import { type FileRecord, isParseFailure, PARSE_GAVE_UP, type SkipReason } from "../../model/code.ts";
import { inTurns } from "../../model/event-loop.ts";
import type { ContentHash, Hash, IdSource, ProjectId } from "../../model/ids.ts";
import type { IndexSettings } from "../../ports/indexer.ts";
import type { Parsers, ReadTask } from "../../ports/parsers.ts";
import type { Store } from "../../ports/store.ts";
import type { VersionKey } from "../../ports/versions.ts";
import { decode } from "../../text/decode.ts";
import { lineStarts } from "../../text/lines.ts";
import type { ChangedContent, SideContent } from "./changed-contents.ts";

export interface RecordPorts {
  readonly hash: Hash;
  readonly parsers: Parsers;
  readonly settings: IndexSettings;
  readonly store: Store;
  readonly records: RecordCache;
}

export interface ReadSides {
  readonly before?: FileSide;
  readonly after?: FileSide;
  readonly skipped?: FileChange["skipped"];
}

interface RecordContext {
  readonly root: string;
  readonly ports: RecordPorts;
  readonly ids: IdSource;
  readonly signal: AbortSignal;
}

/** One for each changed file, in their order. */
export async function readChangedRecords(
  contents: readonly ChangedContent[],
  context: RecordContext,
): Promise<ReadSides[]> {
  const keyed = (path: string, content: SideContent | undefined): Side =>
    content instanceof Uint8Array ? { key: versionKey(path, content, context.ports), bytes: content } : content;
  const sides = await inTurns(contents, ({ path, renamedFrom, before, after }) => ({
    before: keyed(renamedFrom ?? path, before),
    after: keyed(path, after),
  }));
  const unknown = sides.flatMap(({ before, after }) => [before, after]).filter((side) => typeof side === "object");
  const found = await lookUp(unknown, context);
  return inTurns(sides, ({ before, after }) => joinSides(readSide(before, found), readSide(after, found)));
}

interface KeyedContent {
  readonly key: VersionKey;
  readonly bytes: Uint8Array;
}

type Skipped = NonNullable<FileChange["skipped"]>;
type Side = KeyedContent | Skipped | undefined;

function versionKey(path: string, bytes: Uint8Array, { hash, settings }: RecordPorts): VersionKey {
  return { path, contentHash: hash(bytes) as ContentHash, extractor: extractorId(settings) };
}

/** Of a file that is read on one side only, all symbols would seem added or deleted. */
function joinSides(before: FileSide | Skipped | undefined, after: FileSide | Skipped | undefined): ReadSides {
  const skipped = [after, before].find((side) => typeof side === "string");
  if (skipped !== undefined) return { skipped };
  return { ...(typeof before === "object" && { before }), ...(typeof after === "object" && { after }) };
}

type RecordsByPath = ReadonlyMap<string, FileRecord | SkipReason>;

async function lookUp(keyed: readonly KeyedContent[], context: RecordContext): Promise<RecordsByPath> {
  const { store, records: cache } = context.ports;
  const found = new Map<string, FileRecord | SkipReason>();
  const missing: KeyedContent[] = [];
  for (const it of keyed) {
    const known = cache.get(keyText(it.key));
    if (known === undefined) missing.push(it);
    else found.set(keyText(it.key), known);
  }
  // A damaged or missing index has no records; the contents are read already.
  const stored = await store.records(missing.map(({ key }) => key)).catch(() => new Map<string, FileRecord>());
  for (const [key, record] of stored) found.set(key, record);
  const unread = missing.filter(({ key }) => !found.has(keyText(key)));
  const plain = await inTurns(unread, (it) => plainRecord(it, context.ports.settings));
  for (const [at, record] of plain.entries()) if (record !== undefined) found.set(keyText(unread[at]!.key), record);
  const code = unread.filter((_, at) => plain[at] === undefined);
  for (const [key, record] of await parseContents(code, context)) {
    found.set(key, record);
    if (typeof record === "string" || !isUnparsed(record)) cache.set(key, record);
  }
  return found;
}

/**
 * Undefined: it has to be parsed. Hidden files are in no index and change often, `.gitignore` for one: to wake a worker
 * for a text without symbols would take longer than all the rest of the answer.
 */
function plainRecord({ key, bytes }: KeyedContent, settings: IndexSettings): FileRecord | SkipReason | undefined {
  const text = decode(bytes)?.text;
  if (text === undefined) return "binary";
  const { id, grammar, read } = detectLanguage(key.path, text);
  if (grammar !== undefined || read !== undefined) return undefined;
  const lineCount = lineStarts(text).length;
  const skip = classifyText({ path: key.path, text, lineCount, isCode: false }, settings);
  const { path, contentHash } = key;
  const nothing = { symbols: [], chunks: [], problems: [] };
  return skip ?? { path, contentHash, language: id, lineCount, byteCount: bytes.length, ...nothing };
}

async function parseContents(unread: readonly KeyedContent[], context: RecordContext): Promise<RecordsByPath> {
  const { parsers, settings } = context.ports;
  const tasks = unread.map(({ key, bytes }): ReadTask => ({ path: key.path, size: bytes.length, bytes }));
  const batches = cutBatches(tasks, parsers.capacity(settings), chooseBatchLimits(parsers));
  const { root, signal } = context;
  const project: ProjectId = context.ids.project;
  const none = async () => new Set<string>();
  const results = await Promise.all(
    batches.map((batch) =>
      parsers.read({ root, project, settings, tasks: batch, purpose: "records", known: none, signal }),
    ),
  );
  const found = new Map<string, FileRecord | SkipReason>();
  for (const { records } of results)
    for (const record of records ?? []) found.set(recordKeyText(record, settings), record);
  // Batches are cut in an order of their own; within one, outcomes are in the order of its tasks.
  const keys = new Map(tasks.map((task, at) => [task, unread[at]!.key]));
  for (const [at, { outcomes }] of results.entries()) {
    for (const [i, outcome] of outcomes.entries())
      if ("skip" in outcome) found.set(keyText(keys.get(batches[at]![i]!)!), outcome.skip);
  }
  return found;
}

function keyText({ contentHash, extractor, path }: VersionKey): string {
  return `${contentHash}\0${extractor}\0${path}`;
}

function recordKeyText({ contentHash, path }: FileRecord, settings: IndexSettings): string {
  return keyText({ contentHash, path, extractor: extractorId(settings) });
}

function isUnparsed({ problems }: FileRecord): boolean {
  return problems.some(({ kind }) => isParseFailure(kind));
}

function readSide(side: Side, found: RecordsByPath): FileSide | Skipped | undefined {
  if (typeof side !== "object") return side;
  const record = found.get(keyText(side.key));
  if (typeof record === "string") return record;
  if (record !== undefined && isUnparsed(record)) return PARSE_GAVE_UP;
  const text = decode(side.bytes)?.text;
  return record === undefined || text === undefined ? "binary" : { record, text };
}

/** A record of a common file takes some tens of kilobytes. */
const MOST_SYMBOLS = 100_000;

export class RecordCache {
  readonly #held = new Map<string, FileRecord | SkipReason>();
  #symbols = 0;

  clear(): void {
    this.#held.clear();
    this.#symbols = 0;
  }

  get(key: string): FileRecord | SkipReason | undefined {
    return this.#held.get(key);
  }

  /** The oldest leave first. */
  set(key: string, record: FileRecord | SkipReason): void {
    if (this.#held.has(key)) return;
    this.#held.set(key, record);
    this.#symbols += weigh(record);
    for (const [oldest, one] of this.#held) {
      if (this.#symbols <= MOST_SYMBOLS) return;
      this.#held.delete(oldest);
      this.#symbols -= weigh(one);
    }
  }
}

function weigh(record: FileRecord | SkipReason): number {
  return typeof record === "string" ? 1 : 1 + record.symbols.length;
}
