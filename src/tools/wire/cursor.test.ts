import { expect, test } from "vitest";
import { prng } from "../../../test/kit/prng.ts";
import { CompassError } from "../../model/errors.ts";
import { openPage, shortCursor } from "./cursor.ts";

const QUESTION = ["semantic_search", "error handling", "src", 0.6];
const open = (cursor?: string, pageSize?: number, question: readonly unknown[] = QUESTION, generation = 3) =>
  openPage({ cursor, pageSize, question, generation });

/** All offsets that a caller sees who follows `next_cursor`. */
function walk(total: number, pageSize?: number): number[][] {
  const pages: number[][] = [];
  for (let cursor: string | undefined, first = true; first || cursor !== undefined; first = false) {
    const page = open(cursor, first ? pageSize : undefined);
    const shown = Math.min(page.size, total - page.offset);
    pages.push(Array.from({ length: shown }, (_, i) => page.offset + i));
    cursor = (page.pagination(shown, total).next_cursor as string | null) ?? undefined;
  }
  return pages;
}

test("K11: pages neither overlap nor skip, and later pages keep the first one's size", () => {
  const pages = walk(120, 25);
  expect(pages.map((page) => page.length)).toEqual([25, 25, 25, 25, 20]);
  expect(pages.flat()).toEqual(Array.from({ length: 120 }, (_, i) => i));
});

test("a truncated answer continues where it was cut", () => {
  const { next_cursor: next } = open(undefined, 50).pagination(7, 120);
  expect(open(next as string).offset).toBe(7);
});

test.each([
  [0, 1],
  [-5, 1],
  [1000, 200],
  [undefined, 50],
])("page_size %s is %s", (asked, size) => expect(open(undefined, asked).size).toBe(size));

test.each(["eyJvZmZzZXQiOjUwfQ==", '{"offset":50}', ' {"offset": 50} '])("a bare offset is accepted: %s", (cursor) =>
  expect(open(cursor).offset).toBe(50),
);

test("a short cursor leads to the same place as its long form", () => {
  const { next_cursor: next } = open(undefined, 10).pagination(10, 99);
  expect(shortCursor(next as string)).toBe('{"offset":10}');
  const workspace = btoa(JSON.stringify({ offset: 10, from: { workspace: "a", skip: 2 } }));
  expect(shortCursor(workspace)).toBe(workspace);
});

test.each(["garbage", "", "e30=", btoa('{"offset":-1}'), btoa("[1]"), "💥"])("K13: %j is refused", (cursor) => {
  expect(() => open(cursor)).toThrow(CompassError);
});

test("K13: a cursor of another question is refused", () => {
  const { next_cursor: next } = open(undefined, 10).pagination(10, 99);
  expect(() => open(next as string, undefined, ["semantic_search", "other", "src", 0.6])).toThrow(/another question/);
});

test("a cursor of an older index still works and says so", () => {
  const { next_cursor: next } = open(undefined, 10).pagination(10, 99);
  expect(open(next as string, undefined, QUESTION, 4).warnings).toHaveLength(1);
});

/** One to three edits of the text: characters flipped, dropped, doubled, cut off, numbers blown up. */
function mutated(text: string, random: () => number): string {
  let it = text;
  for (let edits = 1 + Math.floor(random() * 3); edits > 0; edits--) {
    const at = Math.floor(random() * (it.length + 1));
    const odd = String.fromCharCode(Math.floor(random() * (random() < 0.2 ? 0xffff : 128)));
    const kinds = [
      () => it.slice(0, at) + odd + it.slice(at + 1),
      () => it.slice(0, at) + it.slice(at + 1),
      () => it.slice(0, at) + it.slice(at, at + 9) + it.slice(at),
      () => it.slice(0, at),
      () => it.replace(/\d+/, ["-1", "1e308", "9007199254740993", "0.5", "null", '"1"'][Math.floor(random() * 6)]!),
    ];
    it = kinds[Math.floor(random() * kinds.length)]!();
  }
  return it;
}

test("S17: 10,000 forged cursors are refused, or name a valid page", () => {
  const random = prng(17);
  const honest = open(undefined, 10).pagination(10, 99).next_cursor as string;
  const outcomes = { refused: 0, harmless: 0 };
  for (let i = 0; i < 10_000; i++) {
    const inside = Buffer.from(mutated(Buffer.from(honest, "base64").toString(), random)).toString("base64");
    const cursor = i % 2 === 0 ? mutated(honest, random) : inside;
    try {
      const { offset, size } = open(cursor);
      outcomes.harmless++;
      expect(Number.isSafeInteger(offset) && offset >= 0, cursor).toBe(true);
      expect(Number.isInteger(size) && size >= 1 && size <= 200, cursor).toBe(true);
    } catch (error) {
      outcomes.refused++;
      expect(error, cursor).toMatchObject({ code: "invalid_input" });
    }
  }
  expect(outcomes.refused).toBeGreaterThan(5_000);
  expect(outcomes.harmless).toBeGreaterThan(0);
});
