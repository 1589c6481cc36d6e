/** Cases of every format are in `test/cases/pasted`: `=== title`, the text, `--- frames`, one frame per line. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { PastedFrame } from "./frame.ts";
import { parsePasted } from "./parse.ts";

const FOLDER = new URL("../../../test/cases/pasted/", import.meta.url);

for (const file of readdirSync(FOLDER).sort()) {
  const cases = readFileSync(new URL(file, FOLDER), "utf8")
    .split(/^=== (?!RUN|NAME|CONT)/m)
    .slice(1);
  for (const it of cases) {
    const [head = "", frames = ""] = it.split(/^--- frames\n/m);
    const [title = "", ...text] = head.split("\n");
    test(`${file.replace(".txt", "")}: ${title}`, () => {
      expect(parsePasted(text.join("\n")).frames.map(spell)).toEqual(frames.split("\n").filter((line) => line !== ""));
    });
  }
}

/** `path:12-14:5 symbol` */
function spell({ path, line, lineEnd, column, symbol }: PastedFrame): string {
  const lines = line === undefined ? "" : `:${line}${lineEnd === undefined ? "" : `-${lineEnd}`}`;
  return `${path}${lines}${column === undefined ? "" : `:${column}`}${symbol === undefined ? "" : ` ${symbol}`}`;
}

test("messages come without the class and the place of the error, causes first", () => {
  const messages = (text: string) => parsePasted(text).messages;
  expect(messages("ValueError: empty cart")).toEqual(["empty cart"]);
  expect(messages("E       shop.errors.CartError: empty cart")).toEqual(["empty cart"]);
  expect(messages("src/cart.ts(12,5): error TS2322: Type 'a' is bad.")).toEqual(["Type 'a' is bad."]);
  expect(messages("** (ArgumentError) empty cart")).toEqual(["empty cart"]);
  expect(messages("app/cart.rb:12:in 'Cart#add': empty (ArgumentError)")).toEqual(["empty"]);
  expect(messages("thread 'main' panicked at src/cart.rs:12:5:\nempty cart")).toEqual(["empty cart"]);
  expect(messages("java.lang.Error: outer\nCaused by: a.b.InnerException: inner")).toEqual(["inner", "outer"]);
});

test("what is neither a frame nor quoted source is the rest", () => {
  const { rest } = parsePasted(
    'It fails:\n  File "/app/a.py", line 3, in run\n    go()\n    ~~^^\nWhy does src/a.py:3 fail?',
  );
  expect(rest).toBe("It fails:\nWhy does src/a.py:3 fail?");
});

test("frames without a file are counted", () => {
  const { frames, withoutFile } = parsePasted("at a.B.c(Native Method)\n    at node:internal/main:3:1");
  expect([frames.length, withoutFile]).toEqual([0, 2]);
});

test("beside a trace, what tools print is not prose", () => {
  const proseOf = (file: string) =>
    readFileSync(new URL(file, FOLDER), "utf8")
      .split(/^=== (?!RUN|NAME|CONT)/m)
      .slice(1)
      .map((it) => parsePasted(it.split(/^--- frames\n/m)[0]!.replace(/^.*\n/, "")).rest.length);
  for (const file of ["pytest.txt", "jest.txt", "compiler.txt", "rust.txt", "go-test.txt"])
    expect(Math.max(...proseOf(file)), file).toBeLessThan(160);
  const issue = `The cart refuses items that were added twice, although the documentation says that it counts them.\n\n${"It did so in the last version. ".repeat(4)}`;
  expect(parsePasted(`${issue}\n  File "/app/a.py", line 3, in run\n    go()`).rest.length).toBeGreaterThan(160);
});
