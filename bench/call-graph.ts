/**
 * Measures get_call_graph in a large repository: `node bench/call-graph.ts TREE STORE [SYMBOLS]`. Indexes the tree into
 * STORE unless it exists (the one slow part). Queries calls three steps away in both directions, each symbol once cold
 * and then warm, in wall time.
 */
import { createHash } from "../src/adapters/hash/hashes.ts";
import { type ProjectId, symbolHit } from "../src/model/ids.ts";
import { createNavigation } from "../src/navigate/navigation.ts";
import { indexProject } from "./oracle/project.ts";

const [tree = "", store = "", count = "80"] = process.argv.slice(2);
const FLOOR_MS = 60;
const WARM_ROUNDS = 5;
const at = await indexProject(tree, store);
console.log(`${at.info.fileCount} files, ${at.info.symbolCount} symbols`);
const hash = await createHash();
const ids = { project: hash(tree).slice(0, 16) as ProjectId, hash };
const navigation = createNavigation(at, ids);
const cold: number[] = [];
const warm: number[] = [];
let edges = 0;
for (const symbolId of await sample(Number(count))) {
  for (let round = 0; round <= WARM_ROUNDS; round++) {
    const before = performance.now();
    const answer = await navigation.callGraph({ name: "", symbolId, direction: "both", depth: 3, limit: 50 });
    const ms = performance.now() - before;
    (round === 0 ? cold : warm).push(ms);
    if (round === 0) edges += answer.total;
    if (round > 0 && ms > FLOOR_MS)
      console.log(`  slow: ${ms.toFixed(0)} ms ${answer.root.path} ${answer.root.symbol.name} ${answer.total} edges`);
  }
}
console.log(
  `${cold.length} symbols, ${edges} edges; cold ${figures(cold)}; warm ${figures(warm)} (floor p95 ${FLOOR_MS} ms)`,
);
process.exit(0);

/** Functions and methods spread over the view, the same ones every time. */
async function sample(most: number): Promise<string[]> {
  const files = (await at.files()).filter(({ language }) => !["markdown", "text", "json", "yaml"].includes(language));
  const chosen: string[] = [];
  for (let i = 0; chosen.length < most && i < 4 * most; i++) {
    const record = await at.record(files[Math.floor(((i * 0.618034) % 1) * files.length)]!);
    const functions = record.symbols.flatMap(({ kind }, index) => (kind === "fn" || kind === "method" ? [index] : []));
    const index = functions[i % Math.max(1, functions.length)];
    if (index !== undefined) chosen.push(symbolHit(record, index, ids).symbolId);
  }
  return chosen;
}

function figures(times: number[]): string {
  times.sort((a, b) => a - b);
  const p = (share: number) => times[Math.floor((times.length - 1) * share)]!.toFixed(1);
  return `p50 ${p(0.5)} ms, p95 ${p(0.95)} ms, most ${p(1)} ms`;
}
