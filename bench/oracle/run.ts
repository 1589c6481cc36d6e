/**
 * Measures find_references against real compilers:
 * `node bench/oracle/run.ts typescript|python|go|c NAME=PATH… [--symbols 300] [--out DIR] [--libraries DIR] [--scip FILE]`.
 * `--scip` imports a compiler's index of the one project before. Every certain site of the product, and every `name_only` one, is compared with what the compiler lists for
 * the same symbol. Disagreements are written to OUT/NAME.jsonl for review. Not part of the tests: Go and clangd
 * must be installed, pyright is installed next to the results.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import type { Edge } from "../../src/model/edges.ts";
import { referenceRules } from "../../src/navigate/reference-rules.ts";
import { referencesTo } from "../../src/navigate/references.ts";
import { FAMILIES, type Family } from "./families.ts";
import type { Oracle, Truth } from "./oracle.ts";
import { indexProject, type Sampled, sample } from "./project.ts";
import { kindTables, PROJECT_HEAD, projectRow } from "./tables.ts";
import { count, emptyTally, placeKey, sum, type Tally } from "./tally.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    symbols: { type: "string", default: "300" },
    out: { type: "string", default: "oracle-results" },
    scip: { type: "string" },
    libraries: { type: "string", default: "/usr/share/gocode/src" },
  },
});
const [word = "", ...projects] = positionals;
const family: Family | undefined = FAMILIES[word];
if (family === undefined || projects.length === 0) {
  console.error(`usage: node bench/oracle/run.ts ${Object.keys(FAMILIES).join("|")} NAME=PATH…`);
  process.exit(2);
}
const setting = {
  out: resolve(values.out),
  libraries: values.libraries,
  names: projects.map((it) => it.split("=")[0]!),
};
mkdirSync(setting.out, { recursive: true });
console.log(PROJECT_HEAD);
const tallies: Tally[] = [];
for (const project of projects) {
  const [name, path] = project.split("=") as [string, string];
  tallies.push(await measure(family, name, resolve(path)));
  console.log(projectRow(name, tallies.at(-1)!));
}
if (tallies.length > 1) console.log(projectRow("**all**", sum(tallies)));
console.log(`\n${kindTables(sum(tallies))}`);
process.exit(0);

async function measure({ languages, prepare, open }: Family, name: string, given: string): Promise<Tally> {
  const root = prepare?.(name, given, setting) ?? given;
  const store = join(setting.out, "stores", name);
  // Content that an earlier build extracted from the same bytes would be reused.
  rmSync(store, { recursive: true, force: true });
  const at = await indexProject(root, store, values.scip);
  const paths = (await at.files()).map((file) => file.path);
  const oracle = await open(root, paths, setting);
  if (oracle.note) console.error(`${name}: ${oracle.note}`);
  const known = new Set(paths.filter((path) => oracle.reads?.(path) ?? true));
  const tally = emptyTally();
  const log: string[] = [];
  const drawn = await sample(at, { languages, count: Number(values.symbols), paths: known });
  // File by file: an oracle may have to read a file again for each query.
  for (const symbol of drawn.toSorted((a, b) => (a.path < b.path ? -1 : Number(a.path > b.path)))) {
    const truths = await oracle.references(symbol.path, symbol.offset);
    if (truths === undefined) continue;
    const listed = truths.filter((it) => known.has(it.path));
    const edges = (await referencesTo(symbol, at, referenceRules)).filter((it) => known.has(it.path));
    const { judged, confirmed } = await secondOpinion(oracle, edges, listed, symbol);
    log.push(...count({ symbol, edges: judged, truths: [...listed, ...confirmed] }, tally));
  }
  oracle.close();
  writeFileSync(join(setting.out, `${name}.jsonl`), `${log.join("\n")}\n`);
  return tally;
}

/** Of the sites that the oracle does not list: those it confirms by "go to definition", and those it read. */
async function secondOpinion(oracle: Oracle, edges: readonly Edge[], listed: readonly Truth[], symbol: Sampled) {
  const known = new Set(listed.map(placeKey));
  const judged: Edge[] = [];
  const confirmed: Truth[] = [];
  for (const edge of edges) {
    const { path, line, column } = edge;
    const isListed = known.has(placeKey(edge));
    if (!isListed && oracle.judges && !(await oracle.judges(edge))) continue;
    judged.push(edge);
    // Also of the uncertain ones: else only what is found with certainty would count as a use.
    if (isListed || !(await oracle.leadsTo?.(edge, symbol))) continue;
    confirmed.push({ path, line, column, kind: "reference", definition: false });
  }
  return { judged, confirmed };
}
