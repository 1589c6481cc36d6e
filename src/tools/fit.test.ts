import { expect, test } from "vitest";
import type { DraftAnswer } from "./define.ts";
import { fit } from "./fit.ts";

const STANDING = {
  ref: "main",
  freshness: "fresh",
  indexing: "ready",
  schema: "compatible",
  coverage: { filesIndexed: 1, filesSkipped: 0, skippedReasons: {} },
  complete: true,
  warnings: [],
} as const;

const draft = (items: readonly string[]): DraftAnswer => ({
  body: { total: items.length },
  list: {
    length: items.length,
    show: (kept) => ({ body: { items: items.slice(0, kept) } }),
    continuation: (kept) => [{ tool: "more", from: kept }],
    suggestion: "ask for less",
  },
});

test("what fits is left alone", async () => {
  const { body, text } = await fit(
    { draft: draft(["a", "b"]), viewStatus: STANDING, warnings: [] },
    { maxBytes: 10_000 },
  );
  expect(body).toMatchObject({ items: ["a", "b"], total: 2, metadata: { result_completeness: "complete" } });
  expect(text).toBe(JSON.stringify(body));
  expect(body).not.toHaveProperty("suggested_next_actions");
});

test("where symbols are missing, an answer that rests on symbols is partial and says of what", async () => {
  const coverage = { filesIndexed: 1, filesSkipped: 1, skippedReasons: { parse_gave_up: 1 } };
  const standing = { ...STANDING, coverage, symbolGaps: ["a.rs could not be parsed"] };
  const metadata = async (one: DraftAnswer) =>
    (await fit({ draft: one, viewStatus: standing, warnings: [] }, { maxBytes: 10_000 })).body.metadata;
  expect(await metadata(draft(["a"]))).toMatchObject({
    result_completeness: "partial",
    coverage: { files_skipped: 1, skipped_reasons: { parse_gave_up: 1 } },
    warnings: ["a.rs could not be parsed"],
  });
  const ofText = await metadata({ ...draft(["a"]), needsSymbols: false });
  expect(ofText).toMatchObject({ result_completeness: "complete" });
  expect(ofText).not.toHaveProperty("warnings");
});

test.each([600, 700, 1_000, 3_000])("the longest prefix within %i bytes", async (maxBytes) => {
  const items = Array.from({ length: 100 }, (_, i) => `${i}`.padEnd(50, "é"));
  const { body, text } = await fit({ draft: draft(items), viewStatus: STANDING, warnings: [] }, { maxBytes });
  const kept = (body.items as string[]).length;
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxBytes);
  expect(Buffer.byteLength(text) + 2 * 100).toBeGreaterThan(maxBytes);
  expect(body.metadata).toMatchObject({ omitted: { count: 100 - kept, suggestion: "ask for less" } });
  expect(body.suggested_next_actions).toEqual([{ tool: "more", from: kept }]);
});

/** Items of one size, growing ones, one that is as long as all others. */
const SIZES: Record<string, (i: number) => number> = {
  alike: () => 40,
  growing: (i) => i,
  shrinking: (i) => 8_000 - i,
  "one is long": (i) => (i === 30 ? 5_000 : 3),
};

test.each(Object.entries(SIZES))(
  "one more would not fit, and few drafts are drawn to know it: %s",
  async (_, sizeOf) => {
    const items = Array.from({ length: 8_000 }, (_, i) => "x".repeat(sizeOf(i)));
    const long = draft(items);
    let drawn = 0;
    const show = (kept: number) => {
      drawn++;
      return long.list!.show(kept);
    };
    const limits = { maxBytes: 20_000 };
    const { body } = await fit(
      { draft: { ...long, list: { ...long.list!, show } }, viewStatus: STANDING, warnings: [] },
      limits,
    );
    const kept = (body.items as string[]).length;
    const withOneMore = JSON.stringify({ ...body, items: items.slice(0, kept + 1) });
    expect(withOneMore.length).toBeGreaterThan(limits.maxBytes);
    expect(drawn).toBeLessThan(20);
  },
);

test("a limit below the metadata drops what is optional", async () => {
  const { body } = await fit(
    { draft: draft(["a".repeat(1_000)]), viewStatus: STANDING, warnings: ["a warning"] },
    { maxBytes: 10 },
  );
  expect(body.metadata).not.toHaveProperty("coverage");
  expect(body.metadata).not.toHaveProperty("warnings");
  expect(body).toMatchObject({ items: [], metadata: { result_completeness: "truncated" } });
});

test("invisible characters are escaped in the text and parse back", async () => {
  const hidden = "a\u202eb\u200bc\u{e0041}d\u2028e\ufeff";
  const { body, text } = await fit(
    { draft: draft([hidden]), viewStatus: STANDING, warnings: [] },
    { maxBytes: 10_000 },
  );
  expect(text).not.toMatch(/[\u200b-\u202e\ufeff\udb40]/);
  expect(JSON.parse(text)).toEqual(body);
});

test("the next call is left out where it would be most of what fits", async () => {
  const list = { ...draft(["x".repeat(3_000)]).list!, continuation: () => [{ tool: "more", from: "y".repeat(500) }] };
  const answer = { draft: { body: {}, list }, viewStatus: STANDING, warnings: [] };
  const at = async (maxTokens: number) => (await fit(answer, { maxBytes: 10_000, maxTokens })).body;
  expect(await at(250)).toHaveProperty("suggested_next_actions");
  expect(await at(150)).not.toHaveProperty("suggested_next_actions");
  expect(await at(150)).toMatchObject({ items: [], metadata: { omitted: { count: 1 } } });
});
