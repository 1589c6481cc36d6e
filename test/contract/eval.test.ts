/** `eval` as users run it: their own golden queries, a suite, a saved run, and why a line is not found. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { codecompass } from "../kit/inline-command.ts";
import { sandbox, write } from "../kit/sandbox.ts";

const FILES = {
  "src/limit.ts":
    "/** Slows callers down. */\nexport function takeToken(bucket: Bucket): boolean {\n  return bucket.left > 0;\n}\n",
  "src/parse.ts": "export function parseHeader(line: string): Header {\n  return split(line);\n}\n",
  "docs/notes.md": "# Notes\n\nHeaders are parsed lazily.\n",
};
const GOLDEN = "# mine\ntakeToken\tsrc/limit.ts:2\nparse a header\tsrc/parse.ts\n";

const box = sandbox();
afterAll(() => box[Symbol.dispose]());
const root = box.tree(FILES);
const run = (...args: string[]) => codecompass(["eval", ...args], { cwd: root, env: box.env });
const files = box.tree({ "golden.tsv": GOLDEN, "hard.tsv": "takeToken\tsrc/parse.ts\nparseHeader\tdocs/notes.md\n" });

describe("the user's own queries", () => {
  test("are measured, saved and compared", async () => {
    const saved = join(files, "before.json");
    const first = await run("--suite", join(files, "golden.tsv"), "--save", saved);
    expect(first).toMatchObject({ code: 0, err: "" });
    expect(first.out).toMatch(/NDCG@10 .*\nall +1\.000 /);
    const again = await run("--suite", join(files, "golden.tsv"), "--baseline", saved, "--json");
    expect(again.code).toBe(0);
    expect(again.json()).toMatchObject({ version: 1, summary: { all: { ndcg: 1, queries: 2 } }, regressions: [] });
    const worse = await run("--suite", join(files, "hard.tsv"), "--baseline", saved);
    expect(worse.code).toBe(1);
    expect(worse.out).toContain("worse: all: ndcg 1.000 →");
    expect(worse.out).toContain("  takeToken  →  src/parse.ts:1\n");
    expect(JSON.parse(readFileSync(saved, "utf8")).summary.all.queries).toBe(2);
  });

  test("each query has the language of its answer; one without an answer is named", async () => {
    writeFileSync(join(files, "typo.tsv"), "\ufefftakeToken\tsrc/Limit.ts\nnotes on headers\tdocs/notes.md:1-3\n");
    const { summary, questions } = (await run("--suite", join(files, "golden.tsv"), "--json")).json();
    expect(Object.keys(summary.byLanguage)).toEqual(["typescript"]);
    expect(questions.map(({ query, measure }: { query: string; measure: object }) => [query, measure])).toEqual([
      ["takeToken", expect.objectContaining({ ndcg: 1, tokens: expect.toSatisfy((n: number) => n > 15 && n < 60) })],
      ["parse a header", expect.objectContaining({ mrr: 1 })],
    ]);
    const typo = await run("--suite", join(files, "typo.tsv"));
    expect(typo.err).toBe('warning: src/Limit.ts, the answer to "takeToken", is not in the index\n');
    expect(typo.out).toMatch(/by language.*\nmarkdown +1\.000.*\nunknown +0\.000/);
    expect(typo.out).toMatch(/latency: p50 \d+\.\d ms/);
  });

  test("a model that cannot be used is reported as left out", async () => {
    const ran = await run("--suite", join(files, "golden.tsv"), "--model", "./no-such-model");
    expect(ran.err).toMatch(/^warning: workspace: Searched by words only: .*there is no folder .*no-such-model\.\n$/);
  });

  test("a baseline of other queries is compared with a warning", async () => {
    const saved = join(files, "two.json");
    await run("--suite", join(files, "golden.tsv"), "--save", saved);
    writeFileSync(join(files, "one.tsv"), "takeToken\tsrc/limit.ts\n");
    const ran = await run("--suite", join(files, "one.tsv"), "--baseline", saved);
    expect([ran.code, ran.err]).toEqual([0, `warning: ${saved} holds 2 questions, this run 1\n`]);
  });

  const refused = (what: string, args: string[], why: RegExp) =>
    test(what, async () => {
      const ran = await run(...args);
      expect(ran).toMatchObject({ code: 2, out: "" });
      expect(ran.err).toMatch(why);
    });
  writeFileSync(join(files, "bad.tsv"), "only one column\n");
  refused("nothing to do", [], /--suite/);
  refused("no such file", ["--suite", "nowhere.tsv"], /nowhere\.tsv cannot be read/);
  refused("a line that is not a pair", ["--suite", join(files, "bad.tsv")], /line 1/);
  refused(
    "a baseline that is none",
    ["--suite", join(files, "golden.tsv"), "--baseline", join(files, "bad.tsv")],
    /saved/,
  );
  refused("a tolerance that is none", ["--suite", join(files, "golden.tsv"), "--tolerance", "x"], /--tolerance/);
  refused("a place without a line", ["--why-not", "src/limit.ts", "tokens"], /path:line/);
});

test("a suite: repositories with their queries", async () => {
  const suite = box.tree({
    "suite.json": JSON.stringify([
      { name: "one", language: "typescript", root: "src" },
      { name: "two", language: "markdown", root: "" },
    ]),
    "annotations/one.json": JSON.stringify([{ query: "takeToken", relevant: ["src/limit.ts"] }]),
    "annotations/two.json": JSON.stringify([{ query: "how are headers parsed", relevant: ["docs/notes.md"] }]),
  });
  write(join(suite, "checkouts/one"), FILES);
  write(join(suite, "checkouts/two"), FILES);
  const all = (await run("--suite", suite, "--json")).json();
  expect(Object.keys(all.summary.byRepo)).toEqual(["one", "two"]);
  expect(all.summary.byLanguage.typescript).toMatchObject({ ndcg: 1, queries: 1 });
  const one = (await run("--suite", suite, "--repo", "one", "--json")).json();
  expect(one.summary.all.queries).toBe(1);
  expect((await run("--suite", suite, "--repo", "three")).err).toContain("no repository three");
});

describe("explains why a line is not among the results", () => {
  const check = (what: string, place: string, query: string, code: number, says: RegExp) =>
    test(what, async () => {
      const ran = await run("--why-not", place, query);
      expect(ran.code).toBe(code);
      expect(ran.out).toMatch(says);
    });
  check("it is", "src/limit.ts:2", "takeToken", 0, /at rank 1/);
  check("it shares no word", "src/parse.ts:1", "takeToken", 1, /not among the \d+ candidates?[\s\S]*words it lacks/);
  check("no such line", "src/parse.ts:900", "takeToken", 1, /the file has 3 lines/);
  check("no such file", "src/nowhere.ts:1", "takeToken", 1, /no such file/);
});
