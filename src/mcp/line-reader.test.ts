import { expect, test } from "vitest";
import { LineReader } from "./json-rpc-stream.ts";

function read(chunks: readonly string[], maxBytes = 10): string[] {
  const seen: string[] = [];
  const reader = new LineReader(maxBytes, {
    onLine: (line) => seen.push(line),
    onTooLong: () => seen.push("TOO LONG"),
  });
  for (const chunk of chunks) reader.push(Buffer.from(chunk));
  reader.end();
  return seen;
}

const check = (what: string, chunks: readonly string[], lines: readonly string[]) =>
  test(what, () => expect(read(chunks)).toEqual(lines));

check("lines in one chunk", ["a\nb\n"], ["a", "b"]);
check("a line in many chunks", ["a", "b", "c\n"], ["abc"]);
check("a character cut in two", ["é\n".slice(0, 1), "\n"], ["é"]);
check("empty lines", ["\n\na\n\n"], ["a"]);
check("the last line without its end", ["a\nb"], ["a", "b"]);
check("exactly the cap", ["0123456789\n"], ["0123456789"]);
check("too long, reported once, then heard again", ["0123456789", "0123456789", "x\nok\n"], ["TOO LONG", "ok"]);
check("too long without an end", ["0123456789a"], ["TOO LONG"]);

test("a character whose bytes come apart", () => {
  const seen: string[] = [];
  const reader = new LineReader(10, { onLine: (line) => seen.push(line), onTooLong: () => {} });
  const bytes = Buffer.from("🦀\n");
  for (const byte of bytes) reader.push(Buffer.from([byte]));
  expect(seen).toEqual(["🦀"]);
});
