import { expect, test } from "vitest";
import type { ProjectId } from "../../model/ids.ts";
import type { Readers } from "../../ports/readers.ts";
import type { ReadApi } from "./read-methods.ts";
import { AnswerCache } from "./reader-offload.ts";

const AT = { storeLocation: "/s", project: "0123456789abcdef" as ProjectId, view: "v", ref: "main", stateId: "1" };
const A = { query: "a", limit: 1 };
const PATTERN = { pattern: "a", before: 0, after: 0, offset: 0, limit: 1 };
const FIRST = { query: "first", limit: 1 };

/** Counts its requests; answers from the generation it is set to. */
function counting() {
  const asked: unknown[] = [];
  const state = { stateId: "1" };
  const readers = {
    read: async (_: unknown, __: string, args: readonly unknown[]) => {
      asked.push(args);
      return { answer: { to: args }, stateId: state.stateId };
    },
  } as unknown as Readers<ReadApi>;
  return { asked, state, answers: new AnswerCache(readers) };
}

test("equal requests about one state run once", async () => {
  const { asked, answers } = counting();
  const ask = (query: string, stateId = "1") => answers.read({ ...AT, stateId }, "search", [{ query, limit: 1 }]);
  expect(await ask("a")).toEqual(await ask("a"));
  await ask("b");
  await ask("a");
  expect(asked).toHaveLength(2);
});

test("another state, view or method is another question", async () => {
  const { asked, state, answers } = counting();
  await answers.read(AT, "search", [A]);
  await answers.read({ ...AT, view: "w" }, "search", [A]);
  await answers.read(AT, "locate", [{ name: "a", limit: 1 }]);
  state.stateId = "2";
  await answers.read({ ...AT, stateId: "2" }, "search", [A]);
  await answers.read({ ...AT, stateId: "2" }, "search", [A]);
  expect(asked).toHaveLength(4);
});

test("answers that depend on more than the view are not cached", async () => {
  const { asked, answers } = counting();
  await answers.read(AT, "grep", [PATTERN]);
  await answers.read(AT, "grep", [PATTERN]);
  expect(asked).toHaveLength(2);
});

test("an answer from a newer state is given, and not kept for the older one", async () => {
  const { asked, state, answers } = counting();
  state.stateId = "2";
  await answers.read(AT, "search", [A]);
  await answers.read(AT, "search", [A]);
  expect(asked).toHaveLength(2);
});

test("failures are not cached, and old answers are evicted", async () => {
  const { asked, answers } = counting();
  const failing = new AnswerCache({
    read: async () => {
      throw new Error("no");
    },
  } as unknown as Readers<ReadApi>);
  await expect(failing.read(AT, "search", [A])).rejects.toThrow("no");
  await expect(failing.read(AT, "search", [A])).rejects.toThrow("no");
  await answers.read(AT, "search", [FIRST]);
  for (let i = 0; i < 256; i++) await answers.read(AT, "search", [{ query: String(i), limit: 1 }]);
  await answers.read(AT, "search", [FIRST]);
  expect(asked).toHaveLength(258);
});
