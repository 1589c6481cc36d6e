import { expect, test } from "vitest";
import type { ProjectId } from "../../model/ids.ts";
import type { Readers } from "../../ports/readers.ts";
import { AnswerCache } from "./answer-cache.ts";

const AT = { storeLocation: "/s", project: "0123456789abcdef" as ProjectId, view: "v", ref: "main" };

/** Counts what it is asked; answers from the generation it is set to. */
function counting() {
  const asked: unknown[] = [];
  const state = { stateId: "1" };
  const readers = {
    ask: async (_: unknown, __: string, args: readonly unknown[]) => {
      asked.push(args);
      return { answer: { to: args }, stateId: state.stateId };
    },
  } as unknown as Readers;
  return { asked, state, answers: new AnswerCache(readers) };
}

test("the same question about the same state is asked once", async () => {
  const { asked, answers } = counting();
  const ask = (query: string, stateId = "1") => answers.ask(AT, stateId, "search", [{ query }]);
  expect(await ask("a")).toEqual(await ask("a"));
  await ask("b");
  await ask("a");
  expect(asked).toHaveLength(2);
});

test("another state, view or method is another question", async () => {
  const { asked, state, answers } = counting();
  await answers.ask(AT, "1", "search", ["a"]);
  await answers.ask({ ...AT, view: "w" }, "1", "search", ["a"]);
  await answers.ask(AT, "1", "locate", ["a"]);
  state.stateId = "2";
  await answers.ask(AT, "2", "search", ["a"]);
  await answers.ask(AT, "2", "search", ["a"]);
  expect(asked).toHaveLength(4);
});

test("what is not made of the view alone is asked again", async () => {
  const { asked, answers } = counting();
  await answers.ask(AT, "1", "grep", ["a"]);
  await answers.ask(AT, "1", "grep", ["a"]);
  expect(asked).toHaveLength(2);
});

test("an answer from a newer state is given, and not kept for the older one", async () => {
  const { asked, state, answers } = counting();
  state.stateId = "2";
  await answers.ask(AT, "1", "search", ["a"]);
  await answers.ask(AT, "1", "search", ["a"]);
  expect(asked).toHaveLength(2);
});

test("a failure is not kept, and what was asked long ago is forgotten", async () => {
  const { asked, answers } = counting();
  const failing = new AnswerCache({
    ask: async () => {
      throw new Error("no");
    },
  } as unknown as Readers);
  await expect(failing.ask(AT, "1", "search", [])).rejects.toThrow("no");
  await expect(failing.ask(AT, "1", "search", [])).rejects.toThrow("no");
  await answers.ask(AT, "1", "search", ["first"]);
  for (let i = 0; i < 256; i++) await answers.ask(AT, "1", "search", [i]);
  await answers.ask(AT, "1", "search", ["first"]);
  expect(asked).toHaveLength(258);
});
