/** Other embedding models: selected by the user, never mixed, harmless if unavailable. */
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { MAIN } from "../kit/main.ts";
import { F_GREP } from "../kit/repos/f-grep.ts";
import { type Sandbox, sandbox } from "../kit/sandbox.ts";
import { type StdioServer, startServer } from "../kit/stdio.ts";

const KEY = "key-that-must-not-leak";
let box: Sandbox;
let root: string;
let server: StdioServer | undefined;
let endpoint: Server | undefined;

beforeEach(() => {
  box = sandbox();
  root = box.repository(F_GREP);
});

afterEach(async () => {
  await server?.close();
  server = undefined;
  await new Promise((done) => endpoint?.close(done) ?? done(undefined));
  endpoint = undefined;
  box[Symbol.dispose]();
});

async function start(env: Record<string, string> = {}): Promise<StdioServer> {
  await server?.close();
  server = startServer(["--workspace", root], { ...box.env, ...env });
  await server.initialize();
  return server;
}

/** A model that counts a few words. */
const WORDS = ["retry", "token", "disk", "circle", "fail", "draw", "call", "row"];
const embed = (text: string) => WORDS.map((word) => text.toLowerCase().split(word).length - 1 + 0.01);

async function serveEndpoint(): Promise<{ env: Record<string, string>; texts: string[] }> {
  const texts: string[] = [];
  endpoint = createServer(async (request, response) => {
    const { input } = (await json(request)) as { input: string[] };
    texts.push(...input);
    const data = input.map((text, index) => ({ index, embedding: embed(text) }));
    response.end(JSON.stringify({ data }));
  });
  await new Promise<void>((ready) => endpoint!.listen(0, "127.0.0.1", ready));
  const env = {
    CODECOMPASS_EMBEDDING_ENDPOINT: `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/v1`,
    CODECOMPASS_EMBEDDING_MODEL: "word-counter",
    CODECOMPASS_EMBEDDING_API_KEY_ENV: "TEST_EMBEDDING_KEY",
    TEST_EMBEDDING_KEY: KEY,
  };
  return { env, texts };
}

const ask = (from: StdioServer, query = "draw a circle") => from.tool("semantic_search", { query, threshold: 0 });

test("switching is explicit, vectors of two models are never compared, and switching back costs nothing", async () => {
  const first = await start();
  await first.tool("reindex", {});
  expect((await ask(first)).metadata).toMatchObject({ search_mode: "semantic", model: "default" });
  const { env, texts } = await serveEndpoint();
  const second = await start(env);
  const before = await ask(second);
  expect(before.results).toEqual([]);
  expect(before.metadata.warnings.join()).toMatch(/have no vectors of the configured model: call reindex/);
  expect(before.metadata.result_completeness).toBe("partial");
  const done = await second.tool("reindex", {});
  expect(done.success).toBe(true);
  const after = await ask(second);
  expect(after.results[0].file).toBe("src/draw.ts");
  expect(after.metadata).toMatchObject({ model: "word-counter", result_completeness: "complete" });
  expect(texts.some((text) => text.includes("drawCircle"))).toBe(true);
  const asked = texts.length;
  await second.tool("reindex", {});
  expect(texts.length - asked).toBeLessThanOrEqual(1);
  const third = await start();
  expect((await ask(third)).metadata).toMatchObject({ model: "default", result_completeness: "complete" });
});

test("after an explicit reindex, new edits are embedded with the selected model", async () => {
  const { env } = await serveEndpoint();
  const one = await start(env);
  await one.tool("reindex", {});
  writeFileSync(join(root, "src/extra.py"), "def token_row():\n    return 'token row token row'\n");
  await one.tool("sync_repo", { wait_seconds: 30 });
  const answer = await ask(one, "token row");
  expect(answer.results[0].file).toBe("src/extra.py");
  expect(answer.metadata.result_completeness).toBe("complete");
});

test("an endpoint that is down leaves full-text search, with a warning without a key", async () => {
  const env = {
    CODECOMPASS_EMBEDDING_ENDPOINT: "http://127.0.0.1:9/v1",
    CODECOMPASS_EMBEDDING_API_KEY_ENV: "TEST_EMBEDDING_KEY",
    TEST_EMBEDDING_KEY: KEY,
  };
  const one = await start(env);
  await one.tool("index_repo", { wait_seconds: 30 });
  for (const tool of ["search_code", "semantic_search", "hybrid_search"]) {
    const answer = await one.tool(tool, {
      query: "write a row to the disk",
      ...(tool !== "search_code" && { threshold: 0 }),
    });
    expect(answer.results[0].file ?? answer.results[0].path).toBe("src/store.rs");
    expect(answer.metadata.warnings.join()).toMatch(
      /Searched by words only: .*cannot be used: the endpoint does not answer/,
    );
  }
  expect(one.lines.join() + one.stderr()).not.toContain(KEY);
});

test.each([
  ["a damaged model file", "damaged"],
  ["a missing model file", "ENOENT"],
])("%s leaves search by words", async (_, kind) => {
  const file = join(box.home, "model.bin");
  if (kind === "damaged") {
    const one = await start();
    await one.tool("index_repo", { wait_seconds: 30 });
    writeFileSync(file, "CCSE".padEnd(1000, "x"));
  }
  const two = await start({ CODECOMPASS_MODEL_FILE: file });
  const job = await two.tool("index_repo", { wait_seconds: 30 });
  expect(job.status).toBe("published");
  const answer = await two.tool("search_code", { query: "write a row to the disk" });
  expect(answer.results[0].path).toBe("src/store.rs");
  expect(answer.metadata.warnings.join()).toContain(
    "Searched by words only: the embedding model default cannot be used",
  );
  const names = await two.tool("locate_symbol", { name: "drawCircle" });
  expect(names.metadata.warnings ?? []).toEqual([]);
});

test("none disables semantic search without a warning", async () => {
  const one = await start({ CODECOMPASS_EMBEDDING_MODEL: "none" });
  await one.tool("index_repo", { wait_seconds: 30 });
  const answer = await one.tool("search_code", { query: "write a row to the disk" });
  expect(answer.results[0].path).toBe("src/store.rs");
  expect(answer.metadata.warnings ?? []).toEqual([]);
  expect((await ask(one)).metadata).toMatchObject({ search_mode: "lexical", model: "none" });
});

test("doctor reports the model in use and where texts are sent", async () => {
  const { env } = await serveEndpoint();
  const doctor = async (more: Record<string, string>, ...flags: string[]) => {
    const run = promisify(execFile)(process.execPath, [MAIN, "doctor", ...flags], {
      cwd: root,
      env: { ...box.env, ...more },
    });
    const { stdout, stderr } = await run.catch((error: { stdout: string; stderr: string }) => error);
    return stdout + stderr;
  };
  expect(await doctor({})).toMatch(/embedding model.*default, 256 dimensions, on this machine/);
  const configured = await doctor(env);
  expect(configured).toMatch(/word-counter, 8 dimensions, asked at .*: texts leave this machine/);
  expect(configured).not.toContain(KEY);
  expect(await doctor({ CODECOMPASS_EMBEDDING_MODEL: "owner/some-model" })).toMatch(/npm install @huggingface/);
  expect(await doctor({}, "--model", "./nowhere")).toMatch(/warn {2}embedding model: .*there is no folder .*nowhere/);
});
