import { expect, test } from "vitest";
import type { Catalog } from "../../ports/catalog.ts";
import type { Project } from "../compass.ts";
import { MOST_OPENED, type SelectionSource, selectByTerms, selectForSemantic } from "./workspace-selection.ts";

const NAMES = Array.from({ length: 40 }, (_, at) => `h/r${at}`);
const projects = (names: readonly string[]) => names.map((root) => ({ root }) as Project);

/** A store of so many repositories, of which these hold the words. */
function choosing({
  count = NAMES.length,
  words = ["h/r1"],
  shared = true,
}: {
  readonly count?: number;
  readonly words?: readonly string[];
  readonly shared?: boolean;
}): SelectionSource {
  const all = NAMES.slice(0, count);
  const withTerms = async (_: readonly string[], { most }: { readonly most: number }) => ({
    names: words.slice(0, most),
    all: words.length <= most,
  });
  const catalog = { withTerms };
  return {
    selection: {
      count,
      all: async () => projects(all),
      named: async (names) => projects(names),
      ...(shared && { shared: {} }),
    },
    catalog: catalog as unknown as Catalog,
    stop: new AbortController().signal,
  };
}

const named = ({ projects: chosen }: { readonly projects: readonly Project[] }) => chosen.map(({ root }) => root);

test.each([{ count: MOST_OPENED }, { shared: false }])(
  "few, or workspaces of this machine, are all asked: %j",
  async (of) => {
    for (const choose of [selectByTerms, selectForSemantic]) {
      const worth = await choose("a question", choosing(of));
      expect([worth.projects.length, worth.note]).toEqual([of.count ?? NAMES.length, undefined]);
    }
  },
);

test("of many, those that hold the words", async () => {
  expect(await selectByTerms("a question", choosing({}))).toEqual({ projects: projects(["h/r1"]) });
  const more = await selectByTerms("a question", choosing({ words: NAMES }));
  expect(named(more)).toEqual(NAMES.slice(0, MOST_OPENED));
  expect(more.note).toMatch(/^More repositories hold these words/);
});

test("a semantic search over many repositories opens those with the words, and says so", async () => {
  const worth = await selectForSemantic("a question", choosing({}));
  expect(named(worth)).toEqual(["h/r1"]);
  expect(worth.note).toMatch(/^Only repositories that hold the question's words were asked/);
});
