/**
 * Measures `unused` against a compiler: `node bench/oracle/unused.ts typescript|python NAME=PATH… [--out DIR]`.
 * Asks the oracle for the uses of every symbol without a use, and of a sample of all. A symbol that is called unused and
 * has a use outside itself is wrong; an export statement is no use.
 */
import { mkdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { createHash } from "../../src/adapters/hash/hashes.ts";
import type { ProjectId } from "../../src/model/ids.ts";
import { unused } from "../../src/navigate/unused.ts";
import { FAMILIES } from "./families.ts";
import { indexProject, sample } from "./project.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { out: { type: "string", default: "oracle-results" }, symbols: { type: "string", default: "400" } },
});
const [word = "", ...projects] = positionals;
const family = FAMILIES[word];
if (family === undefined || projects.length === 0) {
  console.error("usage: node bench/oracle/unused.ts typescript|python NAME=PATH…");
  process.exit(2);
}
const out = resolve(values.out);
mkdirSync(out, { recursive: true });
const everything = { languages: family.languages, count: Number.MAX_SAFE_INTEGER };
const page = { includeUnknown: true, offset: 0, limit: Number.MAX_SAFE_INTEGER };
console.log(
  "| project | checked | unused | wrong | unknown, no use in the repository | unknown, used | sampled unused, listed |",
);
console.log("|---|---|---|---|---|---|---|");
for (const project of projects) {
  const [name, given] = project.split("=") as [string, string];
  const setting = { out, libraries: "", names: [name] };
  const root = family.prepare?.(name, resolve(given), setting) ?? resolve(given);
  rmSync(join(out, "stores", name), { recursive: true, force: true });
  const at = await indexProject(root, join(out, "stores", name));
  const paths = (await at.files()).map((file) => file.path);
  const oracle = await family.open(root, paths, setting);
  const places = await sample(at, { ...everything, paths: new Set(paths) });
  const byId = new Map(places.map((it) => [`${it.path}\0${it.index}`, it]));
  const answer = await unused(page, at, { project: "oracle" as ProjectId, hash: await createHash() });
  const listed = new Map<string, string>();
  const tally = { unused: 0, wrong: 0, unknown: 0, unknownUsed: 0 };
  for (const { hit, reason } of answer.symbols) {
    const { symbols } = await at.record((await at.file(hit.path))!);
    const index = symbols.findIndex((it) => it.span.start === hit.symbol.span.start && it.name === hit.symbol.name);
    const place = byId.get(`${hit.path}\0${index}`);
    const uses = place && (await usesElsewhere(place, hit.symbol.span));
    if (place === undefined || uses === undefined) continue;
    listed.set(`${hit.path}\0${index}`, reason ?? "unused");
    tally[reason === undefined ? "unused" : uses.length > 0 ? "unknownUsed" : "unknown"]++;
    if (reason !== undefined || uses.length === 0) continue;
    tally.wrong++;
    console.error(`wrong: ${hit.path}:${hit.symbol.span.lineStart} ${hit.symbol.name}, used in ${uses[0]}`);
  }
  let [sampled, found] = [0, 0];
  const kinds = new Set(["fn", "method", "class", "type", "interface", "const", "var", "enum"]);
  const drawn = places.filter(
    (it) => kinds.has(it.kind) && !/(?:^|[/._-])(?:tests?|__tests__|spec|examples?)[/._]/.test(it.path),
  );
  for (const place of drawn.slice(0, Number(values.symbols))) {
    const { symbols } = await at.record((await at.file(place.path))!);
    const symbol = symbols[place.index]!;
    if (symbol.parent !== undefined && place.kind !== "method") continue;
    const uses = await usesElsewhere(place, symbol.span);
    if (uses === undefined || uses.length > 0) continue;
    sampled++;
    if (listed.has(`${place.path}\0${place.index}`)) found++;
    else console.error(`not listed: ${place.path} ${place.name} ${place.kind}`);
  }
  const { wrong, unknown, unknownUsed } = tally;
  console.log(
    `| ${name} | ${answer.counts.checked} | ${tally.unused} | ${wrong} | ${unknown} | ${unknownUsed} | ${found} of ${sampled} |`,
  );
  oracle.close();

  async function usesElsewhere(place: { path: string; offset: number }, span: { lineStart: number; lineEnd: number }) {
    const truths = await oracle.references(place.path, place.offset);
    const isExport = (it: { path: string; kind: string }) => it.kind === "import" && it.path === place.path;
    return truths
      ?.filter((it) => !isExport(it))
      .filter(
        (it) => !it.definition && !(it.path === place.path && it.line >= span.lineStart && it.line <= span.lineEnd),
      )
      .map(({ path, line }) => `${path}:${line}`);
  }
}
process.exit(0);
