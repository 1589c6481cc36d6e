import { afterAll, expect, test } from "vitest";
import { CompassError } from "../model/errors.ts";
import type { ScanRequest } from "../ports/scanner.ts";
import { encodeText } from "../segment/stored-content.ts";
import { threadScanner } from "./scanner.ts";

const scanner = threadScanner();
afterAll(() => scanner.close());

const TEXTS = Array.from({ length: 500 }, (_, i) => `text ${i}\n${i % 3 === 0 ? "needle\nneedle again\n" : ""}`);
const load = async (texts: readonly number[]) =>
  texts.map((at) => (at % 2 === 0 ? encodeText(TEXTS[at]!) : TEXTS[at]!));
const request = (asked: Partial<ScanRequest>): ScanRequest => ({
  pattern: "needle",
  options: {},
  plan: { op: "any" },
  keys: TEXTS.map((_, i) => `key${i}`),
  offset: 0,
  limit: 5,
  ...asked,
});

test("texts shared out among threads are answered as one: exact counts, places in order", async () => {
  for (const round of ["read", "kept"]) {
    const { counts, places, complete } = await scanner.scan(request({ offset: 3, limit: 4 }), load);
    expect([round, complete]).toEqual([round, true]);
    expect([...counts]).toEqual(TEXTS.map((_, i) => (i % 3 === 0 ? 2 : 0)));
    expect(places).toEqual([
      { text: 3, line: 3 },
      { text: 6, line: 2 },
      { text: 6, line: 3 },
      { text: 9, line: 2 },
    ]);
  }
});

test("a few texts are looked through at once, and give the same", async () => {
  const keys = TEXTS.slice(0, 10).map((_, i) => `key${i}`);
  const { counts } = await scanner.scan(request({ keys }), load);
  expect([...counts]).toEqual([2, 0, 0, 2, 0, 0, 2, 0, 0, 2]);
});

test("a few long texts are a thread's, and give the same", async () => {
  const long = `${"a line of text\n".repeat(100_000)}needle\n`;
  const keys = ["long 1", "long 2", "long 3"];
  const { counts, places, complete } = await scanner.scan(request({ keys }), async (texts) => texts.map(() => long));
  expect([[...counts], complete]).toEqual([[1, 1, 1], true]);
  expect(places).toEqual([0, 1, 2].map((text) => ({ text, line: 100_001 })));
});

test("a text that cannot be read fails the search with its reason, and the next search works", async () => {
  const failing = async () => {
    throw new CompassError("index_incompatible", { reason: "damaged" });
  };
  const keys = TEXTS.map((_, i) => `other${i}`);
  await expect(scanner.scan(request({ keys }), failing)).rejects.toMatchObject({ code: "index_incompatible" });
  expect((await scanner.scan(request({}), load)).counts[0]).toBe(2);
});

test("a search ends when its caller gives up", async () => {
  const controller = new AbortController();
  const keys = TEXTS.map((_, i) => `slow${i}`);
  const running = scanner.scan(request({ keys }), () => new Promise(() => controller.abort()), controller.signal);
  await expect(running).rejects.toThrow();
  expect((await scanner.scan(request({}), load)).counts[0]).toBe(2);
});

test("texts whose trigrams rule a pattern out are skipped, and counted as without a match", async () => {
  const large = `${"filler text\n".repeat(1_000)}needle\n`;
  const keys = Array.from({ length: 60 }, (_, i) => `large${i}`);
  const plan = { op: "has", trigram: 0 } as const;
  const whole = await scanner.scan(request({ keys }), async (texts) => texts.map(() => large));
  expect(whole.counts[0]).toBe(1);
  const skipped = await scanner.scan(request({ keys, plan }), async (texts) => texts.map(() => large));
  expect([0, 1]).toContain(skipped.counts[0]);
});

test("bytes are decoded in the scan thread, and unreadable ones are requested again", async () => {
  const long = Buffer.from(`${"a line of text\n".repeat(100_000)}n\xe9edle\n`, "latin1");
  const keys = ["raw 1", "raw 2"];
  const bytes = () => ({ bytes: new Uint8Array(long), masksSecrets: true });
  const first = { keys, pattern: "n\u00e9edle", largestText: long.length };
  const { counts } = await scanner.scan(request(first), async (texts) =>
    texts.map((at) => (at === 0 ? bytes() : undefined)),
  );
  expect([...counts]).toEqual([1, 0]);
  const asked: number[] = [];
  const again = await scanner.scan(request(first), async (texts) => {
    asked.push(...texts);
    return texts.map(bytes);
  });
  expect([[...again.counts], asked]).toEqual([[1, 1], expect.arrayContaining([1])]);
});
