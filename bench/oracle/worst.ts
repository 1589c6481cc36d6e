/**
 * The slowest answers of find_references: `node bench/oracle/worst.ts NAME=PATH… [--symbols 400] [--out DIR]`.
 * Each symbol is looked up twice, with the first 50 uses, their lines and what is checked before an answer of none is called
 * complete; the second time counts, in milliseconds of wall clock and of processor.
 */
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { createHash } from "../../src/adapters/hash/hashes.ts";
import { READABLE } from "../../src/languages/index.ts";
import { type IdSource, type ProjectId, symbolHit } from "../../src/model/ids.ts";
import { references } from "../../src/navigate/find-references.ts";
import { indexProject, sample } from "./project.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    symbols: { type: "string", default: "400" },
    out: { type: "string", default: "oracle-results" },
  },
});
const languages = new Set(READABLE.filter(({ edges }) => edges).map(({ id }) => id));
const hash = await createHash();
const all: { wall: number; cpu: number; what: string }[] = [];
for (const project of positionals) {
  const [name, path] = project.split("=") as [string, string];
  const at = await indexProject(resolve(path), join(resolve(values.out), "stores", name));
  const paths = new Set((await at.files()).map((file) => file.path));
  const drawn = await sample(at, {
    languages,
    count: Number(values.symbols),
    paths,
  });
  const rows = new Map((await at.files()).map((file) => [file.path, file]));
  const ids: IdSource = { project: hash(resolve(path)).slice(0, 16) as ProjectId, hash };
  const asks = [];
  for (const { path, index, name, kind } of drawn) {
    const { symbolId } = symbolHit(await at.record(rows.get(path)!), index, ids);
    asks.push({ name, symbolId, limit: 50, what: `${kind} ${name} @${path}` });
  }
  for (const ask of asks) await references(ask, at, ids);
  for (const ask of asks) {
    const [wall, cpu] = [performance.now(), process.cpuUsage()];
    const { total, textMatches } = await references(ask, at, ids);
    const { user, system } = process.cpuUsage(cpu);
    const what = `${name} ${ask.what}, ${total} sites${textMatches === undefined ? "" : `, ${textMatches.length} lines`}`;
    all.push({
      wall: performance.now() - wall,
      cpu: (user + system) / 1000,
      what,
    });
  }
  console.error(`${name}: ${paths.size} files, ${drawn.length} symbols`);
}
for (const clock of ["wall", "cpu"] as const) {
  const sorted = all.toSorted((a, b) => a[clock] - b[clock]);
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]![clock].toFixed(1);
  console.log(
    `${clock}: p50 ${at(0.5)}, p95 ${at(0.95)}, p99 ${at(0.99)}, maximum ${at(1)} ms (${all.length} symbols)`,
  );
}
for (const { cpu, what } of all.toSorted((a, b) => b.cpu - a.cpu).slice(0, 10))
  console.log(`${cpu.toFixed(0)} ms  ${what}`);
process.exit(0);
