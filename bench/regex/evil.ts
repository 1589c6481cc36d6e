/**
 * Runs 500 hostile patterns on a server one after the other. Measures the slowest, and the latency of another
 * client's plain queries meanwhile, compared with the same queries before.
 */
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { EVIL_PATTERNS, EVIL_TEXTS } from "../../test/kit/evil-patterns.ts";
import { sandbox } from "../../test/kit/sandbox.ts";
import { type StdioServer, startServer } from "../../test/kit/stdio.ts";

const QUESTIONS = [
  { name: "search_code", arguments: { query: "how are arguments parsed" } },
  { name: "locate_symbol", arguments: { name: "main" } },
  { name: "semantic_search", arguments: { query: "read a file" } },
  { name: "list_refs", arguments: {} },
];
const QUIET_QUESTIONS = 400;

export async function evil(tree: string): Promise<string[]> {
  using box = sandbox();
  const root = box.tree({});
  cpSync(tree, root, { recursive: true, filter: (path) => !path.endsWith("/.git") });
  for (const [i, text] of EVIL_TEXTS.entries()) writeFileSync(join(root, `evil${i}.txt`), text);
  const server = startServer(["--workspace", root], box.env);
  await server.initialize();
  for (let i = 0; i < 40; i++) await server.request("tools/call", QUESTIONS[i % QUESTIONS.length]);
  const quiet: number[] = [];
  for (let i = 0; i < QUIET_QUESTIONS; i++) quiet.push(await neighbour(server, i));
  const busy: number[] = [];
  const slow: { pattern: string; ms: number }[] = [];
  let done = false;
  const asking = (async () => {
    for (const pattern of EVIL_PATTERNS) {
      const started = performance.now();
      await server.request("tools/call", { name: "regex_search", arguments: { pattern } });
      slow.push({ pattern, ms: performance.now() - started });
    }
    done = true;
  })();
  for (let i = 0; !done; i++) busy.push(await neighbour(server, i));
  await asking;
  await server.close();
  slow.sort((a, b) => b.ms - a.ms);
  return [
    `${EVIL_PATTERNS.length} patterns: p50 ${at(slow, 0.5)} ms, p95 ${at(slow, 0.05)} ms, slowest ${slow[0]!.ms.toFixed(0)} ms`,
    ...slow.slice(0, 5).map(({ pattern, ms }) => `  ${ms.toFixed(0)} ms ${pattern.slice(0, 80)}`),
    `neighbour, ${quiet.length} questions before: p50 ${share(quiet, 0.5)} ms, p95 ${share(quiet, 0.95)} ms`,
    `neighbour, ${busy.length} questions meanwhile: p50 ${share(busy, 0.5)} ms, p95 ${share(busy, 0.95)} ms, longest ${share(busy, 1)} ms`,
  ];
}

/** Queries are new each time: nothing is answered from a cache. */
async function neighbour(server: StdioServer, i: number): Promise<number> {
  const { name, arguments: input } = QUESTIONS[i % QUESTIONS.length]!;
  const asked = "query" in input ? { query: `${input.query} ${i}` } : input;
  const started = performance.now();
  await server.request("tools/call", { name, arguments: asked });
  return performance.now() - started;
}

function at(sorted: readonly { ms: number }[], from: number): string {
  return sorted[Math.floor(from * (sorted.length - 1))]!.ms.toFixed(1);
}

function share(times: readonly number[], of: number): string {
  return [...times].sort((a, b) => a - b)[Math.floor(of * (times.length - 1))]!.toFixed(1);
}
