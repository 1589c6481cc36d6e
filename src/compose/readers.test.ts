import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { codecompass } from "../../test/kit/command.ts";
import { storeLocation, unchangedFiles, withStore } from "../../test/kit/faults.ts";
import { sandbox } from "../../test/kit/sandbox.ts";
import type { ProjectId } from "../model/ids.ts";
import { ReaderPool } from "./readers.ts";

const box = sandbox();
let pool: ReaderPool | undefined;
let view: string;
beforeAll(async () => {
  const root = box.tree(unchangedFiles(50));
  expect((await codecompass(["index"], { cwd: root, env: box.env })).code).toBe(0);
  view = (await withStore(box.home, (store) => store.views()))![0]!.ref;
});
afterEach(() => pool?.close());
afterAll(() => box[Symbol.dispose]());

function indexed() {
  pool = new ReaderPool({ threads: 2, leastChunks: 10 });
  const project = "0123456789abcdef" as ProjectId;
  return { storeLocation: storeLocation(box.home)!, project, view, stateId: "", ref: "live" };
}

test("answers, refusals and bugs arrive as they were made", async () => {
  const at = indexed();
  const { answer } = await pool!.read(at, "locate", [{ name: "quiet_3", limit: 5 }]);
  expect(answer.hits[0]!.path).toBe("quiet/3/q3.py");
  await expect(pool!.read(at, "outline", ["nowhere.py", "all"])).rejects.toMatchObject({ code: "file_not_found" });
  await expect(pool!.read({ ...at, view: "no-such" }, "search", [{ query: "x", limit: 1 }])).rejects.toMatchObject({
    code: "index_not_ready",
  });
  const errors = vi.spyOn(console, "error");
  // @ts-expect-error: an unknown method does not compile
  const unknown = pool!.read(at, "noSuchMethod", []);
  await expect(unknown).rejects.toMatchObject({ code: "internal_error", data: { reason: /noSuchMethod/ } });
  expect(errors).not.toHaveBeenCalled();
  expect(pool!.takes(9)).toBe(false);
  expect(pool!.takes(10)).toBe(true);
});

test("hundreds at once are shared among the threads, and each gets its own answer", async () => {
  const at = indexed();
  const names = Array.from({ length: 300 }, (_, i) => `quiet_${i % 50}`);
  const all = await Promise.all(names.map((name) => pool!.read(at, "locate", [{ name, limit: 1 }])));
  for (const [i, { answer }] of all.entries()) {
    expect(answer.hits[0]!.symbol?.symbol.name).toBe(names[i]);
  }
});

test("a request that was aborted while it waited is not sent", async () => {
  const at = indexed();
  const controller = new AbortController();
  const first = Array.from({ length: 20 }, () => pool!.read(at, "search", [{ query: "value", limit: 5 }]));
  const late = pool!.read(at, "search", [{ query: "value", limit: 5 }], controller.signal);
  controller.abort();
  await expect(late).rejects.toThrow();
  await Promise.all(first);
  await expect(pool!.read(at, "search", [{ query: "x", limit: 1 }], AbortSignal.abort())).rejects.toThrow();
});

test("a store that was forgotten is opened again", async () => {
  const at = indexed();
  const ask = () => pool!.read(at, "locate", [{ name: "quiet_1", limit: 1 }]);
  await ask();
  pool!.forget(at.storeLocation);
  await ask();
});
