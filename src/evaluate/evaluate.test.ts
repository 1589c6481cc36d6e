import { describe, expect, test } from "vitest";
import { type MeasuredResult, measure } from "./measure.ts";
import { type ExpectedTarget, parseAnnotations, parseGoldenFile, parseLocation, parseSuite } from "./suite.ts";
import { type EvaluationRow, parseBaseline, regressions, summarise } from "./summary.ts";

const result = (path: string, lineStart = 1, lineEnd = 10): MeasuredResult => ({
  path,
  lineStart,
  lineEnd,
  tokens: 100,
});
const task = (...targets: ExpectedTarget[]) => ({ query: "q", category: "semantic", targets });

describe("one answer", () => {
  const check = (
    what: string,
    targets: ExpectedTarget[],
    results: MeasuredResult[],
    expected: Partial<ReturnType<typeof measure>>,
  ) => test(what, () => expect(measure(task(...targets), results)).toMatchObject(expected));

  const [a, b] = [{ path: "a.ts" }, { path: "b.ts" }];
  check("right at once", [a], [result("a.ts")], { ndcg: 1, mrr: 1, hit1: 1, recall: 1, tokens: 100 });
  check("right at the second place", [a], [result("x.ts"), result("a.ts")], {
    mrr: 0.5,
    hit1: 0,
    hit5: 1,
    tokens: 200,
  });
  check("none", [a], [result("x.ts"), result("y.ts")], { ndcg: 0, mrr: 0, hit10: 0, recall: 0, tokens: 200 });
  check("no results", [a], [], { ndcg: 0, tokens: 0 });
  check("one of two targets", [a, b], [result("a.ts")], { recall: 0.5, ndcg: 1 / (1 + 1 / Math.log2(3)) });
  check("a second chunk of a file gains nothing", [a], [result("a.ts"), result("a.ts", 20, 30)], { ndcg: 1 });
  check("lines that do not meet", [{ path: "a.ts", lines: { start: 11, end: 20 } }], [result("a.ts")], { ndcg: 0 });
  check("lines that meet in one", [{ path: "a.ts", lines: { start: 10, end: 20 } }], [result("a.ts")], { ndcg: 1 });
  check("the target is written from the checkout", [{ path: "src/a.ts" }], [result("a.ts")], { ndcg: 1 });
  check("a longer name is another file", [{ path: "a.ts" }], [result("aa.ts")], { ndcg: 0 });
  check(
    "beyond the tenth place nothing counts",
    [a],
    [...Array.from({ length: 10 }, () => result("x")), result("a.ts")],
    {
      hit10: 0,
      ndcg: 0,
    },
  );
});

describe("golden files", () => {
  test("a question on two lines has two answers", () => {
    const text = "# mine\n\nwhere is x\tsrc/a.ts:3-9\nwhere is x\tsrc/b.ts\r\nparse\tc.ts:7\n";
    expect(parseGoldenFile(text, "f")).toEqual([
      { query: "where is x", category: "semantic", targets: [parseLocation("src/a.ts:3-9"), { path: "src/b.ts" }] },
      { query: "parse", category: "symbol", targets: [{ path: "c.ts", lines: { start: 7, end: 7 } }] },
    ]);
  });
  test("a byte-order mark is no part of the first line", () => {
    expect(parseGoldenFile("\ufeffparse\tc.ts\n", "f")).toEqual([
      { query: "parse", category: "symbol", targets: [{ path: "c.ts" }] },
    ]);
  });
  const refused = (what: string, text: string, why: RegExp) =>
    test(what, () => expect(() => parseGoldenFile(text, "golden.tsv")).toThrow(why));
  refused("one column", "where is x\n", /golden\.tsv.*line 1/);
  refused("three columns", "a\tb\tc\n", /line 1/);
  refused("nothing", "# nothing\n", /no question/);
});

test("a suite's list and annotations", () => {
  expect(parseSuite('[{"name":"r","language":"go","root":"src"},{"name":"s"}]', "suite.json")).toEqual([
    { name: "r", language: "go", root: "src" },
    { name: "s", language: "unknown", root: "" },
  ]);
  const text =
    '[{"query":"how x","relevant":["a.go",{"path":"b.go","start_line":1,"end_line":2}],"secondary":["c.go"]}]';
  expect(parseAnnotations(text, "r.json")).toEqual([
    {
      query: "how x",
      category: "architecture",
      targets: [{ path: "a.go" }, { path: "b.go", lines: { start: 1, end: 2 } }, { path: "c.go" }],
    },
  ]);
  expect(() => parseSuite("{", "suite.json")).toThrow(/suite\.json.*JSON/);
  expect(() => parseAnnotations('[{"relevant":[]}]', "r.json")).toThrow(/entry 1/);
});

const row = (repo: string, ndcg: number, category = "semantic"): EvaluationRow => ({
  repo,
  language: "go",
  category,
  query: "q",
  targets: [],
  milliseconds: 1,
  measure: { ndcg, mrr: ndcg, hit1: ndcg, hit5: ndcg, hit10: ndcg, recall: ndcg, tokens: 10 },
});

test("a repository counts once, however many questions it has", () => {
  const { all } = summarise([row("a", 1), row("b", 0), row("b", 0), row("b", 0)]);
  expect(all).toMatchObject({ ndcg: 0.5, queries: 4 });
});

describe("a saved run", () => {
  const before = summarise([row("a", 0.9), row("a", 0.9, "symbol")]);
  const check = (what: string, now: EvaluationRow[], worse: string[]) =>
    test(what, () =>
      expect(regressions(before, summarise(now), 0.005).map(({ where, metric }) => `${where} ${metric}`)).toEqual(
        worse,
      ),
    );
  check("the same", [row("a", 0.9), row("a", 0.9, "symbol")], []);
  check("a little less is noise", [row("a", 0.897), row("a", 0.9, "symbol")], []);
  check(
    "one category fell while the mean held",
    [row("a", 0.86), row("a", 0.94, "symbol")],
    ["category semantic ndcg", "category semantic mrr", "category semantic hit10", "category semantic recall"],
  );
  test("something else is refused", () => expect(() => parseBaseline("[]", "x.json")).toThrow(/x\.json/));
});
