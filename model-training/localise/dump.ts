/**
 * Writes the signals of every candidate file of every issue, so that weights are tuned without an index:
 *
 *   node model-training/localise/dump.ts --issues issues.jsonl --mirrors DIR --home HOME [--done FILE] --out signals.jsonl
 *
 * HOME is a CODECOMPASS_HOME in which the base commit of each issue is indexed as a ref of its clone; others are left out.
 */
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Issue } from "../../bench/figures.ts";
import { systemEnv } from "../../src/adapters/env/system.ts";
import { createHash } from "../../src/adapters/hash/hashes.ts";
import { sqliteStores } from "../../src/adapters/sqlite/stores.ts";
import { embedQuery } from "../../src/compass/reading/reading.ts";
import { embeddersOf } from "../../src/compose/embedders.ts";
import type { ProjectId } from "../../src/model/ids.ts";
import { buildGraph } from "../../src/navigate/graph.ts";
import { referenceRules } from "../../src/navigate/reference-rules.ts";
import { collectSignals } from "../../src/query/issue/collect-signals.ts";
import { readIssue } from "../../src/query/issue/evidence.ts";
import { fileScore } from "../../src/query/issue/rank-issue.ts";
import { SIGNALS } from "../../src/query/issue/signals.ts";

const { values: options } = parseArgs({
  options: {
    issues: { type: "string" },
    mirrors: { type: "string" },
    home: { type: "string" },
    out: { type: "string", default: "signals.jsonl" },
    /** Candidates kept per issue beside the gold files. */
    keep: { type: "string", default: "80" },
  },
});

interface IssueWithAnswer extends Issue {
  readonly gold: readonly { readonly path: string; readonly lines: readonly (readonly [number, number])[] }[];
}

const issues = readFileSync(options.issues!, "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as IssueWithAnswer);
const stores = sqliteStores({ env: systemEnv(), hash: await createHash() });
const ask = embedQuery(embeddersOf(undefined)!, undefined);
writeFileSync(options.out, "");
const registered = new Map(
  readdirSync(join(options.home!, "workspaces")).map((name) => {
    const { root, store, id } = JSON.parse(readFileSync(join(options.home!, "workspaces", name), "utf8"));
    return [root as string, { store: store as string, id: id as string }];
  }),
);
const times: number[] = [];
for (const [repo, some] of Map.groupBy(issues, (issue) => issue.repo)) {
  const project = registered.get(join(options.mirrors!, repo.replace("/", "+"), "repo"));
  if (project === undefined) continue;
  const location = join(options.home!, "stores", project.store);
  const store = await stores.open(location, { create: false, project: project.id as ProjectId });
  const views = await store.views();
  for (const issue of some) {
    const view = views.find((one) => one.commit === issue.base_commit);
    if (view === undefined) continue;
    const at = (await store.snapshot(view.ref))!;
    const graph = buildGraph(at, referenceRules);
    const evidence = readIssue(issue.text);
    const embedded = await ask(`${evidence.title}\n${evidence.prose.slice(0, 1500)}`);
    const started = performance.now();
    const found = await collectSignals(evidence, {
      ask: { query: issue.text, limit: 50 },
      at,
      limits: {},
      ...(embedded && "vector" in embedded && { meaning: embedded }),
      imports: graph.imports,
      preliminary: fileScore,
    });
    times.push(performance.now() - started);
    const gold = new Set(issue.gold.map(({ path }) => path));
    const ranked = found.files.map((it) => ({ ...it, score: fileScore(it.signals) })).sort((a, b) => b.score - a.score);
    const kept = ranked.filter(({ file }, i) => i < Number(options.keep) || gold.has(file.path));
    appendFileSync(
      options.out,
      `${JSON.stringify({
        id: issue.id,
        set: issue.set,
        repo: issue.repo,
        gold: [...gold],
        exists: (await Promise.all([...gold].map((path) => at.file(path)))).filter(Boolean).length,
        evidence: { frames: evidence.frames.length, paths: evidence.paths, dotted: evidence.dotted.slice(0, 8) },
        files: kept.map(({ file, signals }) => [
          file.path,
          ...SIGNALS.map((name) => Math.round(signals[name] * 1e4) / 1e4),
        ]),
      })}\n`,
    );
    at.release();
  }
  await store.close();
}
times.sort((a, b) => a - b);
console.log(
  `${times.length} issues, p50 ${times[times.length >> 1]?.toFixed(0)} ms, max ${times.at(-1)?.toFixed(0)} ms`,
);
