import { expect, test } from "vitest";
import { indexTree } from "../../test/kit/index-tree.ts";
import { F_RUST, F_RUST_HOMES } from "../../test/kit/repos/f-rust.ts";
import { CompassError } from "../model/errors.ts";
import type { SearchRequest } from "../model/search.ts";
import { explain } from "./explain.ts";
import { search } from "./search.ts";

const repo = indexTree({
  ...F_RUST,
  "tests/auth_test.rs":
    'use service::auth::validate_token;\n\n#[test]\nfn validate_token_refuses() {\n    assert!(validate_token("x").is_err());\n}\n',
  "tests/lone_test.rs": "#[test]\nfn zebra_crossing_is_safe() {\n    zebra();\n}\n",
  "web/app.py": "def validate_token(raw):\n    return raw.startswith('tok_')\n",
});

const ask = async (query: string, more: Partial<SearchRequest> = {}) => {
  const { at, ids } = await repo;
  return search({ query, limit: 10, ...more }, at, ids);
};

test("a name is answered by its definition, with exact lines and ids", async () => {
  for (const [name, path] of F_RUST_HOMES) {
    const { intent, hits } = await ask(name, { languages: ["rust"] });
    expect(intent).toBe("symbol");
    expect(hits[0]).toMatchObject({ type: "symbol", path, symbol: { symbol: { name } } });
    const first = hits[0]!;
    const lines = F_RUST[path]!.split("\n")
      .slice(first.lineStart - 1, first.lineEnd)
      .join("\n");
    expect(first.text).toBe(lines);
    expect(first.symbol!.symbolId).toMatch(/^sym_[0-9A-Z]{26}$/);
  }
});

test("definitions come before references, tests after the rest", async () => {
  const { hits } = await ask("validate_token");
  expect(
    hits
      .slice(0, 2)
      .map(({ type, path }) => `${type} ${path}`)
      .sort(),
  ).toEqual(["symbol src/auth.rs", "symbol web/app.py"]);
  const places = hits.map(({ path }) => path);
  expect(places.indexOf("tests/auth_test.rs")).toBeGreaterThan(places.indexOf("src/handler.rs"));
});

test("a question about a version is answered by its section of the changelog", async () => {
  const section = (version: string, text: string) =>
    `## [${version}] - 2024-01-01\n\n### Changed\n\n${`- ${text}, which changed in this version.\n`.repeat(12)}\n`;
  const { at, ids } = await indexTree({
    "CHANGELOG.md": `# Changes\n\n${section("13.1.0", "Version changed")}${section("3.1.2", "Query parsing")}${section("3.1.0", "Cookie encoding")}${section("3.1.0-rc1", "Changed version what changed")}`,
    "src/version.rs": 'pub const VERSION: &str = "3.1";\n',
  });
  const first = async (query: string) => (await search({ query, limit: 3 }, at, ids)).hits[0]!;
  expect((await first("what changed in version 3.1")).text).toContain("Cookie encoding");
  expect((await first("what changed in 3.1.2?")).text).toContain("Query parsing");
  expect((await first("what changed between 3.1 and 13.1")).text).toContain("Version changed");
});

test("sections that share a chunk: the one of the question gives the hit its name", async () => {
  const section = (version: string) => `## [${version}] - 2024-01-01\n\n### Fixed\n\n- A defect of ${version}.\n\n`;
  const versions = Array.from({ length: 12 }, (_, at) => section(`3.1.${12 - at}`));
  const { at, ids } = await indexTree({ "CHANGELOG.md": `# Changes\n\n${versions.join("")}` });
  for (const patch of [10, 9, 4]) {
    const { hits } = await search({ query: `what changed in 3.1.${patch}`, limit: 1 }, at, ids);
    expect(hits[0]!.symbol!.symbol.name).toBe(`[3.1.${patch}] - 2024-01-01`);
  }
});

test("an error is answered by the text that makes it", async () => {
  const { intent, hits } = await ask("error: invalid token");
  expect(intent).toBe("error");
  expect(hits[0]!.path).toBe("src/auth.rs");
  expect(hits[0]!.text).toContain("invalid token");
});

test("a path is answered by the file, whole", async () => {
  for (const query of ["src/handler.rs", "handler.rs", "./src/handler.rs", "src\\handler.rs", "SRC/Handler.rs"]) {
    const { intent, hits } = await ask(query);
    expect(intent).toBe("path");
    expect(hits[0]).toMatchObject({ type: "file", path: "src/handler.rs", lineStart: 1 });
  }
});

test("a directory is answered by its files, not by symbols of that name", async () => {
  const { hits } = await ask("src/config");
  expect(hits[0]).toMatchObject({ type: "file", path: "src/config.rs" });
  expect((await ask("tests/")).hits.slice(0, 2).map(({ type, path }) => `${type} ${path}`)).toEqual([
    "file tests/auth_test.rs",
    "file tests/lone_test.rs",
  ]);
});

test("a sentence is answered by chunks that know their symbol", async () => {
  const { intent, hits, joins } = await ask("how does a transaction run on the connection");
  expect(intent).toBe("natural_language");
  expect(hits[0]).toMatchObject({ type: "snippet", path: "src/db.rs" });
  expect(hits[0]!.symbol!.symbolStableId).toMatch(/^b3:/);
  expect(joins.hits + joins.misses).toBe(hits.length);
});

test("tests keep their rank when the query requests them or nothing else matches", async () => {
  expect((await ask("tests for validate token")).hits[0]!.path).toBe("tests/auth_test.rs");
  expect((await ask("zebra crossing")).hits[0]!.path).toBe("tests/lone_test.rs");
});

test("a scope is ranked inside, not filtered afterwards", async () => {
  const python = await ask("validate_token", { languages: ["python"], limit: 1 });
  expect(python.hits.map(({ path }) => path)).toEqual(["web/app.py"]);
  const below = await ask("token", { under: "tests", limit: 1 });
  expect(below.hits.map(({ path }) => path)).toEqual(["tests/auth_test.rs"]);
  expect((await ask("validate_token", { under: "nowhere" })).hits).toEqual([]);
});

const QUERIES = [
  "validate_token",
  "src/auth.rs",
  '"invalid token"',
  "how are roles checked",
  "Role",
  "new",
  "Connection::execute_in_transaction",
];

test("totals are the sum of their parts, order is by total, scores lie in 0..1", async () => {
  for (const query of QUERIES) {
    const { hits } = await ask(query, { limit: 100 });
    for (const { total, parts } of hits) expect(parts.reduce((sum, { value }) => sum + value, 0)).toBeCloseTo(total, 6);
    expect(hits.map(({ total }) => total)).toEqual(hits.map(({ total }) => total).toSorted((a, b) => b - a));
    for (const { score } of hits) expect(score).toBeGreaterThanOrEqual(0);
    for (const { score } of hits) expect(score).toBeLessThanOrEqual(1);
  }
});

test("bonuses stay within their caps", async () => {
  const caps = {
    bm25: 1,
    exact_match: 0.2,
    qualified_name: 0.1,
    path_affinity: 0.1,
    definition_boost: 0.15,
    kind_match: 0.05,
  };
  for (const query of QUERIES) {
    for (const { parts } of (await ask(query, { limit: 100 })).hits) {
      for (const [name, cap] of Object.entries(caps)) {
        const { value } = parts.find(({ factor }) => factor === name)!;
        expect(value).toBeGreaterThanOrEqual(0);
        expect(value).toBeLessThanOrEqual(cap);
      }
    }
  }
});

test("the same question has the same answer, byte for byte, and a smaller limit is a prefix of it", async () => {
  for (const query of QUERIES) {
    const whole = await ask(query, { limit: 50 });
    expect(JSON.stringify(await ask(query, { limit: 50 }))).toBe(JSON.stringify(whole));
    expect((await ask(query, { limit: 3 })).hits).toEqual(whole.hits.slice(0, 3));
  }
});

test("explain replays every hit of a search exactly", async () => {
  const { at, ids } = await repo;
  for (const query of QUERIES) {
    for (const hit of (await ask(query)).hits) {
      const answer = await explain({ query, limit: 200 }, { path: hit.path, lineStart: hit.lineStart }, at, ids);
      expect(answer.hit.total).toBeGreaterThanOrEqual(hit.total);
      if (answer.hit.type === hit.type) expect(answer.hit).toEqual(hit);
    }
  }
});

test("explain refuses a place that is not among the results", async () => {
  const { at, ids } = await repo;
  const asked = explain({ query: "validate_token", limit: 10 }, { path: "src/auth.rs", lineStart: 9999 }, at, ids);
  await expect(asked).rejects.toThrowError(CompassError);
  await expect(asked).rejects.toMatchObject({ code: "result_not_found" });
});

test("no result appears twice, and what was left out is counted", async () => {
  const { hits, suppressedDuplicates } = await ask("validate_token", { limit: 50 });
  const places = hits.map(({ type, path, lineStart, lineEnd }) => `${type} ${path} ${lineStart} ${lineEnd}`);
  expect(new Set(places).size).toBe(places.length);
  expect(suppressedDuplicates).toBeGreaterThan(0);
});

const configured = indexTree({
  "config.json": '{\n  "retryLimit": 3,\n  "backoff": { "base": 2 }\n}\n',
  "src/net.ts":
    "export function send(options: Options) {\n  for (let i = 0; i < options.retryLimit; i++) attempt(options);\n}\n",
  "src/delay.ts": "/** Grows with each attempt. */\nexport function Backoff(base: number) {\n  return base * 2;\n}\n",
});

test("the key of a data file comes after the code that defines or uses its name", async () => {
  const { at, ids } = await configured;
  const places = async (query: string) => (await search({ query, limit: 10 }, at, ids)).hits.map(({ path }) => path);
  expect(await places("retryLimit")).toEqual(["src/net.ts", "config.json"]);
  expect(await places("backoff")).toEqual(["src/delay.ts", "config.json"]);
});

test("a key is found by its name and its kind", async () => {
  const { at, ids } = await configured;
  const { hits } = await search({ query: "retryLimit", limit: 1, kinds: { only: ["key"] } }, at, ids);
  expect(hits).toMatchObject([{ type: "symbol", path: "config.json", symbol: { symbol: { kind: "key" } } }]);
});
