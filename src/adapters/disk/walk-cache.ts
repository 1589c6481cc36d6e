/**
 * What the directories of a tree held when they were last looked at, kept in a file: a directory that was not touched
 * since is not listed and its entries are not matched again. Nothing here is believed without a look at the disk.
 */
import { type BigIntStats, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { readBounded } from "../../io/bounded-read.ts";
import { isLongTurn, nextTurn } from "../../model/event-loop.ts";
import { fileStamp } from "./paths.ts";

/** A directory as it was: what of it is source under the rules of that time. */
export interface KnownDirectory {
  /** `ctimeNs:inode`; adding, removing or renaming an entry changes it, as does a change of permissions. */
  readonly stamp: string;
  /** In the order of a walk; directories end in `/`. */
  readonly entries: readonly string[];
  /** Its own ignore files with their stamps. */
  readonly ignores: readonly (readonly [name: string, stamp: string])[];
}

/** By directory: empty or ending in `/`. */
export type KnownTree = ReadonlyMap<string, KnownDirectory>;

/** File systems keep time in steps of up to 2 s: what was touched this lately may be touched again unseen. */
const SETTLED_MS = 3_000;
/** The stamp of what cannot be told apart from itself a moment later; equal to nothing. */
export const UNSETTLED = "";
const FORMAT = 3;
/** A million files take some 40 MB. */
const MAX_BYTES = 1 << 30;
/** No path holds it. */
const SEPARATOR = "\0";
/** Directories that are packed or unpacked at once: 200,000 take most of a second, and a server must answer meanwhile. */
const PAGE_DIRECTORIES = 2_048;

/** What is remembered of the tree under these rules; empty when nothing is, or when the file is damaged. */
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

/** Failing to is harmless: the next walk lists the directories again. */
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
    renameSync(draft, file);
  } catch {
    // A full disk or a data directory that cannot be written to.
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

/** Before the columns of a page: how long each is, how many entries each directory has, and what is rare. */
type PageHeader = readonly [
  lengths: readonly number[],
  counts: readonly number[],
  ignores: readonly (readonly [directory: number, KnownDirectory["ignores"]])[],
];

/** As columns: thousands of small lists take three times as long to parse. */
function packPage(page: DirectoryPage): Buffer {
  const known = page.map(([, it]) => it);
  const columns = [
    page.map(([directory]) => directory),
    known.map((it) => it.stamp),
    known.flatMap((it) => it.entries),
  ];
  const texts = columns.map((column) => Buffer.from(column.join(SEPARATOR)));
  const ignores = known.flatMap((it, at) => (it.ignores.length === 0 ? [] : [[at, it.ignores] as const]));
  const head: PageHeader = [texts.map((it) => it.length), known.map((it) => it.entries.length), ignores];
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

function unpackPage(bytes: Buffer, into: Map<string, KnownDirectory>): void {
  let at = 4 + bytes.readUInt32LE(0);
  const [lengths, counts, rare] = JSON.parse(bytes.toString("utf8", 4, at)) as PageHeader;
  const [directories, stamps, entries] = lengths.map((length) => {
    at += length;
    return bytes.toString("utf8", at - length, at).split(SEPARATOR);
  }) as [string[], string[], string[]];
  const ignores = new Map(rare);
  let next = 0;
  for (const [i, count] of counts.entries()) {
    const held = entries.slice(next, next + count);
    next += count;
    into.set(directories[i]!, { stamp: stamps[i]!, entries: held, ignores: ignores.get(i) ?? [] });
  }
}

/** One file for each tree of a store. */
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
