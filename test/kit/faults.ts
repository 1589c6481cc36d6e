/** Shared by fault tests: a tree whose files name their round, and checks of what a store must show after a kill. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { systemEnv } from "../../src/adapters/env/system.ts";
import { sqliteStores } from "../../src/adapters/sqlite/stores.ts";
import type { JobId, ProjectId } from "../../src/model/ids.ts";
import type { IndexRequest } from "../../src/ports/indexer.ts";
import type { Snapshot } from "../../src/ports/snapshot.ts";
import type { Store } from "../../src/ports/store.ts";
import { PLAIN_SETTINGS } from "./settings.ts";
import { sha256 } from "./store.ts";

/** Files that are rewritten together, all with the number of one round: two numbers at once are a torn publish. */
export const ROUND_FILES = 5;
const namesIn = (folder: string) => Array.from({ length: ROUND_FILES }, (_, at) => `${folder}/r${at}.py`);
const FOLDER = "round";

export function roundFiles(round: number, folder = FOLDER): Record<string, string> {
  return Object.fromEntries(
    namesIn(folder).map((name, at) => [name, `def round_${round}_of_${at}():\n    return "round${round}"\n`]),
  );
}

/** Small files that never change. */
export function unchangedFiles(count: number): Record<string, string> {
  const files: Record<string, string> = {};
  for (let at = 0; at < count; at++) {
    const body = `def quiet_${at}(value):\n    """Word${at % 7} for the full text."""\n    return value + ${at}\n`;
    files[`quiet/${at % 10}/q${at}.py`] = body;
  }
  return files;
}

/** The only store in a data directory; undefined before it exists. */
export function storeLocation(home: string): string | undefined {
  const stores = join(home, "stores");
  if (!existsSync(stores)) return undefined;
  const [name] = readdirSync(stores);
  return name === undefined ? undefined : join(stores, name);
}

/** Opens the store as a reader; undefined if there is none. */
export async function withStore<T>(home: string, use: (store: Store) => Promise<T>): Promise<T | undefined> {
  const location = storeLocation(home);
  if (location === undefined) return undefined;
  const stores = sqliteStores({ env: systemEnv(), hash: sha256 });
  const store = await stores.open(location, { create: false, project: "0123456789abcdef" as ProjectId });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

/**
 * The round of the published state; undefined if nothing is published. Fails if a byte is wrong, if two
 * rounds are visible at once, or if names and texts do not match.
 */
export function publishedRound(home: string, ref = "live"): Promise<number | undefined> {
  return withStore(home, async (store) => {
    expect(await store.verify("full")).toEqual([]);
    const snapshot = await store.snapshot(ref);
    if (snapshot === undefined) return undefined;
    try {
      return await roundOf(snapshot);
    } finally {
      snapshot.release();
    }
  });
}

async function roundOf(snapshot: Snapshot): Promise<number> {
  const rounds = new Set<number>();
  for (const name of namesIn(FOLDER)) {
    const file = await snapshot.file(name);
    if (file === undefined) throw new Error(`${name} is not in the published state`);
    rounds.add(Number(/round(\d+)"/.exec(await snapshot.text(file))![1]));
  }
  expect([...rounds]).toHaveLength(1);
  const [round] = rounds;
  const named = await snapshot.symbols({ name: `round_${round}_of_`, match: "prefix", limit: 100 });
  expect(named.matched).toBe(ROUND_FILES);
  return round!;
}

/** The project id of the only tree registered in a data directory. */
function treeOf(home: string): ProjectId {
  const [name] = readdirSync(join(home, "workspaces"));
  return name!.replace(/\.json$/, "") as ProjectId;
}

/** Everything a reader can see of a view, except what belongs to one store: ids, generations and times. */
export function publishedContents(home: string, ref = "live"): Promise<unknown> {
  return withStore(home, async (store) => {
    const snapshot = (await store.snapshot(ref))!;
    const files = await snapshot.files();
    const terms = ["word1", "word3", "return", "value", "round"].map((term) => ({ term, weight: 1 }));
    const page = await snapshot.lexical({ terms, limit: 1_000 });
    const symbols = await snapshot.symbols({ name: "", match: "prefix", limit: 100_000 });
    const { coverage, fileCount, symbolCount, chunkCount, languages } = snapshot.info;
    const answer = {
      info: { coverage, fileCount, symbolCount, chunkCount, languages },
      records: await Promise.all(files.map((file) => snapshot.record(file))),
      texts: await Promise.all(files.map((file) => snapshot.text(file))),
      stamps: [...(await snapshot.stamps(treeOf(home)))].sort(),
      found: page.candidates.map(({ file, chunk, score }) => `${file.path}#${chunk} ${score.toFixed(9)}`).sort(),
      symbols: symbols.candidates.map(({ file, name, index }) => `${file.path} ${index} ${name}`).sort(),
    };
    snapshot.release();
    return answer;
  });
}

/** Polls until the condition holds, for as long as a slow machine may need. */
export async function until(what: string, holds: () => Promise<boolean> | boolean, limitMs = 60_000): Promise<void> {
  const end = performance.now() + limitMs;
  while (performance.now() < end) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`it never came true: ${what}`);
}

/** An index request as the product would make it, for the tree registered in this data directory. */
export function indexRequest(home: string, root: string, word: string): IndexRequest {
  const workspaces = join(home, "workspaces");
  const rows = readdirSync(workspaces).map((name) => JSON.parse(readFileSync(join(workspaces, name), "utf8")));
  const { id, store } = rows.find((row) => row.root === root) as { id: ProjectId; store: string };
  return {
    jobId: word as JobId,
    project: id,
    root,
    storeLocation: join(home, "stores", store),
    ref: "live",
    mode: "incremental",
    force: false,
    settings: { ...PLAIN_SETTINGS, workers: 0 },
  };
}

/** Whether the process was killed; if it exited by itself it must have succeeded. */
export function wasKilled({ code, err }: { readonly code: number | null; readonly err: string }): boolean {
  if (code !== null && code !== 0) throw new Error(`exit ${code}: ${err}`);
  return code === null;
}
