import { expect, test } from "vitest";
import { codecompass } from "../../../test/kit/command.ts";
import { unchangedFiles } from "../../../test/kit/faults.ts";
import { startHttp } from "../../../test/kit/http.ts";
import { sandbox } from "../../../test/kit/sandbox.ts";
import type { Readers, ViewAddress } from "../../ports/readers.ts";
import type { Reading } from "../compass.ts";
import type { ReadApi } from "./read-methods.ts";
import { AnswerCache, offloadReading, type ReaderOffload } from "./reader-offload.ts";

/** Over HTTP, questions about views of any size go to threads of their own. */
const FILES = 60;

test("what goes to a reader's thread, and what must not, is answered over HTTP", { timeout: 120_000 }, async () => {
  using box = sandbox();
  const root = box.tree(unchangedFiles(FILES));
  expect((await codecompass(["index"], { cwd: root, env: box.env })).code).toBe(0);
  const server = await startHttp(["--workspace", root], box.env);
  try {
    const found = async (name: string, input: object) => {
      const answer = await server.tool(name, input);
      return (answer.results ?? answer.context_items ?? answer.symbols ?? answer.hierarchy)?.length;
    };
    expect(await found("regex_search", { pattern: "quiet_17\\b" })).toBe(1);
    expect(await found("locate_symbol", { name: "quiet_17" })).toBe(1);
    expect(await found("get_symbol_hierarchy", { symbol_name: "quiet_17" })).toBeGreaterThan(0);
    for (const name of ["search_code", "hybrid_search", "semantic_search", "get_code_context"])
      expect(
        await found(name, { query: "quiet 17", ...(name === "semantic_search" && { threshold: 0 }) }),
      ).toBeGreaterThan(0);
  } finally {
    await server.close();
  }
});

interface Searched {
  readonly answer: unknown;
  readonly asked: readonly string[];
  /** Asks the same once more. */
  again(): Promise<unknown>;
}

/** Readers that have seen publication 2; the caller holds publication `held`. */
async function searchedBy(
  held: number,
  found: object = { stateId: "2" },
  show = async () => "shown here",
): Promise<Searched> {
  const asked: string[] = [];
  const readers = {
    takes: () => true,
    read: async (_: ViewAddress, method: string, [, caller]: readonly unknown[]) => {
      asked.push(method);
      return {
        answer: (caller as { stateId: string }).stateId === "2" ? found : { shown: "shown there" },
        stateId: "2",
      };
    },
    warm: async () => true,
    forget: () => {},
    rest: () => {},
    close: async () => {},
  } as Readers<ReadApi>;
  const here = { status: { ref: "main" }, search: () => "searched here", show };
  const by = {
    readers,
    answers: new AnswerCache(readers),
    tree: { row: { storeLocation: "store" } },
    storeProject: "project",
    snapshot: { info: { ref: "main", chunkCount: 1, stateId: String(held) } },
  };
  const reading = offloadReading(here as unknown as Reading, by as unknown as ReaderOffload);
  const again = () => reading.search({ query: "anything", limit: 1 });
  return { answer: await again(), asked, again };
}

test("a thread finds, and the caller shows what was found in the publication that it holds", async () => {
  expect(await searchedBy(2)).toMatchObject({ answer: "shown here", asked: ["find"] });
});

test("what was found in a newer publication is shown by the thread that holds it, and searched once", async () => {
  expect(await searchedBy(1)).toMatchObject({ answer: "shown there", asked: ["find"] });
});

test("what takes long to open was opened by the thread that found it", async () => {
  expect(await searchedBy(2, { shown: "shown there" })).toMatchObject({ answer: "shown there", asked: ["find"] });
});

test("a repeated query uses the cached result; a failed one is tried again", async () => {
  let shows = 0;
  const counted = await searchedBy(2, { stateId: "2" }, async () => `shown ${++shows}`);
  expect([counted.answer, await counted.again(), counted.asked]).toEqual(["shown 1", "shown 1", ["find"]]);
  let tries = 0;
  const show = async () => {
    if (++tries === 1) throw new Error("gone for a moment");
    return `try ${tries}`;
  };
  const found = { stateId: "2" };
  await expect(searchedBy(2, found, show)).rejects.toThrow("gone");
  expect((await searchedBy(2, found, show)).answer).toBe("try 2");
});
