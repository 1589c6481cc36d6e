import { describe, expect, test } from "vitest";
import { excerpt, queryWords } from "../../tools/text/excerpt.ts";
import { changeLines, fieldLines, resultLines } from "../../tools/text/layouts.ts";
import { outlineLines } from "../../tools/text/outline.ts";
import { counted, MODEL_VIEW, printable, skippedText } from "../../tools/text/style.ts";
import { createStyle, safeOutput } from "./style.ts";

describe("queryWords", () => {
  const check = (query: string, words: string[]) => test(query, () => expect(queryWords(query)).toEqual(words));
  check("where is rate limiting done", ["rate", "limiting", "done"]);
  check("AuthHandler::new", ["authhandler", "new"]);
  check("a ++ (", []);
});

describe("excerpt", () => {
  const text = "  one\n  two\n  three\n  four\n  five\n  six needle\n  seven\n";
  const check = (name: string, words: string[], first: string, lines: number) =>
    test(name, () => {
      const shown = excerpt(text, 10, words);
      expect(`${shown[0]!.number} ${shown[0]!.text}`).toBe(first);
      expect(shown).toHaveLength(lines);
    });
  check("without words: the head, indent removed", [], "10 one", 5);
  check("the window with the word, not further up than needed", ["needle"], "12 three", 5);
  check("the word near the top of the window", ["two", "three"], "10 one", 5);
  test("of a chunk with several symbols: the named one with its comment, not the end of the one before it", () => {
    const lines = ["needle()", "}", "", "// Why.", "function named() {", "  return 1;", "}", "", "other()"];
    const shown = excerpt(lines.join("\n"), 10, ["needle"], { within: { lineStart: 14, lineEnd: 16 } });
    expect(shown.map(({ text: line }) => line)).toEqual(lines.slice(3, 7));
  });
  test("of a chunk with several symbols: the named one, though the next one has more of the words", () => {
    const lines = ["named() {", "  one", "  two", "  three", "  needle", "  five", "}", "", "needle(thread) {}"];
    const shown = excerpt(lines.join("\n"), 10, ["needle", "thread"], { within: { lineStart: 10, lineEnd: 16 } });
    expect(shown.map(({ number }) => number)).toEqual([12, 13, 14, 15, 16]);
  });
  test("of a chunk that ends with the named one: no line of the one before it", () => {
    const lines = ["one();", "two();", "three();", "}", "", "needle() {", "}"];
    const shown = excerpt(lines.join("\n"), 10, ["needle"], { within: { lineStart: 15, lineEnd: 20 } });
    expect(shown.map(({ number }) => number)).toEqual([15, 16]);
  });
  test("of a chunk whose named symbol has none of the words: the lines that have", () => {
    const lines = ["  end", "}", "", "needle() {", "  one", "  two", "  three", "}"];
    const shown = excerpt(lines.join("\n"), 10, ["needle"], { within: { lineStart: 2, lineEnd: 11 } });
    expect(shown.map(({ number }) => number)).toEqual([13, 14, 15, 16, 17]);
  });
  test("a short text is shown whole, CRLF or not", () =>
    expect(excerpt("a\r\nb\r\n", 1, ["x"])).toEqual([
      { number: 1, text: "a" },
      { number: 2, text: "b" },
    ]));
});

describe("resultLines", () => {
  const hit = (path: string, number: number, text: string) => ({ path, line_start: number, lines: [{ number, text }] });
  const view = { ...MODEL_VIEW, columns: 40, words: ["needle"] };

  test("hits of a file stand together, files keep the order of their best hit", () => {
    const results = [hit("b.txt", 3, "needle one"), hit("a.txt", 1, "needle two"), hit("b.txt", 9, "needle three")];
    expect(resultLines({ results }, view)).toEqual([
      "b.txt:3",
      "  3  needle one",
      "b.txt:9",
      "  9  needle three",
      "",
      "a.txt:1",
      "  1  needle two",
    ]);
  });

  test("matches are coloured, long lines cut, control characters shown", () => {
    const results = [hit("a", 1, `needle \x1b[2J${"x".repeat(100)}`)];
    const out = resultLines({ results }, { ...view, style: createStyle({ colour: true }) }).join("\n");
    expect(out).toContain("\x1b[1;31mneedle\x1b[0m");
    expect(out).not.toContain("\x1b[2J");
    expect(out).toContain("…");
  });
});

describe("layouts", () => {
  const check = (layout: typeof fieldLines, body: Record<string, unknown>, expected: string) =>
    test(layout.name, () => expect(layout(body, MODEL_VIEW).join("\n")).toBe(expected));
  check(
    resultLines,
    {
      results: [{ path: "a.rs", line_start: 2, kind: "fn", qualified_name: "a::f", signature: "fn f()" }],
      metadata: {},
    },
    "a.rs:2  fn f\n    fn f()",
  );
  check(
    outlineLines,
    {
      symbols: [
        {
          line_start: 1,
          line_end: 4,
          kind: "impl",
          name: "A",
          children: [{ line_start: 2, line_end: 3, signature: "fn f()" }],
        },
      ],
    },
    "1-4  impl A\n  2-3  fn f()",
  );
  check(
    fieldLines,
    {
      status: "ready",
      job: null,
      list: ["a", "b"],
      rows: [{ x: 1, y: 2 }],
      deep: { z: true },
      metadata: { warnings: ["mind"] },
    },
    "status: ready\njob: -\nlist: a, b\nrows:\n  - x: 1\n    y: 2\ndeep:\n  z: true",
  );
});

test("counts", () => {
  expect(counted(1, "file")).toBe("1 file");
  expect(counted(12_345, "file")).toBe("12,345 files");
  expect(skippedText({ filesIndexed: 1, filesSkipped: 3, skippedReasons: { binary: 1, too_large: 2 } })).toBe(
    "Skipped 3: 2 too_large, 1 binary",
  );
  expect(skippedText(undefined)).toBe("");
});

describe("text of a repository cannot steer a terminal or hide", () => {
  const check = (text: string, expected: string) =>
    test(JSON.stringify(text), () => expect(printable(text)).toBe(expected));
  check("a\tb\x07", "a    b\\u0007");
  check("\x1b[2J\x1b]0;title\x07", "\\u001b[2J\\u001b]0;title\\u0007");
  check("a\nb\rc\r", "a\\u000ab\\u000dc");
  check("\u202ecod\u2066x\u2069", "\\u202ecod\\u2066x\\u2069");
  check(
    "ze\u200bro\u200c\u200d\u2060\ufeff\u061c\u200e\u200f",
    "ze\\u200bro\\u200c\\u200d\\u2060\\ufeff\\u061c\\u200e\\u200f",
  );
  check("\x85\x9b1m\u{e0041}", "\\u0085\\u009b1m\\udb40\\udc41");
  check("größe 名前 🦀", "größe 名前 🦀");
});

describe("the last step before a stream", () => {
  const check = (text: string, colour: boolean, expected: string) =>
    test(JSON.stringify([text, colour]), () => expect(safeOutput(text, { colour })).toBe(expected));
  check("\x1b[35ma\x1b[0m\tb\r\n", true, "\x1b[35ma\x1b[0m\tb\r\n");
  check("\x1b[35ma", false, "\\u001b[35ma");
  check("\r\x1b[2Kbar", true, "\r\x1b[2Kbar");
  check("x\r\x1b[2K\x1b[1A\x1b]8;;u\x07", true, "x\\u000d\\u001b[2K\\u001b[1A\\u001b]8;;u\\u0007");
  test("JSON keeps its meaning", () => {
    const value = { path: "a\x1b\u202e\u200b\x9b\u{e0041}\u2028b" };
    const text = safeOutput(JSON.stringify(value), { colour: true });
    expect(text).toMatch(/^[\x20-\x7e]+$/);
    expect(JSON.parse(text)).toEqual(value);
  });
});

describe("a changed signature, for a model: what differs", () => {
  const check = (before: string, after: string, expected: string[]) =>
    test(`${before} → ${after}`, () => {
      const at = { path: "a.py", line_start: 1, kind: "fn", name: "f" };
      const change = { change_type: "modified", path: "a.py", before: { ...at, signature: before } };
      const body = { changes: [{ ...change, after: { ...at, signature: after } }], total_changes: 1 };
      expect(changeLines(body, MODEL_VIEW).slice(2)).toEqual(expected.map((line) => `    ${line}`));
    });
  check(
    "def f(first: int, name: Optional[str], last: bool = False)",
    "def f(first: int, name: str | None, last: bool = False)",
    ["- …name: Optional[str]…", "+ …name: str | None…"],
  );
  check("def f(first: int, second: int)", "def f(first: int, second: int, third: int)", [
    "- def f(first: int, second: int)",
    "+ def f(first: int, second: int, third: int)",
  ]);
  check("f()", "g()", ["- f()", "+ g()"]);
  check("def f(self) -> None", "def f(self) -> None:", ["- def f(self) -> None", "+ def f(self) -> None:"]);
});

describe("what of a comparison did not fit", () => {
  const check = (name: string, more: object, expected: string) =>
    test(name, () => {
      const refs = { base_ref: "main", head_ref: "feat", merge_base_commit: "0".repeat(40), affected_files: 1 };
      const body = { ...refs, changes: [], file_changes: [], total_changes: 3, ...more };
      expect(changeLines(body, MODEL_VIEW).at(-1)).toBe(expected);
    });
  check("of a list", {}, "… 3 more symbols: raise limit or narrow with path_filter");
  check("of a pack", { total_callers: 0 }, "… 3 more symbols: raise pack, or limit, or narrow with path_filter");
});
