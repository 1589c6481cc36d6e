/**
 * Measures the call edges of get_call_graph against a compiler:
 * `node bench/oracle/calls.ts typescript|go|python NAME=PATH… [--symbols 600] [--out DIR] [--libraries DIR] [--log]`.
 * An edge is a caller and a function or method that it calls, however often. Certain edges are compared with the calls that
 * the compiler lists for the callee; calls that may reach an override at run time are in neither list.
 */
import { mkdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import type { SymbolLocation } from "../../src/model/edges.ts";
import { referenceRules } from "../../src/navigate/reference-rules.ts";
import { referencesTo } from "../../src/navigate/references.ts";
import type { Snapshot } from "../../src/ports/snapshot.ts";
import { lineOffset } from "../../src/text/lines.ts";
import { FAMILIES } from "./families.ts";
import type { Place } from "./oracle.ts";
import { indexProject, type Sampled, sample } from "./project.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    symbols: { type: "string", default: "600" },
    out: { type: "string", default: "oracle-results" },
    libraries: { type: "string", default: "/usr/share/gocode/src" },
    log: { type: "boolean", default: false },
  },
});
const [word = "", ...projects] = positionals;
const family = FAMILIES[word]!;
const out = resolve(values.out);
mkdirSync(out, { recursive: true });
const CALLED: ReadonlySet<string> = new Set(["fn", "method"]);

console.log("| project | callees | compiler's edges | certain edges | precision | recall | recall with name_only |");
console.log("|---|---|---|---|---|---|---|");
for (const project of projects) {
  const [name, path] = project.split("=") as [string, string];
  console.log(`| ${name} | ${(await measure(name, resolve(path))).join(" | ")} |`);
}
process.exit(0);

async function measure(name: string, given: string): Promise<(string | number)[]> {
  const setting = { out, libraries: values.libraries, names: [name] };
  const root = family.prepare?.(name, given, setting) ?? given;
  const store = join(out, "stores", name);
  rmSync(store, { recursive: true, force: true });
  const at = await indexProject(root, store);
  const paths = (await at.files()).map((file) => file.path);
  const oracle = await family.open(root, paths, setting);
  if (oracle.note) console.error(`${name}: ${oracle.note}`);
  const known = new Set(paths.filter((it) => oracle.reads?.(it) ?? true));
  const drawn = await sample(at, { languages: family.languages, count: Number.MAX_SAFE_INTEGER, paths: known });
  const callees = drawn.filter(({ kind }) => CALLED.has(kind)).slice(0, Number(values.symbols));
  const sum = { callees: 0, truths: 0, certain: 0, right: 0, found: 0, any: 0 };
  for (const callee of callees.toSorted((a, b) => (a.path < b.path ? -1 : Number(a.path > b.path)))) {
    const truths = await oracle.references(callee.path, callee.offset);
    if (truths === undefined) continue;
    const listed = truths.filter((it) => known.has(it.path) && !it.definition && !it.related);
    const calls = listed.filter(({ kind }) => kind === "call" || kind === "member call");
    const edges = (await referencesTo(callee, at, referenceRules)).filter(
      (it) => it.kind === "calls" && known.has(it.path),
    );
    const sure = edges.filter(({ resolution }) => resolution !== "name_only");
    const used = await callersOf(listed, at);
    const truth = await callersOf(calls, at);
    const certain = await callersOf(sure, at);
    const any = await callersOf(edges, at);
    for (const edge of sure) {
      const isListed = used.has((await callerAt(edge, at)).key);
      if (!isListed && (await oracle.leadsTo?.(edge, callee))) used.add((await callerAt(edge, at)).key);
    }
    sum.callees++;
    sum.truths += truth.size;
    sum.certain += certain.size;
    sum.right += [...certain].filter((it) => used.has(it)).length;
    sum.found += [...truth].filter((it) => certain.has(it)).length;
    sum.any += [...truth].filter((it) => any.has(it)).length;
    if (values.log) report(callee, { truth, certain, used });
  }
  oracle.close();
  const share = (part: number, whole: number) => (whole === 0 ? "–" : (part / whole).toFixed(3));
  const { truths, certain } = sum;
  return [sum.callees, truths, certain, share(sum.right, certain), share(sum.found, truths), share(sum.any, truths)];
}

/** The callers of sites, without repetition. */
async function callersOf(places: readonly Place[], at: Snapshot): Promise<Set<string>> {
  const callers = await Promise.all(places.map((place) => callerAt(place, at)));
  return new Set(callers.map(({ key }) => key));
}

/** The innermost symbol around a site, by the site's own fact where there is one. */
async function callerAt(place: Place, at: Snapshot): Promise<SymbolLocation & { readonly key: string }> {
  const { path, line, column } = place;
  const file = (await at.file(path))!;
  const [facts] = await at.facts([file]);
  const { sites } = facts!;
  for (let i = 0; i < sites.count; i++)
    if (sites.lines[i] === line && sites.columns[i] === column)
      return { path, index: sites.from[i]!, key: `${path}#${sites.from[i]}` };
  const offset = lineOffset(await at.text(file), line) + column;
  let index = -1;
  for (const [i, { span, kind }] of (await at.record(file)).symbols.entries())
    if (kind !== "use" && offset >= span.start && offset < span.end) index = i;
  return { path, index, key: `${path}#${index}` };
}

function report(callee: Sampled, found: Record<"truth" | "certain" | "used", Set<string>>): void {
  const missing = [...found.truth].filter((it) => !found.certain.has(it));
  const wrong = [...found.certain].filter((it) => !found.used.has(it));
  const of = `${callee.kind} ${callee.name} @${callee.path}`;
  for (const it of wrong) console.error(`wrong  ${of} <- ${it}`);
  for (const it of missing) console.error(`missing  ${of} <- ${it}`);
}
