/**
 * Measures workspace resolution among many, by path, by a path inside it and by name: `node bench/routing.ts [WORKSPACES]`.
 * In this process, without a transport: the cost of a call before its tool starts.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openCompass } from "../src/compose/compose.ts";
import { DEFAULTS } from "../src/config/schema.ts";

const count = Number(process.argv[2] ?? 50);
const CALLS = 5_000;

const base = mkdtempSync(join(tmpdir(), "codecompass-routing-"));
const workspaces = Array.from({ length: count }, (_, at) => join(base, `group-${at % 7}`, `workspace-${at}`));
for (const root of workspaces) {
  mkdirSync(join(root, "src", "deep"), { recursive: true });
  writeFileSync(join(root, "src", "deep", "one.py"), "def one(): pass\n");
}
const compass = await openCompass({ home: join(base, "home"), workspaces, settings: DEFAULTS, watch: false });
try {
  await compass.project(workspaces[0]);
  const spellings = {
    "its root": (root: string) => root,
    "a directory in it": (root: string) => join(root, "src", "deep"),
    "a detour": (root: string) => join(root, "..", root.slice(root.lastIndexOf("/") + 1)),
  };
  console.log(`${count} workspaces, ${CALLS} calls each`);
  for (const [word, spelt] of Object.entries(spellings)) {
    const times: number[] = [];
    for (let call = 0; call < CALLS; call++) {
      const from = performance.now();
      await compass.project(spelt(workspaces[(call * 31) % count]!));
      times.push(performance.now() - from);
    }
    times.sort((a, b) => a - b);
    const at = (share: number) => times[Math.floor(CALLS * share)]!.toFixed(3);
    console.log(`by ${word.padEnd(18)} p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, p99 ${at(0.99)} ms`);
  }
} finally {
  await compass.close();
  rmSync(base, { recursive: true, force: true });
}
