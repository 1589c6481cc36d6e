/**
 * Recall where no compiler is at hand: `node bench/oracle/unique.ts NAME=PATH… [--symbols 60] [--out DIR]`.
 * Draws types, functions and methods whose name the view defines once. Every occurrence of such a name in code is taken for
 * a use, so the figures are a lower bound: a local variable of the name counts as missed. Missed lines are printed to be judged.
 */
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { languageById, moduleSystemOf, READABLE } from "../../src/languages/index.ts";
import { referenceRules } from "../../src/navigate/reference-rules.ts";
import { referencesTo } from "../../src/navigate/references.ts";
import { occurrencesInCode } from "../../src/navigate/unread-lines.ts";
import type { Snapshot } from "../../src/ports/snapshot.ts";
import { indexProject, type Sampled, sample } from "./project.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { symbols: { type: "string", default: "60" }, out: { type: "string", default: "oracle-results" } },
});
const KINDS = new Set("fn method class struct interface trait enum object protocol record type".split(" "));
const MIN_LENGTH = 5;
const languages = new Set(READABLE.filter(({ edges }) => edges).map(({ id }) => id));
interface Counts {
  symbols: number;
  uses: number;
  certain: number;
  listed: number;
}
const total = new Map<string, Counts>();
for (const project of positionals) {
  const [name, path] = project.split("=") as [string, string];
  const at = await indexProject(resolve(path), join(resolve(values.out), "stores", name));
  const paths = new Set((await at.files()).map((file) => file.path));
  let drawn = 0;
  for (const symbol of await sample(at, { languages, count: Number.POSITIVE_INFINITY, paths })) {
    if (drawn === Number(values.symbols)) break;
    if (!KINDS.has(symbol.kind) || symbol.name.length < MIN_LENGTH || !(await isUnique(symbol, at))) continue;
    drawn++;
    await measure(name, symbol, at);
  }
}
console.log("\n| language | symbols | uses | recall, certain | recall, listed |\n|---|---|---|---|---|");
for (const [language, { symbols, uses, certain, listed }] of [...total].sort())
  console.log(
    `| ${language} | ${symbols} | ${uses} | ${(certain / uses).toFixed(3)} | ${(listed / uses).toFixed(3)} |`,
  );
process.exit(0);

async function isUnique({ name }: Sampled, at: Snapshot): Promise<boolean> {
  return (await at.symbols({ name, match: "exact", limit: 2 })).matched === 1;
}

async function measure(project: string, symbol: Sampled, at: Snapshot): Promise<void> {
  const { language } = (await at.file(symbol.path))!;
  const counts = total.get(language) ?? { symbols: 0, uses: 0, certain: 0, listed: 0 };
  total.set(language, counts);
  counts.symbols++;
  const found = new Map<string, boolean>();
  for (const { path, line, resolution } of await referencesTo(symbol, at, referenceRules)) {
    const key = `${path}:${line}`;
    found.set(key, found.get(key) === true || resolution !== "name_only");
  }
  for (const file of await at.files()) {
    if (moduleSystemOf(file.language) !== moduleSystemOf(language)) continue;
    const text = await at.text(file);
    for (const { offset, line } of occurrencesInCode(text, symbol.name, languageById(file.language)!)) {
      // A name that is all of a string is no use that a compiler knows.
      const isOwn = file.path === symbol.path && offset === symbol.offset;
      if (isOwn || /["'`]/.test(text[offset - 1] ?? "")) continue;
      counts.uses++;
      const certain = found.get(`${file.path}:${line}`);
      if (certain) counts.certain++;
      if (certain !== undefined) counts.listed++;
      else
        console.log(
          `${project}: ${symbol.kind} ${symbol.name}  ${file.path}:${line}  ${text.split("\n")[line - 1]!.trim().slice(0, 100)}`,
        );
    }
  }
}
