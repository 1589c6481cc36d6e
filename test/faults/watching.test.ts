/** L9: a server that watches a tree with 200 writes per second ends with the index of a fresh build. */
import { mkdirSync, readdirSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { codecompass } from "../kit/command.ts";
import { publishedContents, until } from "../kit/faults.ts";
import { pick, prng } from "../kit/prng.ts";
import { sandbox } from "../kit/sandbox.ts";
import { type StdioServer, startServer } from "../kit/stdio.ts";

const SECONDS = process.env.CODECOMPASS_LONG ? 60 : 8;
const PER_SECOND = 200;
const FILES = 300;
const TIMEOUT_MS = 1_200_000;

test(
  `L9: ${SECONDS * PER_SECOND} writes at ${PER_SECOND} per second, then the index equals a fresh build`,
  async () => {
    using box = sandbox();
    const root = box.tree(Object.fromEntries(Array.from({ length: FILES }, (_, at) => [pathOf(at), textOf(at, 0)])));
    const server = startServer(["--workspace", root], box.env);
    await server.initialize();
    expect((await server.tool("index_repo", { wait_seconds: 60 })).status).toBe("published");
    await until("the tree is watched", async () => (await server.tool("health_check")).watcher === "native");
    await storm(root, prng(9));

    const { env } = box;
    const again = `${box.home}-again`;
    expect((await codecompass(["index"], { cwd: root, env: { ...env, CODECOMPASS_HOME: again } })).code).toBe(0);
    const wanted = JSON.stringify(await publishedContents(again));
    await until("the index has followed", async () => JSON.stringify(await publishedContents(box.home)) === wanted);

    const fresh = startServer(["--workspace", root], { ...env, CODECOMPASS_HOME: again });
    await fresh.initialize();
    expect(await answers(server, root)).toEqual(await answers(fresh, root));
    expect(server.stderr()).not.toMatch(/unhandled|uncaught/);
    await Promise.all([server.close(), fresh.close()]);
    rmSync(again, { recursive: true });
  },
  TIMEOUT_MS,
);

function pathOf(at: number): string {
  return `d${at % 12}/f${at}.py`;
}

function textOf(at: number, version: number): string {
  return `def name_${at}_${version}(value):\n    """Topic${at % 9} word."""\n    return value\n`;
}

/** A share of the writes every 50 ms: a slow machine catches up. */
async function storm(root: string, random: () => number): Promise<void> {
  const started = performance.now();
  for (let done = 0; done < SECONDS * PER_SECOND; ) {
    const due = Math.min(SECONDS * PER_SECOND, ((performance.now() - started) / 1000) * PER_SECOND);
    for (; done < due; done++) attempt(() => edit(root, random, done));
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** An edit that makes no sense now does nothing. */
function attempt(change: () => void): void {
  try {
    change();
  } catch {}
}

function edit(root: string, random: () => number, version: number): void {
  const at = (path: string) => join(root, path);
  const path = pathOf(pick(random, FILES * 1.2));
  const kind = pick(random, 100);
  if (kind < 55) {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), textOf(pick(random, FILES), version));
  } else if (kind < 70) renameSync(at(path), at(pathOf(pick(random, FILES * 1.2))));
  else if (kind < 85) rmSync(at(path));
  else if (kind < 97) utimesSync(at(path), version + 1, version + 1);
  else if (kind < 98) renameSync(at(`d${pick(random, 12)}`), at(`d${pick(random, 14)}`));
  else writeFileSync(at(".gitignore"), ["d3/\n", "*9.py\n", "", "d4/f1*.py\n!d4/f16.py\n"][pick(random, 4)]!);
}

/** What a client sees of every file and name, and of some searches with their scores. */
async function answers(server: StdioServer, root: string): Promise<unknown> {
  const seen: unknown[] = [];
  const names: string[] = [];
  for (const path of readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".py"))
    .sort()) {
    const { symbols, error } = await server.tool("get_file_outline", { path });
    seen.push([path, error?.code, symbols]);
    for (const symbol of symbols ?? []) names.push(symbol.name);
  }
  for (const name of names) seen.push((await server.tool("locate_symbol", { name })).results);
  for (const query of ["topic3 word", "return value", "name_17", "d5/f5.py", '"topic1 word"'])
    seen.push((await server.tool("search_code", { query, limit: 50 })).results);
  return seen;
}
