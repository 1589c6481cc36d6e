/** S11: no pattern hangs, crashes or starves the server: each is answered or rejected, and other queries are answered meanwhile. */
import { expect, test } from "vitest";
import { CompassError } from "../../src/model/errors.ts";
import { Pattern } from "../../src/regex/pattern.ts";
import { trigramPlan } from "../../src/regex/plan.ts";
import { EVIL_PATTERNS, EVIL_TEXTS } from "../kit/evil-patterns.ts";
import { sandbox } from "../kit/sandbox.ts";
import { type Reply, startServer } from "../kit/stdio.ts";

/** A fifth of the work limit of a search: enough to see that the limit holds. */
const MOST_WORK = 2_500_000;

test("500 hostile patterns: each is searched within its work limit, or rejected with a reason", {
  timeout: 120_000,
}, () => {
  const fates = { searched: 0, exhausted: 0, refused: 0 };
  for (const source of EVIL_PATTERNS) {
    try {
      const pattern = new Pattern(source, {}, MOST_WORK);
      trigramPlan(pattern.node);
      for (const text of EVIL_TEXTS) {
        const next = pattern.lineFinder(text);
        for (let at = next(0); at >= 0; ) {
          const newline = text.indexOf("\n", at);
          at = newline < 0 ? -1 : next(newline + 1);
        }
      }
      fates[pattern.exhausted ? "exhausted" : "searched"]++;
    } catch (error) {
      expect(error, source).toBeInstanceOf(CompassError);
      expect((error as CompassError).data, source).toMatchObject({ parameter: "pattern", syntax: "regex" });
      fates.refused++;
    }
  }
  expect(fates.searched + fates.exhausted + fates.refused).toBe(500);
  // Neither rejecting nor abandoning every pattern would be right.
  expect(fates.searched).toBeGreaterThan(250);
  expect(fates.exhausted).toBeLessThan(150);
});

/** A running server gets every third of them by default. */
const SENT = EVIL_PATTERNS.filter((_, at) => process.env.CODECOMPASS_LONG !== undefined || at % 3 === 0);

/** Two letters in a non-repeating order, so that hardly any state is reused. */
function noise(length: number): string {
  let seed = 1;
  return Array.from({ length }, () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return "ab"[seed >>> 31];
  }).join("");
}

test("a ping is answered while a pattern uses up its work limit", { timeout: 240_000 }, async () => {
  using box = sandbox();
  const server = startServer(["--workspace", box.tree({ "noise.txt": noise(200_000) })], box.env);
  await server.initialize();
  await server.tool("sync_repo", { wait_seconds: 60 });
  await server.tool("regex_search", { pattern: "warm" });
  for (const pattern of ["[ab]*a[ab]{900}c", "(?:a|b)*a(?:a|b){800}c|(?:\\w\\s?)*q"]) {
    const order: string[] = [];
    const heavy = server.tool("regex_search", { pattern }).then((answer) => {
      order.push("search");
      return answer;
    });
    await server.request("ping").then(() => order.push("ping"));
    const { metadata } = await heavy;
    // Abandoned, so it had used the whole work limit.
    expect(metadata.warnings).toEqual([expect.stringContaining("too much work")]);
    expect(order).toEqual(["ping", "search"]);
  }
  expect(await server.close()).toBe(0);
});

test(`${SENT.length} hostile patterns on a running server: each is answered or rejected, and other clients are not affected`, {
  timeout: 300_000,
}, async () => {
  using box = sandbox();
  const root = box.tree({
    ...Object.fromEntries(EVIL_TEXTS.map((text, i) => [`evil${i}.txt`, text])),
    "src/pool.ts": "export class ConnectionPool {\n  acquire() {}\n}\n",
  });
  const server = startServer(["--workspace", root], box.env);
  await server.initialize();
  await server.tool("sync_repo", { wait_seconds: 60 });
  const plain = async () => {
    const { results } = await server.tool("search_code", { query: "ConnectionPool" });
    return results.map((one: { path: string }) => one.path);
  };
  expect(await plain()).toEqual(["src/pool.ts"]);

  const replies = new Map<string, Reply>();
  const waiting = [...SENT];
  const ask = async () => {
    for (let pattern = waiting.pop(); pattern !== undefined; pattern = waiting.pop())
      replies.set(pattern, await server.request("tools/call", { name: "regex_search", arguments: { pattern } }));
  };
  const asking = Promise.all([ask(), ask(), ask()]);
  let meanwhile = 0;
  for (; waiting.length > 0; meanwhile++) expect(await plain()).toEqual(["src/pool.ts"]);
  await asking;
  // A server that worked on patterns first would finish them before it answered that many others.
  expect(meanwhile).toBeGreaterThan(SENT.length / 5);
  expect([...replies.keys()].sort()).toEqual([...new Set(SENT)].sort());
  let answered = 0;
  for (const [pattern, { result, error }] of replies) {
    if (error === undefined) answered += result?.isError === true ? 0 : 1;
    else expect(error, pattern).toMatchObject({ code: -32001, data: { parameter: "pattern" } });
  }
  expect(answered).toBeGreaterThan(SENT.length / 2);
  expect(await server.close()).toBe(0);
});
