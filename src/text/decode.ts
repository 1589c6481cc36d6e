/**
 * Bytes to text. UTF-8 first, UTF-16 by its mark, then what old source files are written in: Shift-JIS, GB18030, and
 * Windows-1252, which takes any byte. Lines are not touched: only `\n` separates them, as git counts.
 */

export interface Decoded {
  /** Well-formed UTF-16, without a byte order mark. */
  readonly text: string;
  /** Something could not be read and stands as U+FFFD. */
  readonly lossy: boolean;
  /** Every byte is a character of its own. */
  readonly ascii?: true;
}

/** Asks the C library, where a typed array's own `includes` looks at byte after byte. */
const { indexOf } = Buffer.prototype as unknown as { indexOf(this: Uint8Array, byte: number): number };

const utf8 = new TextDecoder("utf-8", { fatal: true });
const utf8Lossy = new TextDecoder("utf-8");

/** Undefined for what is not text: a NUL among the characters. */
export function decode(bytes: Uint8Array): Decoded | undefined {
  const wide = wideEncoding(bytes);
  if (wide !== undefined) return withoutNul(new TextDecoder(wide).decode(bytes));
  if (indexOf.call(bytes, 0) >= 0) return undefined;
  const text = attempt(utf8, bytes);
  // Any other character has fewer units than bytes.
  if (text !== undefined) return { text, lossy: false, ...(text.length === bytes.length && { ascii: true }) };
  return damagedUtf8(bytes) ?? legacy(bytes);
}

function wideEncoding(bytes: Uint8Array): "utf-16le" | "utf-16be" | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  return undefined;
}

function withoutNul(text: string): Decoded | undefined {
  return text.includes("\0") ? undefined : { text, lossy: text.includes("\uFFFD") };
}

function attempt(decoder: InstanceType<typeof TextDecoder>, bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** A file that is UTF-8 but for a few bytes: in any other encoding, well-formed sequences hardly come about by chance. */
function damagedUtf8(bytes: Uint8Array): Decoded | undefined {
  const text = utf8Lossy.decode(bytes);
  const { bad, good } = census(text);
  return good >= bad ? { text, lossy: true } : undefined;
}

function census(text: string): { bad: number; good: number } {
  let bad = 0;
  let good = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === 0xfffd) bad++;
    else if (unit > 0x7f) good++;
  }
  return { bad, good };
}

function legacy(bytes: Uint8Array): Decoded {
  return { text: japanese(bytes) ?? chinese(bytes) ?? new TextDecoder("windows-1252").decode(bytes), lossy: false };
}

/** Full-width kana are written with lead bytes 82 and 83, which Western texts do not use. */
function japanese(bytes: Uint8Array): string | undefined {
  const text = attempt(new TextDecoder("shift_jis", { fatal: true }), bytes);
  return text !== undefined && share(text, /[\u3041-\u30ff]/g) >= 0.2 ? text : undefined;
}

/** Common characters are two bytes from A1 up; in Western texts such bytes seldom stand side by side. */
function chinese(bytes: Uint8Array): string | undefined {
  const text = attempt(new TextDecoder("gb18030", { fatal: true }), bytes);
  return text !== undefined &&
    pairedShare(bytes) >= 0.9 &&
    share(text, /[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]/g) >= 0.8
    ? text
    : undefined;
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
