/**
 * Decodes source files: UTF-8, UTF-16 with a byte order mark, then the encodings of old source files: Shift-JIS, GB18030,
 * and Windows-1252, which accepts any byte. Line ends are kept; only `\n` separates lines, as in git.
 */

interface DecodedText {
  /** Well-formed UTF-16, without a byte order mark. */
  readonly text: string;
  /** Invalid bytes were replaced by U+FFFD. */
  readonly lossy: boolean;
}

/** Buffer's `indexOf` uses the C library; a typed array's `includes` compares byte by byte. */
const { indexOf } = Buffer.prototype as unknown as { indexOf(this: Uint8Array, byte: number): number };

const utf8 = new TextDecoder("utf-8", { fatal: true });
const utf8Lossy = new TextDecoder("utf-8");

/** Undefined for binary content, which contains a NUL. */
export function decode(bytes: Uint8Array): DecodedText | undefined {
  const wide = wideEncoding(bytes);
  if (wide !== undefined) return withoutNul(new TextDecoder(wide).decode(bytes));
  if (indexOf.call(bytes, 0) >= 0) return undefined;
  const text = attempt(utf8, bytes);
  if (text !== undefined) return { text, lossy: false };
  return damagedUtf8(bytes) ?? legacy(bytes);
}

function wideEncoding(bytes: Uint8Array): "utf-16le" | "utf-16be" | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  return undefined;
}

function withoutNul(text: string): DecodedText | undefined {
  return text.includes("\0") ? undefined : { text, lossy: text.includes("\uFFFD") };
}

function attempt(decoder: InstanceType<typeof TextDecoder>, bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** UTF-8 with a few invalid bytes: other encodings hardly contain valid sequences by chance. */
function damagedUtf8(bytes: Uint8Array): DecodedText | undefined {
  const text = utf8Lossy.decode(bytes);
  const { bad, good } = countNonAscii(text);
  return good >= bad ? { text, lossy: true } : undefined;
}

function countNonAscii(text: string): { bad: number; good: number } {
  let bad = 0;
  let good = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === 0xfffd) bad++;
    else if (unit > 0x7f) good++;
  }
  return { bad, good };
}

/**
 * A file edited by several editors may mix lines of UTF-8 and of an older encoding. Each line is decoded by itself, so that
 * everything ripgrep finds in the UTF-8 is found; the other lines determine the older encoding.
 */
function legacy(bytes: Uint8Array): DecodedText {
  // Short lines of GB18030 may be valid UTF-8 by chance, so a file that is GB18030 throughout is not split.
  const runs = isChinese(bytes) ? [{ lines: bytes, isUtf8: false }] : splitByEncoding(bytes);
  const foreign = joined(runs.flatMap(({ lines, isUtf8 }) => (isUtf8 ? [] : [lines])));
  const asian = isJapanese(foreign) ? "shift_jis" : isChinese(foreign) ? "gb18030" : undefined;
  const decoder = new TextDecoder(asian ?? "windows-1252");
  const texts = runs.map(({ lines, isUtf8 }) => {
    if (isUtf8) return utf8Kept.decode(lines);
    return asian === undefined ? western(lines, decoder) : decoder.decode(lines);
  });
  const text = texts.join("");
  return { text: text.startsWith("\uFEFF") ? text.slice(1) : text, lossy: false };
}

/** Keeps byte order marks: only the first one of a file is not part of its text. */
const utf8Kept = new TextDecoder("utf-8", { ignoreBOM: true });

interface LineRun {
  /** Complete lines with their line ends. */
  readonly lines: Uint8Array;
  readonly isUtf8: boolean;
}

function splitByEncoding(bytes: Uint8Array): LineRun[] {
  const runs: LineRun[] = [];
  let start = 0;
  let before: boolean | undefined;
  for (let at = 0; at < bytes.length; ) {
    let end = at;
    let isUtf8 = true;
    for (; end < bytes.length && bytes[end] !== NEWLINE; end++) {
      if (bytes[end]! < 0x80) continue;
      const length = sequenceAt(bytes, end);
      if (length === 0) isUtf8 = false;
      else end += length - 1;
    }
    if (before !== undefined && before !== isUtf8) {
      runs.push({ lines: bytes.subarray(start, at), isUtf8: before });
      start = at;
    }
    before = isUtf8;
    at = end + 1;
  }
  if (before !== undefined) runs.push({ lines: bytes.subarray(start), isUtf8: before });
  return runs;
}

const NEWLINE = 0x0a;

/** Decodes valid UTF-8 sequences inside the line as UTF-8 and every other byte as Windows-1252. */
function western(line: Uint8Array, decoder: InstanceType<typeof TextDecoder>): string {
  const texts: string[] = [];
  let start = 0;
  for (let at = 0; at < line.length; ) {
    const length = line[at]! < 0x80 ? 0 : sequenceAt(line, at);
    if (length === 0) {
      at++;
      continue;
    }
    texts.push(decoder.decode(line.subarray(start, at)), utf8Kept.decode(line.subarray(at, at + length)));
    at += length;
    start = at;
  }
  return texts.join("") + decoder.decode(line.subarray(start));
}

/**
 * Length of the UTF-8 sequence (two to four bytes) at a position; 0: there is none. DF is excluded: before a quotation mark
 * it ends a German word in Windows-1252; in UTF-8 it starts a letter of N'Ko, which is not mixed with other encodings.
 */
function sequenceAt(bytes: Uint8Array, at: number): number {
  const lead = bytes[at]!;
  const second = bytes[at + 1] ?? 0;
  if (lead < 0xc2 || lead > 0xf4 || lead === 0xdf) return 0;
  if (lead < 0xe0) return isContinuation(second) ? 2 : 0;
  const [least, most] = SECOND_BYTES.get(lead) ?? [0x80, 0xbf];
  if (second < least || second > most || !isContinuation(bytes[at + 2] ?? 0)) return 0;
  return lead < 0xf0 ? 3 : isContinuation(bytes[at + 3] ?? 0) ? 4 : 0;
}

/** Range of the second byte after leads that exclude overlong forms, surrogates and code points above the last. */
const SECOND_BYTES: ReadonlyMap<number, readonly [number, number]> = new Map([
  [0xe0, [0xa0, 0xbf]],
  [0xed, [0x80, 0x9f]],
  [0xf0, [0x90, 0xbf]],
  [0xf4, [0x80, 0x8f]],
]);

function isContinuation(byte: number): boolean {
  return byte >= 0x80 && byte <= 0xbf;
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Full-width kana have the lead bytes 82 and 83, which Western texts do not use. */
function isJapanese(bytes: Uint8Array): boolean {
  const text = attempt(new TextDecoder("shift_jis", { fatal: true }), bytes);
  return text !== undefined && share(text, /[\u3041-\u30ff]/g) >= 0.2;
}

/** Common characters are two bytes from A1 up; in Western texts such bytes are seldom adjacent. */
function isChinese(bytes: Uint8Array): boolean {
  const text = attempt(new TextDecoder("gb18030", { fatal: true }), bytes);
  return (
    text !== undefined && pairedShare(bytes) >= 0.9 && share(text, /[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]/g) >= 0.8
  );
}

function share(text: string, of: RegExp): number {
  const foreign = text.match(/[^\0-\x7f]/g)?.length ?? 0;
  return foreign === 0 ? 0 : (text.match(of)?.length ?? 0) / foreign;
}

function pairedShare(bytes: Uint8Array): number {
  let paired = 0;
  let all = 0;
  for (let i = 0; i < bytes.length; i++) {
    if (bytes[i]! < 0x80) continue;
    const pair = bytes[i]! >= 0xa1 && (bytes[i + 1] ?? 0) >= 0xa1;
    all += pair ? 2 : 1;
    if (pair) paired += 2;
    if (pair) i++;
  }
  return all === 0 ? 0 : paired / all;
}

/** Bytes that are known to be ASCII, as a string of its own. */
const { latin1Slice } = Buffer.prototype as unknown as {
  latin1Slice(this: Uint8Array, start: number, end: number): string;
};

/** Decodes ASCII without a subarray, which takes longer to create than a name to read. */
export function fromAscii(bytes: Uint8Array, start: number, end: number): string {
  return latin1Slice.call(bytes, start, end);
}
