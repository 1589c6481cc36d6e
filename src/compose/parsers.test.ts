import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { PLAIN_SETTINGS } from "../../test/kit/settings.ts";
import type { ProjectId } from "../model/ids.ts";
import type { ReadRequest } from "../ports/parsers.ts";
import { decodeRecord } from "../segment/stored-content.ts";
import type { ThreadOptions } from "./parse-thread.ts";
import { ParserPool } from "./parsers.ts";

const scratch = mkdtempSync(join(tmpdir(), "parsers-"));
const pool = new ParserPool();
afterAll(async () => {
  await pool.close();
  rmSync(scratch, { recursive: true });
});

function request(contents: Record<string, string>, more: Partial<ReadRequest> = {}): ReadRequest {
  for (const [path, text] of Object.entries(contents)) writeFileSync(join(scratch, path), text);
  return {
    root: scratch,
    project: "p" as ProjectId,
    settings: PLAIN_SETTINGS,
    tasks: Object.entries(contents).map(([path, text]) => ({ path, size: text.length })),
    known: async () => new Set(),
    signal: new AbortController().signal,
    ...more,
  };
}

test("files come back as records with their segment", async () => {
  const { outcomes, batches } = await pool.read(request({ "a.rs": "fn alpha() {}\n", "b.rs": "struct B;\n" }));
  expect(outcomes).toMatchObject([
    { path: "a.rs", symbols: 1 },
    { path: "b.rs", symbols: 1 },
  ]);
  expect(batches).toHaveLength(1);
  expect(batches[0]!.files.map((file) => decodeRecord(file.record).symbols[0]?.name)).toEqual(["alpha", "B"]);
});

test("the last requests go to the first idle worker, not behind a slow one", async () => {
  // Long enough that a worker which starts late is done with the others before it.
  const long = "fn long() { let a = 1; }\n".repeat(12_000);
  const two = new ParserPool();
  const settings = { ...PLAIN_SETTINGS, workers: 2 };
  const done: string[] = [];
  const read = async (path: string, text: string) => {
    await two.read(request({ [path]: text }, { settings, isAll: true }));
    done.push(path);
  };
  await Promise.all([
    read("long.rs", long),
    ...["1.rs", "2.rs", "3.rs", "4.rs"].map((path) => read(path, "fn short() {}\n")),
  ]);
  await two.close();
  expect(done.at(-1)).toBe("long.rs");
});

test("known contents and gone files are not read", async () => {
  const known: ReadRequest["known"] = async (keys) =>
    new Set(keys.map((key) => `${key.contentHash}\0${key.extractor}\0${key.path}`));
  const ask = request({ "a.rs": "fn alpha() {}\n" }, { known });
  const results = await pool.read({ ...ask, tasks: [...ask.tasks, { path: "none.rs", size: 0 }] });
  expect(results).toMatchObject({
    outcomes: [
      { path: "a.rs", symbols: 0 },
      { path: "none.rs", gone: true },
    ],
    batches: [],
  });
});

test("what is said to be unseen is read without asking", async () => {
  let asked = 0;
  const known: ReadRequest["known"] = async () => {
    asked++;
    return new Set();
  };
  const { outcomes, batches } = await pool.read(request({ "a.rs": "fn alpha() {}\n" }, { known, unseen: true }));
  expect(outcomes).toMatchObject([{ path: "a.rs", symbols: 1 }]);
  expect(batches).toHaveLength(1);
  expect(asked).toBe(0);
});

test("given content is read instead of the disk; a request for symbols gets no segment", async () => {
  const bytes = new TextEncoder().encode("fn given() {}\n");
  const { outcomes, batches, records } = await pool.read({
    ...request({}),
    tasks: [{ path: "not/on/disk.rs", size: bytes.length, bytes }],
    purpose: "records",
  });
  expect(outcomes).toMatchObject([{ path: "not/on/disk.rs", symbols: 1 }]);
  expect(records?.[0]?.symbols[0]?.name).toBe("given");
  expect(batches).toEqual([]);
});

test("files come back with git's object id on request", async () => {
  const { batches } = await pool.read(request({ "blob.rs": "fn blob() {}\n" }, { blobs: "sha1" }));
  // As `git hash-object` names it.
  expect(batches[0]!.files[0]!.blob).toBe("46c1355fcdfdaa4bd1b0ce0f3304d9b1817a85da");
});

test("requests beyond the workers wait their turn", async () => {
  const asks = Array.from({ length: 6 }, (_, i) => pool.read(request({ [`w${i}.rs`]: `fn w${i}() {}\n` })));
  expect((await Promise.all(asks)).map(({ outcomes }) => outcomes[0]!.path)).toEqual([
    "w0.rs",
    "w1.rs",
    "w2.rs",
    "w3.rs",
    "w4.rs",
    "w5.rs",
  ]);
});

test("a cancelled request is given up at once", async () => {
  const controller = new AbortController();
  const reading = pool.read(request({ "a.rs": "" }, { signal: controller.signal, known: () => new Promise(() => {}) }));
  controller.abort();
  await expect(reading).rejects.toMatchObject({ name: "AbortError" });
});

const culprit = (name: string, options: ThreadOptions) =>
  test(name, async () => {
    const fragile = new ParserPool(options);
    const contents = { "a.rs": "fn a() {}", "bomb.rs": "fn boom() {}", "c.rs": "fn c() {}" };
    const { outcomes, batches } = await fragile.read(request(contents));
    expect(outcomes).toMatchObject([
      { path: "a.rs", symbols: 1 },
      { path: "bomb.rs", symbols: 0 },
      { path: "c.rs", symbols: 1 },
    ]);
    const bomb = batches.flatMap((batch) => batch.files).find((file) => file.path === "bomb.rs")!;
    expect(decodeRecord(bomb.record).problems).toEqual([{ kind: "parser_crash" }]);
    await fragile.close();
  });
culprit("a worker that dies costs its file the parser, and nobody else anything", { failAt: "bomb.rs" });
culprit("also where it may take plenty of memory", { failAt: "bomb.rs", memory: "plenty" });
culprit("so does one that hangs", { hangAt: "bomb.rs", hangCpuMs: 3_000 });

test("one that is kept from working does not hang, and its file is parsed", async () => {
  const paused = new ParserPool({ pauseAt: "a.rs", hangCpuMs: 200 });
  const { outcomes } = await paused.read(request({ "a.rs": "fn a() {}" }));
  expect(outcomes).toMatchObject([{ path: "a.rs", symbols: 1 }]);
  await paused.close();
});

test("after closing nothing is accepted", async () => {
  const closed = new ParserPool();
  await closed.close();
  await expect(closed.read(request({ "a.rs": "" }))).rejects.toMatchObject({ code: "internal_error" });
});
