import { describe, expect, test } from "vitest";
import { hideFaults } from "./mask-unparsed.ts";

/** A grammar that knows everything but `??`, and needs both halves of each bracket. */
const parses = (part: string) =>
  !part.includes("??") && count(part, "{") === count(part, "}") && count(part, "(") === count(part, ")");
const count = (text: string, bracket: string) => text.replace(/".*?"/g, "").split(bracket).length - 1;

const check = (what: string, text: string, shown: string | undefined) =>
  test(what, () => expect(hideFaults(text, parses)?.text.replace(/[ ]+$/gm, "")).toBe(shown));

describe("what a grammar cannot read is blanked, and nothing else", () => {
  check("nothing", "class A {\n  b();\n}\n", undefined);
  check(
    "a part of the file",
    "fn a() {\n  b\n}\n\nfn ??() {\n}\n\nfn c() {\n}\n",
    "fn a() {\n  b\n}\n\n\n\n\nfn c() {\n}\n",
  );
  check(
    "a statement, not the method, the class and the namespace around it",
    "namespace N\n{\n  class A\n  {\n    void m()\n    {\n      a;\n      ?? b;\n      c;\n    }\n\n    void n() {}\n  }\n}",
    "namespace N\n{\n  class A\n  {\n    void m()\n    {\n      a;\n\n      c;\n    }\n\n    void n() {}\n  }\n}",
  );
  check(
    "a part in a namespace whose contents are not indented",
    "namespace n {\n\nvoid a() {\n  b;\n}\n\n?? c();\n\nvoid d() {}\n\n}",
    "namespace n {\n\nvoid a() {\n  b;\n}\n\n\n\nvoid d() {}\n\n}",
  );
  check("a part with a comment before it", "/**\n * { one\n */\na ??;\n\nb {\n}\n", "\n\n\n\n\nb {\n}\n");
  check("brackets in strings do not count", 'a("{");\n\n?? c;\n\nd();\n', 'a("{");\n\n\n\nd();\n');
  check("half of a bracket stays", "a {\n\n?? {\n\nb;\n", undefined);
});

test("masked rows are reported", () => {
  expect(hideFaults("a;\n\n?? b\n\nc;\n", parses)?.hidden).toEqual([{ startRow: 2, endRow: 3 }]);
});

test("every offset is kept", () => {
  const text = "a;\r\n\r\n?? bé\r\n\r\nc;\r\n";
  expect(hideFaults(text, parses)?.text).toHaveLength(text.length);
});

test("many open comments take linear time", () => {
  expect(hideFaults(`${"/* a\n".repeat(50_000)}${"*/".repeat(10)}\n\n??\n`, parses)).toBeDefined();
});
