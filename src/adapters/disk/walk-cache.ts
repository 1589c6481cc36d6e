/**
 * The walk cache: the entries of every directory at the last walk, stored in a file. A directory that has not changed
 * since is neither listed nor matched against ignore rules again. Every entry is still checked against the disk.
 */
import { type BigIntStats, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { readBounded } from "../../io/bounded-read.ts";
import { replaceFile } from "../../io/replace-file.ts";
import { isLongTurn, nextTurn } from "../../model/event-loop.ts";
import { fileStamp } from "./paths.ts";

/** A directory at the last walk: the entries that the rules included. */
export interface KnownDirectory {
  /** `ctimeNs:inode`; changes when an entry is added, removed or renamed, and with permissions. */
  readonly stamp: string;
  /** In walk order; directories end in `/`. */
  readonly entries: readonly string[];
  /** Its own ignore files with their stamps. */
  readonly ignores: readonly (readonly [name: string, stamp: string])[];
  /** Stamp of git's index, if what it tracks decided about an entry; else empty. */
  readonly index: string;
}

/** By directory: empty or ending in `/`. */
export type KnownTree = ReadonlyMap<string, KnownDirectory>;

/** Time stamps have a resolution of up to 2 s: an entry changed more recently may change again with the same stamp. */
const SETTLED_MS = 3_000;
/** The stamp of an entry that changed too recently; never equal to another stamp. */
export const UNSETTLED = "";
const FORMAT = 4;
/** A million files take about 40 MB. */
const MAX_BYTES = 1 << 30;
/** Does not occur in paths. */
const SEPARATOR = "\0";
/** Directories that are encoded at once: 200,000 take most of a second, and a server must answer meanwhile. */
const PAGE_DIRECTORIES = 2_048;

/** Empty if there is no cache for these rules or the file is damaged. */
export async function loadWalkCache(file: string, rules: string): Promise<KnownTree> {
  try {
    const read = readBounded(file, MAX_BYTES);
    if (!("bytes" in read)) return new Map();
    const { bytes } = read;
    return bytes.readUInt32LE(0) === crc32(bytes.subarray(4)) ? await unpack(bytes, rules) : new Map();
  } catch {
    return new Map();
  }
}

/** Failing is harmless: the next walk lists the directories again. */
export async function saveWalkCache(file: string, rules: string, tree: KnownTree): Promise<void> {
  try {
    const pages = [withLength(Buffer.from(JSON.stringify([FORMAT, rules])))];
    for (const page of splitPages(tree)) {
      pages.push(withLength(packPage(page)));
      if (isLongTurn()) await nextTurn();
    }
    const body = Buffer.concat(pages);
    const sum = Buffer.alloc(4);
    sum.writeUInt32LE(crc32(body));
    const draft = `${file}.${process.pid}.new`;
    writeFileSync(draft, Buffer.concat([sum, body]), { mode: 0o600 });
    replaceFile(draft, file);
  } catch {
    // A full disk or a read-only data directory.
  }
}

type DirectoryPage = readonly (readonly [directory: string, known: KnownDirectory])[];

function* splitPages(tree: KnownTree): Generator<DirectoryPage> {
  let page: [string, KnownDirectory][] = [];
  for (const directory of tree) {
    page.push(directory);
    if (page.length < PAGE_DIRECTORIES) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

function withLength(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** Precedes the columns of a page: byte lengths, entries per directory, and what only a few directories have. */
type PageHeader = readonly [
  lengths: readonly number[],
  counts: readonly number[],
  rare: readonly (readonly [directory: number, KnownDirectory["ignores"], index: string])[],
];

/** Stored as columns: parsing thousands of small lists takes three times as long. */
function packPage(page: DirectoryPage): Buffer {
  const known = page.map(([, it]) => it);
  const columns = [
    page.map(([directory]) => directory),
    known.map((it) => it.stamp),
    known.flatMap((it) => it.entries),
  ];
  const texts = columns.map((column) => Buffer.from(column.join(SEPARATOR)));
  const rare = known.flatMap((it, at) =>
    it.ignores.length === 0 && it.index === "" ? [] : [[at, it.ignores, it.index] as const],
  );
  const head: PageHeader = [texts.map((it) => it.length), known.map((it) => it.entries.length), rare];
  return Buffer.concat([withLength(Buffer.from(JSON.stringify(head))), ...texts]);
}

async function unpack(bytes: Buffer, rules: string): Promise<KnownTree> {
  const tree = new Map<string, KnownDirectory>();
  let at = 4;
  const next = () => {
    const end = at + 4 + bytes.readUInt32LE(at);
    const part = bytes.subarray(at + 4, end);
    at = end;
    return part;
  };
  const [format, madeUnder] = JSON.parse(next().toString("utf8")) as readonly [number, string];
  if (format !== FORMAT || madeUnder !== rules) return tree;
  while (at < bytes.length) {
    unpackPage(next(), tree);
    if (isLongTurn()) await nextTurn();
  }
  return tree;
}

const NOTHING_SPECIAL = { ignores: [], index: "" };

function unpackPage(bytes: Buffer, into: Map<string, KnownDirectory>): void {
  let at = 4 + bytes.readUInt32LE(0);
  const [lengths, counts, rare] = JSON.parse(bytes.toString("utf8", 4, at)) as PageHeader;
  const [directories, stamps, entries] = lengths.map((length) => {
    at += length;
    return bytes.toString("utf8", at - length, at).split(SEPARATOR);
  }) as [string[], string[], string[]];
  const special = new Map(rare.map(([directory, ignores, index]) => [directory, { ignores, index }]));
  let next = 0;
  for (const [i, count] of counts.entries()) {
    const held = entries.slice(next, next + count);
    next += count;
    into.set(directories[i]!, { stamp: stamps[i]!, entries: held, ...(special.get(i) ?? NOTHING_SPECIAL) });
  }
}

/** One cache file per tree of a store. */
export function walkCacheFile(directory: string, root: string): string {
  const sums = [crc32(root), crc32(`${root}\0`)].map((sum) => sum.toString(16).padStart(8, "0"));
  return join(directory, `tree-${sums.join("")}.known`);
}

export function directoryStamp(stats: BigIntStats): string {
  return isSettled(stats.ctimeMs) ? `${stats.ctimeNs}:${stats.ino}` : UNSETTLED;
}

export function ignoreStamp(lstat: () => BigIntStats): string {
  try {
    const stats = lstat();
    return isSettled(stats.ctimeMs) ? `${fileStamp(stats)}:${stats.ctimeNs}` : UNSETTLED;
  } catch {
    return UNSETTLED;
  }
}

function isSettled(changedMs: bigint): boolean {
  return Date.now() - Number(changedMs) > SETTLED_MS;
}
