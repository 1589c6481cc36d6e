/**
 * Answers every query of a retrieval suite with the product's search and writes the input of score.py.
 *
 *   node bench/retrieval/run.ts --suite DIR --checkouts DIR [--whole] [--repo NAME,…] [--index DIR] --out run.jsonl
 *
 * Indexes are cached in the temporary directory until the sources that build them change; --index DIR uses those in DIR
 * unchanged.
 * The suite and its checkouts are not part of this repository.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createHash } from "../../src/adapters/hash/hashes.ts";
import type { IdSource } from "../../src/model/ids.ts";
import { search } from "../../src/query/search.ts";
import { askMeaning } from "../../test/kit/embed-query.ts";
import { batchesOf, keptFolder, PROJECT } from "./build.ts";
import { snapshotOf } from "./snapshot.ts";

interface Repository {
  readonly name: string;
  readonly root: string;
}

const { values: options } = parseArgs({
  options: {
    suite: { type: "string" },
    checkouts: { type: "string" },
    out: { type: "string", default: "run.jsonl" },
    repo: { type: "string" },
    index: { type: "string" },
    whole: { type: "boolean", default: false },
  },
});
if (!options.suite || !options.checkouts) throw new Error("--suite DIR and --checkouts DIR are needed");

const LIMIT = 10;
const folder = options.index ?? keptFolder();
const ids: IdSource = { project: PROJECT, hash: await createHash() };
const only = options.repo?.split(",");
const lines: string[] = [];
const times: number[] = [];
for (const repository of readJson<Repository[]>(join(options.suite, "suite.json"))) {
  if (only && !only.includes(repository.name)) continue;
  await answer(repository, options.suite, options.checkouts);
}
writeFileSync(options.out, lines.join("\n"));
times.sort((a, b) => a - b);
console.log(`${times.length} queries, p50 ${quantile(0.5)} ms, p95 ${quantile(0.95)} ms, max ${quantile(1)} ms`);

async function answer({ name, root }: Repository, suite: string, checkouts: string): Promise<void> {
  const tree = join(checkouts, name, options.whole ? "" : root);
  const at = snapshotOf(await batchesOf(`${name}-${options.whole ? "whole" : "root"}`, tree, folder));
  const queries = readJson<{ query: string }[]>(join(suite, "annotations", `${name}.json`));
  for (const { query } of queries) {
    const started = performance.now();
    const { hits } = await search({ query, limit: LIMIT }, at, ids, { askMeaning });
    times.push(performance.now() - started);
    const results = hits.map(({ path, lineStart, lineEnd }) => ({ path, line_start: lineStart, line_end: lineEnd }));
    lines.push(JSON.stringify({ repo: name, query, results }));
  }
}

function quantile(share: number): string {
  return (times[Math.min(times.length - 1, Math.floor(share * times.length))] ?? 0).toFixed(1);
}

function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(path, "utf8")) as T;
}
