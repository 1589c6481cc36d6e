import { expect, test } from "vitest";
import type { Catalog } from "../../ports/catalog.ts";
import type { AskMeaning } from "../../query/retrievers/meaning.ts";
import type { Project } from "../compass.ts";
import { type Choosing, MOST_OPENED, selectByTerms, selectByVector } from "./repository-selection.ts";

const NAMES = Array.from({ length: 40 }, (_, at) => `h/r${at}`);
const projects = (names: readonly string[]) => names.map((root) => ({ root }) as Project);
const meant: AskMeaning = async () => ({ model: "m", vector: Float32Array.of(1) });

/** A store of so many repositories, of which these hold the words and these come near. */
function choosing({
  count = NAMES.length,
  words = ["h/r1"],
  near,
  askMeaning = meant,
  shared = true,
}: {
  readonly count?: number;
  readonly words?: readonly string[];
  readonly near?: readonly string[] | undefined;
  readonly askMeaning?: AskMeaning | undefined;
  readonly shared?: boolean;
}): Choosing {
  const all = NAMES.slice(0, count);
  const withTerms = async (_: readonly string[], { most }: { readonly most: number }) => ({
    names: words.slice(0, most),
    all: words.length <= most,
  });
  const catalog = { withTerms, near: async () => near };
  return {
    selection: {
      count,
      all: async () => projects(all),
      named: async (names) => projects(names),
      ...(shared && { shared: {} }),
    },
    catalog: catalog as unknown as Catalog,
    askMeaning,
    stop: new AbortController().signal,
  };
}

const named = ({ projects: chosen }: { readonly projects: readonly Project[] }) => chosen.map(({ root }) => root);

test.each([{ count: MOST_OPENED }, { shared: false }])(
  "few, or workspaces of this machine, are all asked: %j",
  async (of) => {
    for (const choose of [selectByTerms, selectByVector]) {
      const worth = await choose("a question", choosing(of));
      expect([worth.projects.length, worth.note]).toEqual([of.count ?? NAMES.length, undefined]);
    }
  },
);

test("of many, those that hold the words", async () => {
  expect(await selectByTerms("a question", choosing({ near: ["h/r9"] }))).toEqual({ projects: projects(["h/r1"]) });
  const more = await selectByTerms("a question", choosing({ words: NAMES }));
  expect(named(more)).toEqual(NAMES.slice(0, MOST_OPENED));
  expect(more.note).toMatch(/^More repositories hold these words/);
});

test("of many, those that come nearest, and that others were not compared", async () => {
  const worth = await selectByVector("a question", choosing({ near: NAMES.toReversed() }));
  expect(named(worth)).toEqual(NAMES.toReversed().slice(0, MOST_OPENED));
  expect(worth.note).toMatch(/^Only the 32 repositories that come nearest were asked/);
});

test.each([
  ["the store cannot tell", {}],
  ["no model is configured", { near: ["h/r9"], askMeaning: async () => undefined }],
  ["the model cannot be asked", { near: ["h/r9"], askMeaning: async () => ({ unavailable: "away" }) }],
])("where %s, those that hold the words, and that this was so", async (_, of) => {
  const worth = await selectByVector("a question", choosing(of));
  expect(named(worth)).toEqual(["h/r1"]);
  expect(worth.note).toMatch(/^Only repositories that hold the question's words were asked/);
});
