import { afterEach, expect, test, vi } from "vitest";
import { ShardLate } from "./failures.ts";
import { Away } from "./shard-outage.ts";

const failure = (code: string, message: string) => Object.assign(new Error(message), { code });
const gone = (shard: string) => failure("08001", `could not connect to server "${shard}"`);

/** What was asked, and what came of it, where the given failures come one after the other. */
async function asked(...failures: Error[]) {
  const away = new Away();
  const sent: string[] = [];
  const outcome = await away
    .without(async () => {
      sent.push(away.reachable("SELECT 1 FROM codecompass.view"));
      const next = failures.shift();
      if (next !== undefined) throw next;
      return "an answer";
    })
    .catch((error: Error) => error.message);
  return { sent, outcome, away: away.shard };
}

const ALL = "SELECT 1 FROM codecompass.view";
const REST = "SELECT 1 FROM without_shard1.view";

test.each([
  ["all are there", [], [ALL], "an answer", undefined],
  ["one is away", [gone("shard1")], [ALL, REST], "an answer", "shard1"],
  ["one is late", [new ShardLate("shard1")], [ALL, REST], "an answer", "shard1"],
  ["two are away", [gone("shard1"), gone("shard0")], [ALL, REST], gone("shard0").message, "shard1"],
  [
    "prepared by an older script",
    [gone("shard1"), failure("3F000", "no schema")],
    [ALL, REST],
    gone("shard1").message,
    undefined,
  ],
  ["something else fails", [failure("42601", "syntax")], [ALL], "syntax", undefined],
  [
    "a name that is none",
    [failure("08001", 'could not connect to server "x; DROP"')],
    [ALL],
    'could not connect to server "x; DROP"',
    undefined,
  ],
])("%s", async (_, failures, sent, outcome, away) => {
  expect(await asked(...failures)).toEqual({ sent, outcome, away });
});

test("questions that wait together are all asked again", async () => {
  const away = new Away();
  const gate = Promise.withResolvers<void>();
  const ask = () =>
    away.without(async () => {
      if (away.shard !== undefined) return "an answer";
      await gate.promise;
      throw gone("shard1");
    });
  const both = Promise.all([ask(), ask()]);
  gate.resolve();
  expect(await both).toEqual(["an answer", "an answer"]);
});

afterEach(() => void vi.useRealTimers());

test("one that is away is looked for, and nobody waits for it until it is back", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const looks = ["shard1", undefined];
  const away = new Away(async () => looks.shift());
  const lost = async () => [away.shard, away.missed];
  await away.without(async () => {
    if (away.shard === undefined) throw gone("shard1");
  });
  const told: unknown[] = [];
  for (const ms of [0, 6_000, 1, 6_000, 1, 6_000]) {
    vi.advanceTimersByTime(ms);
    told.push(await lost());
    await new Promise((resolve) => setImmediate(resolve));
  }
  const missing = ["shard1", "shard1"];
  // Still away at the first look, back at the second, and missing in what was being answered then.
  expect(told).toEqual([missing, missing, missing, missing, [undefined, "shard1"], [undefined, undefined]]);
});
