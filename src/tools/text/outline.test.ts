import { expect, test } from "vitest";
import type { OutlineNode } from "../../model/search.ts";
import { mostInformative, outlineBudget, outlineLines } from "./outline.ts";
import { MODEL_VIEW } from "./style.ts";

const node = (kind: string, name: string, children: OutlineNode[] = [], line = 1): OutlineNode => {
  const span = { lineStart: line, lineEnd: line };
  return { symbol: { kind, name, span } as OutlineNode["symbol"], children };
};
const FILE = [
  node("use", "os"),
  node("class", "Store", [
    node("field", "size"),
    node("fn", "open", [node("fn", "inner"), node("var", "local")]),
    node("fn", "_lock"),
    node("fn", "__init__"),
  ]),
  node("fn", "last"),
];

function names(nodes: readonly OutlineNode[]): string {
  return nodes
    .map(({ symbol, children }) => symbol.name + (children.length > 0 ? `(${names(children)})` : ""))
    .join(" ");
}

const check = (kept: number, expected: string) =>
  test(`the ${kept} nodes that tell most`, () => expect(names(mostInformative(FILE, kept))).toBe(expected));
check(9, "os Store(size open(inner local) _lock __init__) last");
check(8, "Store(size open(inner local) _lock __init__) last");
check(6, "Store(size open _lock __init__) last");
check(5, "Store(open _lock __init__) last");
check(4, "Store(open __init__) last");
check(2, "Store(open)");

test("a longer file has a larger budget", () => {
  expect(outlineBudget(FILE, "all")).toBe(2_000);
  expect(outlineBudget([node("fn", "f", [], 3_000)], "top")).toBe(1_400);
});

test("signatures are cut shorter until the outline fits, and left out where nothing else helps", () => {
  const signature =
    "def a_function_with_parameters(first, second, third, fourth, fifth, sixth, seventh, eighth, ninth)";
  const symbols = Array.from({ length: 20 }, (_, at) => ({ kind: "fn", name: "f", line_start: at, signature }));
  const longest = (maxTokens?: number) =>
    Math.max(...outlineLines({ symbols }, { ...MODEL_VIEW, columns: 120, maxTokens }).map((line) => line.length));
  expect(longest()).toBeGreaterThan(100);
  expect(longest(600)).toBeLessThan(longest());
  expect(longest(600)).toBeGreaterThan(40);
  expect(longest(300)).toBeLessThan(25);
});

test("what one statement declares is one line with all names", () => {
  const declared = (name: string, signature: string, line: number) => ({
    ...{ kind: "property", name, line_start: line, line_end: line + 1, signature },
  });
  const symbols = [
    ...["base_url", "converters", "data"].map((name) => declared(name, "attr_reader :base_url, :converters,", 5)),
    ...["a", "b"].map((name) => declared(name, "var a, b int", 8)),
    declared("b", "var b int", 8),
  ];
  expect(outlineLines({ symbols }, MODEL_VIEW)).toEqual([
    "5-6  attr_reader :base_url, converters, data",
    "8-9  var a, b int",
    "8-9  var b int",
  ]);
});
