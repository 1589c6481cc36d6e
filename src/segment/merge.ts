/** Merges segments into one and drops unused files. The order of the other files is kept. */
import { packSections } from "./format.ts";
import { type Dictionary, DictionaryWriter, type Postings, PostingsWriter } from "./lists.ts";
import { keptModules, mentionSections } from "./mentions.ts";
import type { Segment } from "./read.ts";
import { mergeTrigrams } from "./trigrams.ts";

export interface MergeInput {
  readonly segment: Segment;
  readonly keep: (file: number) => boolean;
}

export function mergeSegments(inputs: readonly MergeInput[]): Uint8Array {
  const chunks = renumber(inputs, (segment) => segment.fileChunks);
  const symbols = renumber(inputs, (segment) => segment.fileSymbols);
  const terms = mergeLists(inputs, (it) => ({ keys: it.terms, lists: it.postings }), chunks.maps);
  const names = mergeLists(inputs, (it) => ({ keys: it.names, lists: it.nameSymbols }), symbols.maps);
  const files = renumber(inputs, ({ fileCount }) => Uint32Array.from({ length: fileCount + 1 }, (_, file) => file));
  const mentions = mergeLists(inputs, ({ mentions: it }) => ({ keys: it.names, lists: it.files }), files.maps);
  const modules = keptModules(inputs.map(({ segment, keep }) => ({ ...segment, keep })));
  return packSections({
    fileChunks: chunks.starts,
    fileSymbols: symbols.starts,
    chunkLengths: keptLengths(inputs, chunks),
    termOffsets: terms.keys.offsets(),
    termBytes: terms.keys.bytes(),
    postingOffsets: terms.lists.offsets(),
    postingBytes: terms.lists.bytes(),
    nameOffsets: names.keys.offsets(),
    nameBytes: names.keys.bytes(),
    nameSymbolOffsets: names.lists.offsets(),
    nameSymbolBytes: names.lists.bytes(),
    ...mergeIds(inputs, symbols),
    ...mentionSections(mentions.keys, mentions.lists, modules),
    ...mergeTrigrams(
      inputs.map(({ segment }, at) => ({ trigrams: segment.trigrams, map: files.maps[at]! })),
      files.total,
      DROPPED,
    ),
  });
}

const DROPPED = 0xffffffff;

interface Renumbering {
  /** By input: old number to new, or DROPPED. */
  readonly maps: readonly Uint32Array[];
  readonly starts: Uint32Array;
  readonly total: number;
}

/** Renumbers the chunks (or symbols) of the remaining files. */
function renumber(inputs: readonly MergeInput[], startsOf: (segment: Segment) => Uint32Array): Renumbering {
  const starts: number[] = [];
  let total = 0;
  const maps = inputs.map(({ segment, keep }) => {
    const old = startsOf(segment);
    const map = new Uint32Array(old.at(-1)!).fill(DROPPED);
    for (let file = 0; file < segment.fileCount; file++) {
      if (!keep(file)) continue;
      starts.push(total);
      for (let i = old[file]!; i < old[file + 1]!; i++) map[i] = total++;
    }
    return map;
  });
  return { maps, starts: Uint32Array.from([...starts, total]), total };
}

function keptLengths(inputs: readonly MergeInput[], chunks: Renumbering): Uint32Array {
  const lengths = new Uint32Array(chunks.total);
  for (const [at, { segment }] of inputs.entries()) {
    const map = chunks.maps[at]!;
    for (let i = 0; i < map.length; i++) if (map[i] !== DROPPED) lengths[map[i]!] = segment.chunkLengths[i]!;
  }
  return lengths;
}

interface KeyedLists {
  readonly keys: Dictionary;
  readonly lists: Postings;
}

/** Merges the sorted dictionaries; a key without postings is dropped. */
function mergeLists(inputs: readonly MergeInput[], of: (it: Segment) => KeyedLists, maps: readonly Uint32Array[]) {
  const sources = inputs.map(({ segment }) => of(segment));
  const next = sources.map(() => 0);
  const out = { keys: new DictionaryWriter(), lists: new PostingsWriter() };
  const numbers: number[] = [];
  const counts: number[] = [];
  for (let key = smallest(sources, next); key; key = smallest(sources, next)) {
    numbers.length = counts.length = 0;
    for (const [at, { keys, lists }] of sources.entries()) {
      if (next[at]! >= keys.size || keys.compare(next[at]!, key) !== 0) continue;
      collect(lists, next[at]!++, maps[at]!, numbers, counts);
    }
    if (numbers.length === 0) continue;
    out.keys.addBytes(key);
    out.lists.begin(numbers.length);
    for (let i = 0; i < numbers.length; i++) out.lists.add(numbers[i]!, counts[i]!);
  }
  return out;
}

function smallest(sources: readonly KeyedLists[], next: readonly number[]): Uint8Array | undefined {
  let key: Uint8Array | undefined;
  for (const [at, { keys }] of sources.entries()) {
    if (next[at]! >= keys.size) continue;
    if (key === undefined || keys.compare(next[at]!, key) < 0) key = keys.bytesAt(next[at]!);
  }
  return key;
}

function collect(lists: Postings, list: number, map: Uint32Array, numbers: number[], counts: number[]): void {
  lists.each(list, (number, count) => {
    if (map[number] === DROPPED) return;
    numbers.push(map[number]!);
    counts.push(count);
  });
}

function mergeIds(inputs: readonly MergeInput[], symbols: Renumbering) {
  const rows: { high: number; low: number; symbol: number }[] = [];
  for (const [at, { segment }] of inputs.entries()) {
    const { high, low, symbols: owners } = segment.ids;
    for (let i = 0; i < owners.length; i++) {
      const symbol = symbols.maps[at]![owners[i]!]!;
      if (symbol !== DROPPED) rows.push({ high: high[i]!, low: low[i]!, symbol });
    }
  }
  rows.sort((a, b) => a.high - b.high || a.low - b.low || a.symbol - b.symbol);
  return {
    idHigh: Uint32Array.from(rows, (row) => row.high),
    idLow: Uint32Array.from(rows, (row) => row.low),
    idSymbols: Uint32Array.from(rows, (row) => row.symbol),
  };
}
