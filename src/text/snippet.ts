/** Source snippets for output: cut at line ends, invisible characters escaped. */
import { estimateTokens } from "./tokens.ts";

export const CUT_MARK = "// ... truncated ...";

/**
 * The first lines that fit the budget, and the last line where the text is cut, with a mark between them. One line that
 * is too long by itself is cut inside, never in the middle of a surrogate pair.
 */
export function cutToTokens(text: string, maxTokens: number): { readonly text: string; readonly cut: boolean } {
  if (estimateTokens(text) <= maxTokens) return { text, cut: false };
  const lines = text.split("\n");
  const last = lines.at(-1)!.trim().length < 3 ? lines.at(-1)! : undefined;
  const kept: string[] = [];
  let left = maxTokens - estimateTokens(`${CUT_MARK}\n${last ?? ""}`);
  for (const line of lines) {
    left -= estimateTokens(`${line}\n`);
    if (left < 0) break;
    kept.push(line);
  }
  if (kept.length === 0) kept.push(cutLine(lines[0]!, maxTokens));
  const indent = /^\s*/.exec(lines[kept.length] ?? "")![0];
  kept.push(indent + CUT_MARK);
  if (last !== undefined) kept.push(last);
  return { text: kept.join("\n"), cut: true };
}

/** Code has at least two characters per token. */
function cutLine(line: string, maxTokens: number): string {
  return cutAtCharacter(line, Math.max(1, maxTokens * 2));
}

/** At most `length` UTF-16 units, never half a surrogate pair. */
export function cutAtCharacter(text: string, length: number): string {
  if (text.length <= length) return text;
  const unit = text.charCodeAt(length - 1);
  return text.slice(0, unit >= 0xd800 && unit <= 0xdbff ? length - 1 : length);
}

/**
 * Control characters except tab and line ends, bidirectional overrides, zero-width and other invisible format characters,
 * and lone surrogates: terminals would interpret them, readers not see them, or JSON not carry them.
 */
const UNSEEN =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|\p{Surrogate}/gu;

/** Writes invisible characters as `\u{202e}`. */
export function escapeUnseen(text: string): string {
  return text.replace(UNSEEN, (sign) => `\\u{${sign.codePointAt(0)!.toString(16)}}`);
}
