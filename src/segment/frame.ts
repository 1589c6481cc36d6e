/**
 * A packed record with the offsets of its symbols, which are decoded on demand. Most queries need a handful of a file's
 * hundreds of symbols. A decoded symbol takes about 260 bytes of heap; an offset takes 20.
 */
import type { Chunk, CodeSymbol, FileFrame, FileRecord, LineRange, Problem } from "../model/code.ts";
import { KINDS, type Kind } from "../model/kinds.ts";
import { CorruptionError } from "./bytes.ts";
import { HAS, QUALIFIER, RandomReader, type RecordPosition, SEPARATORS, unpackSymbol } from "./record-columns.ts";

/** Cells of a symbol: offsets of its numbers and strings, its start and line in the file, its kind and parent. */
const SYMBOL = { at: 0, textAt: 1, start: 2, line: 3, what: 4, cells: 5 } as const;
/** Low bits of `what` are the kind; above them the parent's index plus one, 0 for none. */
const KIND_BITS = 8;
const CHUNK = { lineStart: 0, lineEnd: 1, symbol: 2, cells: 3 } as const;

/** Offset, length, line, lines, ordinal. */
const PLACE_NUMBERS = 5;
const NUMBERS_BEFORE_LINES = 3;

type FrameFile = Pick<FileRecord, "path" | "contentHash">;

/** A qualifier that is stored with a symbol and referenced by later ones. */
interface QualifierRoot {
  readonly from: number;
  readonly text: string;
}

export class PackedFrame implements FileFrame {
  readonly lineCount: number;
  readonly symbolCount: number;
  readonly chunkCount: number;
  readonly generated: boolean;
  readonly parseErrors: readonly LineRange[];
  readonly #open: () => Uint8Array;
  readonly #isAscii: boolean;
  readonly #cells: Uint32Array;
  readonly #roots: readonly QualifierRoot[];

  /**
   * `content` is the result of `recordContent` for the file. `open` returns it again when a symbol is read, so that a frame
   * can be cached without it. Throws `CorruptionError`.
   */
  constructor(file: FrameFile, content: Uint8Array, open: () => Uint8Array = () => content) {
    const { cells, symbolCount, chunkCount, lineCount, heads, spelt, isAscii } = scanRecord(content);
    const from = new RandomReader(content, isAscii);
    const [path, contentHash, , problems] = heads.map((units) => from.text(units));
    if (path !== file.path || contentHash !== file.contentHash)
      throw new CorruptionError(`the record of ${file.path} belongs to ${path}`);
    this.symbolCount = symbolCount;
    this.chunkCount = chunkCount;
    this.lineCount = lineCount;
    const found = problems === "" ? [] : (JSON.parse(problems!) as Problem[]);
    this.generated = isGenerated(found);
    this.parseErrors = parseErrors(found);
    this.#open = open;
    this.#isAscii = isAscii;
    this.#cells = cells;
    this.#roots = spelt.map((it) => ({ from: it, text: readQualifier(from, this.#placeOf(it)) }));
  }

  /** Size in memory without the content. */
  get size(): number {
    return 500 + this.#cells.byteLength + this.#roots.length * 100;
  }

  kind(symbol: number): Kind | undefined {
    if (!(symbol >= 0 && symbol < this.symbolCount)) return undefined;
    return KINDS[this.#cell(symbol, SYMBOL.what) & ((1 << KIND_BITS) - 1)];
  }

  start(symbol: number): number {
    return this.#cell(symbol, SYMBOL.start);
  }

  line(symbol: number): number {
    return this.#cell(symbol, SYMBOL.line);
  }

  lastLine(symbol: number): number {
    if (!(symbol >= 0 && symbol < this.symbolCount)) return -1;
    const from = this.#reading(symbol);
    skipToParent(from);
    for (let i = 0; i < NUMBERS_BEFORE_LINES; i++) from.number();
    return this.line(symbol) + from.number();
  }

  name(symbol: number): string | undefined {
    if (!(symbol >= 0 && symbol < this.symbolCount)) return undefined;
    const from = this.#reading(symbol);
    skipToName(from);
    return from.string();
  }

  parent(symbol: number): number | undefined {
    if (!(symbol >= 0 && symbol < this.symbolCount)) return undefined;
    const parent = (this.#cell(symbol, SYMBOL.what) >>> KIND_BITS) - 1;
    return parent >= 0 ? parent : undefined;
  }

  symbol(index: number): CodeSymbol | undefined {
    if (!(index >= 0 && index < this.symbolCount)) return undefined;
    const from = this.#reading(index);
    from.start = index === 0 ? 0 : this.start(index - 1);
    from.line = index === 0 ? 0 : this.line(index - 1);
    from.root = this.#rootOf(index);
    return unpackSymbol(from, this);
  }

  chunk(index: number): Chunk | undefined {
    if (!(index >= 0 && index < this.chunkCount)) return undefined;
    const at = this.symbolCount * SYMBOL.cells + index * CHUNK.cells;
    const [lineStart, lineEnd] = [this.#cells[at + CHUNK.lineStart]!, this.#cells[at + CHUNK.lineEnd]!];
    const symbol = this.#cells[at + CHUNK.symbol]! - 1;
    return symbol >= 0 ? { lineStart, lineEnd, symbol } : { lineStart, lineEnd };
  }

  /** Joins the names of all owners. */
  qualifiedNameOf(symbol: number): string {
    const from = this.#reading(symbol);
    let name = "";
    for (let it = symbol; ; ) {
      const parent = skipToName(from);
      const own = from.string();
      const how = from.number();
      if (how < QUALIFIER.ofParent || parent < 0 || parent >= it) {
        const qualifier = how === QUALIFIER.asLastRoot ? this.#rootOf(it) : from.string();
        return (how === QUALIFIER.whole ? qualifier : qualifier + own) + name;
      }
      name = SEPARATORS[how - QUALIFIER.ofParent] + own + name;
      it = parent;
      from.goTo(this.#placeOf(it));
    }
  }

  #reading(symbol: number): RandomReader {
    const from = new RandomReader(this.#open(), this.#isAscii);
    from.goTo(this.#placeOf(symbol));
    return from;
  }

  #placeOf(symbol: number): RecordPosition {
    return { at: this.#cell(symbol, SYMBOL.at), textAt: this.#cell(symbol, SYMBOL.textAt) };
  }

  #cell(symbol: number, cell: number): number {
    return symbol < this.symbolCount ? this.#cells[symbol * SYMBOL.cells + cell]! : -1;
  }

  /** Most files have one root. */
  #rootOf(symbol: number): string {
    return this.#roots.findLast(({ from }) => from <= symbol)?.text ?? "";
  }
}

function isGenerated(problems: readonly Problem[]): boolean {
  return problems.some(({ kind }) => kind === "generated");
}

function parseErrors(problems: readonly Problem[]): readonly LineRange[] {
  return problems.find(({ kind }) => kind === "parse_error")?.lines ?? [];
}

function readQualifier(from: RandomReader, place: RecordPosition): string {
  from.goTo(place);
  skipToName(from);
  from.string();
  from.number();
  return from.string();
}

/** Skips a symbol's numbers up to its name; returns the parent or -1. */
function skipToName(from: RandomReader): number {
  const parent = skipToParent(from);
  for (let i = 0; i < PLACE_NUMBERS; i++) from.number();
  return parent;
}

/** Skips a symbol's kind; returns the parent or -1. */
function skipToParent(from: RandomReader): number {
  from.number();
  return (from.number() & HAS.parent) !== 0 ? from.number() : -1;
}

interface RecordScan extends Pick<PackedFrame, "symbolCount" | "chunkCount" | "lineCount"> {
  readonly cells: Uint32Array;
  readonly isAscii: boolean;
  /** Lengths of the first strings: path, hash, language and problems. */
  readonly heads: readonly number[];
  /** Symbols that store their qualifier. */
  readonly spelt: readonly number[];
}

/** Scans the content once and notes the offsets. */
function scanRecord(content: Uint8Array): RecordScan {
  const from = new RandomReader(content, true);
  const [symbolCount, chunkCount, lineCount] = [from.number(), from.number(), from.number()];
  // Each symbol and chunk takes several bytes: a larger count is corrupt.
  if (symbolCount > content.length || chunkCount > content.length)
    throw new CorruptionError("stored content counts more than it holds");
  from.number();
  const heads = [from.skip(), from.skip(), from.skip(), from.skip()];
  const cells = new Uint32Array(symbolCount * SYMBOL.cells + chunkCount * CHUNK.cells);
  const spelt: number[] = [];
  for (let i = 0; i < symbolCount; i++) if (scanSymbol(from, cells, i * SYMBOL.cells)) spelt.push(i);
  scanChunks(from, cells.subarray(symbolCount * SYMBOL.cells));
  from.end();
  // A unit takes at least a byte: longer strings are corrupt.
  if (from.textAt > from.textBytes) throw new CorruptionError("stored content is shorter than it says");
  const isAscii = from.textAt === from.textBytes;
  if (!isAscii) toBytes(cells, symbolCount, new RandomReader(content, false));
  return { cells, isAscii, symbolCount, chunkCount, lineCount, heads, spelt };
}

/** Skips what `unpackSymbol` reads. True if the symbol stores its qualifier. */
function scanSymbol(from: RandomReader, cells: Uint32Array, at: number): boolean {
  cells[at + SYMBOL.at] = from.at;
  cells[at + SYMBOL.textAt] = from.textAt;
  const kind = from.number();
  const has = from.number();
  const parent = (has & HAS.parent) !== 0 ? from.number() : -1;
  cells[at + SYMBOL.what] = kind | ((parent + 1) << KIND_BITS);
  from.start += from.signed();
  cells[at + SYMBOL.start] = from.start;
  from.number();
  from.line += from.signed();
  cells[at + SYMBOL.line] = from.line;
  from.number();
  from.number();
  from.skip();
  const how = from.number();
  if (how === QUALIFIER.whole || how === QUALIFIER.spelt) from.skip();
  if ((has & HAS.signature) !== 0) from.skip();
  if ((has & HAS.doc) !== 0) from.skip();
  if ((has & HAS.keyword) !== 0) from.skip();
  if ((has & HAS.visibility) !== 0) from.number();
  if ((has & HAS.nameLine) !== 0) from.number();
  if ((has & HAS.language) !== 0) from.skip();
  return how === QUALIFIER.spelt;
}

function scanChunks(from: RandomReader, cells: Uint32Array): void {
  for (let at = 0, line = 0; at < cells.length; at += CHUNK.cells) {
    cells[at + CHUNK.lineStart] = line + from.signed();
    line = cells[at + CHUNK.lineStart]! + from.number();
    cells[at + CHUNK.lineEnd] = line;
    cells[at + CHUNK.symbol] = from.number();
  }
}

/** Converts string offsets from UTF-16 units to bytes. */
function toBytes(cells: Uint32Array, symbolCount: number, from: RandomReader): void {
  for (let i = 0, units = 0; i < symbolCount; i++) {
    const at = i * SYMBOL.cells + SYMBOL.textAt;
    from.textAt = from.after(cells[at]! - units);
    units = cells[at]!;
    cells[at] = from.textAt;
  }
}

/** A frame of a decoded record. */
export function recordFrame({ symbols, chunks, lineCount, problems }: FileRecord): FileFrame {
  return {
    lineCount,
    generated: isGenerated(problems),
    parseErrors: parseErrors(problems),
    symbolCount: symbols.length,
    chunkCount: chunks.length,
    kind: (symbol) => symbols[symbol]?.kind,
    start: (symbol) => symbols[symbol]!.span.start,
    line: (symbol) => symbols[symbol]!.span.lineStart,
    lastLine: (symbol) => symbols[symbol]!.span.lineEnd,
    name: (symbol) => symbols[symbol]?.name,
    parent: (symbol) => symbols[symbol]?.parent,
    symbol: (index) => symbols[index],
    chunk: (index) => chunks[index],
  };
}
