import { expect, test } from "vitest";
import { CUT_MARK, cutAtCharacter, cutToTokens, escapeUnseen } from "./snippet.ts";
import { estimateTokens } from "./tokens.ts";

const body = `fn long() {\n${Array.from({ length: 80 }, (_, i) => `    step_${i}(value);`).join("\n")}\n}`;

test("a short text is left alone", () => expect(cutToTokens("a\nb", 50)).toEqual({ text: "a\nb", cut: false }));

test("a long text keeps whole lines, a mark and its closing brace", () => {
  const { text, cut } = cutToTokens(body, 100);
  expect(cut).toBe(true);
  expect(estimateTokens(text)).toBeLessThanOrEqual(104);
  const lines = text.split("\n");
  expect(lines.slice(-2)).toEqual([`    ${CUT_MARK}`, "}"]);
  for (const line of lines.slice(0, -2)) expect(body).toContain(line);
});

test("one endless line is cut inside", () => {
  const { text } = cutToTokens("x".repeat(100_000), 40);
  expect(text.length).toBeLessThan(200);
});

test("a cut never halves a character", () => {
  expect(cutAtCharacter("a😀b", 2)).toBe("a");
  expect(cutAtCharacter("a😀b", 3)).toBe("a😀");
  expect(cutAtCharacter("ab", 5)).toBe("ab");
});

const escapes = (text: string, expected: string) =>
  test(`escaped ${expected}`, () => expect(escapeUnseen(text)).toBe(expected));
escapes("plain\ttext\r\n", "plain\ttext\r\n");
escapes("a\u0000b\u001b[31m", "a\\u{0}b\\u{1b}[31m");
escapes("if (x\u202e) //\u2066", "if (x\\u{202e}) //\\u{2066}");
escapes("zero\u200bwidth\ufeff", "zero\\u{200b}width\\u{feff}");
escapes("tag\u{e0041}", "tag\\u{e0041}");
escapes("lone\ud800", "lone\\u{d800}");
escapes("über 設定 😀", "über 設定 😀");
