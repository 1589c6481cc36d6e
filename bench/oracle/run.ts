/**
 * Measures find_references against real compilers: `node bench/oracle/run.ts typescript|python NAME=PATH… [--symbols 300]
 * [--out DIR]`. Every site the product is sure of, and every one it only knows by name, is compared with what the
 * compiler lists for the same symbol. Disagreements are written to OUT/NAME.jsonl, to be read by eye.
 */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { dialectOf } from "../../src/compass/dialects.ts";
import { referencesTo } from "../../src/navigate/references.ts";
import { type Oracle, REF_KINDS, type RefKind, type Truth } from "./oracle.ts";
import { indexProject, sample } from "./project.ts";
import { pyrightOracle } from "./pyright.ts";
import { typescriptOracle } from "./typescript.ts";

const PYRIGHT = "1.1.414";
/** Every file, and the project's own sources before anything that is installed on this machine. */
const PYRIGHT_SETTINGS = { include: ["."], extraPaths: ["src", "."], typeCheckingMode: "off" };
const FAMILIES = {
  typescript: new Set(["typescript", "tsx", "javascript"]),
  python: new Set(["python"]),
};

interface Tally {
  symbols: number;
  sure: number;
  sureRight: number;
  nameOnly: number;
  nameOnlyRight: number;
  truths: number;
  byKind: Record<RefKind, { truths: number; sure: number; any: number }>;
  bySymbol: Record<string, { truths: number; sure: number; any: number; wrong: number }>;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { symbols: { type: "string", default: "300" }, out: { type: "string", default: "oracle-results" } },
});
const [family, ...projects] = positionals as ["typescript" | "python", ...string[]];
const out = resolve(values.out);
mkdirSync(out, { recursive: true });
const tallies: [string, Tally][] = [];
for (const project of projects) {
  const [name, path] = project.split("=") as [string, string];
  tallies.push([name, await measure(name, resolve(path))]);
  console.log(tableRow(...tallies.at(-1)!));
}
if (tallies.length > 1) console.log(tableRow("**all**", sum(tallies.map(([, tally]) => tally))));
console.log(kindTable(sum(tallies.map(([, tally]) => tally))));
process.exit(0);

async function measure(name: string, given: string): Promise<Tally> {
  const root = family === "python" ? copyOf(name, given) : given;
  const at = await indexProject(root, join(out, "stores", name));
  const paths = (await at.files()).map((file) => file.path);
  const oracle = await oracleOf(root, paths);
  const tally = emptyTally();
  const log: string[] = [];
  for (const symbol of await sample(at, FAMILIES[family], Number(values.symbols))) {
    const truths = await oracle.references(symbol.path, symbol.offset);
    if (truths === undefined) continue;
    const edges = await referencesTo(symbol, at, dialectOf);
    const listed = truths.filter((it) => paths.includes(it.path));
    const confirmed = confirmedBy(oracle, edges, listed, symbol);
    compare(symbol, edges, [...listed, ...confirmed], tally, log);
  }
  oracle.close();
  writeFileSync(join(out, `${name}.jsonl`), `${log.join("\n")}\n`);
  return tally;
}

/** Sites that the oracle does not list but whose definition it says is the symbol. */
function confirmedBy(oracle: Oracle, edges: Edges, listed: readonly Truth[], symbol: Symbol): Truth[] {
  const known = new Set(listed.map((it) => `${it.path}:${it.line}:${it.column}`));
  const sure = edges.filter((it) => it.resolution !== "name_only" && !known.has(`${it.path}:${it.line}:${it.column}`));
  const kind = "reference" as const;
  return sure
    .filter((edge) => oracle.leadsTo?.(edge, symbol))
    .map(({ path, line, column }) => ({ path, line, column, kind, definition: false }));
}

function oracleOf(root: string, paths: readonly string[]): Oracle | Promise<Oracle> {
  if (family === "typescript") return typescriptOracle(root, paths);
  const tools = join(out, "tools");
  const server = join(tools, "node_modules", "pyright", "langserver.index.js");
  if (!existsSync(server)) {
    mkdirSync(tools, { recursive: true });
    spawnSync("npm", ["install", "--ignore-scripts", "--prefix", tools, `pyright@${PYRIGHT}`], { stdio: "inherit" });
  }
  // pyright brings stubs of well-known packages, which it would read instead of the sources that are measured.
  const stubs = join(tools, "node_modules", "pyright", "dist", "typeshed-fallback", "stubs");
  for (const project of projects) rmSync(join(stubs, project.split("=")[0]!), { recursive: true, force: true });
  return pyrightOracle(root, server);
}

/** A copy whose settings make the oracle look at every file. */
function copyOf(name: string, given: string): string {
  const root = join(out, "projects", name);
  if (!existsSync(root)) cpSync(given, root, { recursive: true, filter: (path) => !path.endsWith("/.git") });
  writeFileSync(join(root, "pyrightconfig.json"), JSON.stringify(PYRIGHT_SETTINGS));
  return root;
}

type Edges = Awaited<ReturnType<typeof referencesTo>>;
type Symbol = Awaited<ReturnType<typeof sample>>[number];

function compare(symbol: Symbol, edges: Edges, truths: readonly Truth[], tally: Tally, log: string[]): void {
  const place = (it: { path: string; line: number; column: number }) => `${it.path}:${it.line}:${it.column}`;
  const definitions = new Set(truths.filter((it) => it.definition).map(place));
  const uses = new Map(truths.filter((it) => !definitions.has(place(it))).map((it) => [place(it), it]));
  const counted = edges.filter((edge) => !definitions.has(place(edge)));
  const found = new Map(counted.map((edge) => [place(edge), edge.resolution]));
  tally.bySymbol[symbol.kind] ??= { truths: 0, sure: 0, any: 0, wrong: 0 };
  const kindRow = tally.bySymbol[symbol.kind]!;
  const of = `${symbol.kind} ${symbol.name} @${symbol.path}`;
  tally.symbols++;
  for (const edge of counted) {
    const right = uses.has(place(edge));
    const sure = edge.resolution !== "name_only";
    tally[sure ? "sure" : "nameOnly"]++;
    if (right) tally[sure ? "sureRight" : "nameOnlyRight"]++;
    if (sure && !right) kindRow.wrong++;
    if (sure && !right)
      log.push(JSON.stringify({ wrong: of, at: place(edge), resolution: edge.resolution, kind: edge.kind }));
  }
  for (const [key, truth] of uses) {
    const resolution = found.get(key);
    const rows = [tally.byKind[truth.kind], kindRow];
    tally.truths++;
    for (const row of rows) {
      row.truths++;
      if (resolution !== undefined) row.any++;
      if (resolution !== undefined && resolution !== "name_only") row.sure++;
    }
    if (resolution === undefined) log.push(JSON.stringify({ missed: of, at: key, kind: truth.kind }));
    else if (resolution === "name_only") log.push(JSON.stringify({ unsure: of, at: key, kind: truth.kind }));
  }
}

function emptyTally(): Tally {
  const byKind = Object.fromEntries(REF_KINDS.map((kind) => [kind, { truths: 0, sure: 0, any: 0 }])) as Tally["byKind"];
  return { symbols: 0, sure: 0, sureRight: 0, nameOnly: 0, nameOnlyRight: 0, truths: 0, byKind, bySymbol: {} };
}

function sum(all: readonly Tally[]): Tally {
  const total = emptyTally();
  for (const tally of all) {
    for (const key of ["symbols", "sure", "sureRight", "nameOnly", "nameOnlyRight", "truths"] as const)
      total[key] += tally[key];
    for (const kind of REF_KINDS)
      for (const key of ["truths", "sure", "any"] as const) total.byKind[kind][key] += tally.byKind[kind][key];
    for (const [kind, row] of Object.entries(tally.bySymbol)) {
      total.bySymbol[kind] ??= { truths: 0, sure: 0, any: 0, wrong: 0 };
      const into = total.bySymbol[kind]!;
      for (const key of ["truths", "sure", "any", "wrong"] as const) into[key] += row[key];
    }
  }
  return total;
}

function tableRow(name: string, it: Tally): string {
  const sure = it.sureRight;
  const all = it.sureRight + it.nameOnlyRight;
  const cells = [
    name,
    it.symbols,
    it.truths,
    share(it.sureRight, it.sure),
    share(sure, it.truths),
    share(all, it.truths),
    share(it.sure - it.sureRight, it.sure),
    share(it.nameOnly - it.nameOnlyRight, it.nameOnly),
  ];
  return `| ${cells.join(" | ")} |`;
}

function kindTable(it: Tally): string {
  const rows = Object.entries(it.byKind).map(
    ([kind, row]) => `| ${kind} | ${row.truths} | ${share(row.sure, row.truths)} | ${share(row.any, row.truths)} |`,
  );
  const symbols = Object.entries(it.bySymbol)
    .sort(([, a], [, b]) => b.truths - a.truths)
    .map(
      ([kind, row]) =>
        `| ${kind} | ${row.truths} | ${share(row.sure, row.truths)} | ${share(row.any, row.truths)} | ${row.wrong} |`,
    );
  return [...rows, "", ...symbols].join("\n");
}

function share(part: number, whole: number): string {
  return whole === 0 ? "–" : (part / whole).toFixed(3);
}
