/** S11: no pattern hangs, crashes or starves: each is answered or refused, and others are answered meanwhile. */
import { expect, test } from "vitest";
import { CompassError } from "../../src/model/errors.ts";
import { Pattern } from "../../src/regex/pattern.ts";
import { planOf } from "../../src/regex/plan.ts";
import { EVIL_PATTERNS, EVIL_TEXTS } from "../kit/evil-patterns.ts";
import { sandbox } from "../kit/sandbox.ts";
import { startServer } from "../kit/stdio.ts";

/** A tenth of what a search may spend: enough to see that the bound holds. */
const MOST_WORK = 5_000_000;

test("500 evil patterns: each is searched for within its work, or refused with a reason", { timeout: 120_000 }, () => {
  const fates = { searched: 0, exhausted: 0, refused: 0 };
  for (const source of EVIL_PATTERNS) {
    try {
      const pattern = new Pattern(source, {}, MOST_WORK);
      planOf(pattern.node);
      for (const text of EVIL_TEXTS) {
        const next = pattern.linesOf(text);
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
  // Neither refusing everything nor giving everything up would be an answer.
  expect(fates.searched).toBeGreaterThan(250);
  expect(fates.exhausted).toBeLessThan(150);
});

test("while a heavy pattern is looked for, a ping is answered first", { timeout: 60_000 }, async () => {
  using box = sandbox();
  const root = box.tree(
    Object.fromEntries(EVIL_TEXTS.map((text, i) => [`evil${i}.txt`, text.replace(/.{100}/g, "$&\n")])),
  );
  const server = startServer(["--workspace", root], box.env);
  await server.initialize();
  await server.tool("regex_search", { pattern: "warm" });
  for (const pattern of ["[ab]*a[ab]{90}[^ab]x", "(?:a|b)*a(?:a|b){80}c|(?:\\w\\s?)*q", "(.*){40}#"]) {
    const order: string[] = [];
    const heavy = server.request("tools/call", { name: "regex_search", arguments: { pattern } }).then((reply) => {
      order.push("search");
      return reply;
    });
    await server.request("ping").then(() => order.push("ping"));
    const { result } = await heavy;
    expect(result?.structuredContent).toMatchObject({ metadata: { search_mode: "regex" } });
    expect(order).toEqual(["ping", "search"]);
  }
  expect(await server.close()).toBe(0);
});
