/**
 * Measures the cost of edges: `node bench/edges-cost.ts TREE [--rounds 3]` indexes the tree from scratch, alternating
 * between the built product and a copy of it without `edges.scm`. Compares wall time and CPU time (user and system, all
 * threads) of the whole process. Run `npm run build` first.
 */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { measure } from "./peers.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: "string", default: "3" } },
});
const [tree = ""] = positionals;
const product = fileURLToPath(new URL("..", import.meta.url));
const base = mkdtempSync(join(tmpdir(), "codecompass-edges-"));

interface Cost {
  readonly wallMs: number;
  readonly cpuMs: number;
}

try {
  const without = withoutEdges(join(base, "without"));
  const runs: { with: Cost[]; without: Cost[] } = { with: [], without: [] };
  for (let i = 0; i < Number(values.rounds); i++) {
    runs.without.push(await index(without));
    runs.with.push(await index(product));
  }
  for (const what of ["cpuMs", "wallMs"] as const) {
    const least = (costs: readonly Cost[]) => Math.min(...costs.map((it) => it[what]));
    const [all, none] = [least(runs.with), least(runs.without)];
    const share = ((100 * (all - none)) / all).toFixed(1);
    console.log(
      `${what}: with edges ${all.toFixed(0)}, without ${none.toFixed(0)}: edges take ${share} % (floor 35 %)`,
    );
  }
} finally {
  rmSync(base, { recursive: true, force: true });
}

function withoutEdges(to: string): string {
  for (const part of ["bin", "dist", "package.json"]) cpSync(join(product, part), join(to, part), { recursive: true });
  symlinkSync(join(product, "node_modules"), join(to, "node_modules"));
  const languages = join(to, "dist", "languages");
  for (const path of readdirSync(languages, { recursive: true }) as string[]) {
    if (path.endsWith("edges.scm")) rmSync(join(languages, path));
  }
  return to;
}

async function index(program: string): Promise<Cost> {
  const [home, told] = [join(base, "home"), join(base, "cpu.json")];
  rmSync(home, { recursive: true, force: true });
  const hook = join(base, "hook.mjs");
  writeFileSync(
    hook,
    `import { isMainThread } from "node:worker_threads";
import { writeFileSync } from "node:fs";
if (isMainThread) process.on("exit", () => writeFileSync(${JSON.stringify(told)}, JSON.stringify(process.cpuUsage())));
`,
  );
  const env = { ...process.env, CODECOMPASS_HOME: home, NODE_OPTIONS: `--import=${pathToFileURL(hook).href}` };
  const { ms, code } = await measure(
    process.execPath,
    [join(program, "bin", "codecompass.js"), "index", "--path", tree],
    env,
  );
  if (code !== 0) throw new Error(`codecompass index left with ${code}`);
  const { user, system } = JSON.parse(readFileSync(told, "utf8")) as NodeJS.CpuUsage;
  return { wallMs: ms, cpuMs: (user + system) / 1000 };
}
