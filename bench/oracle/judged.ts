/**
 * Measures find_references against hand-checked lists (bench/references), for languages without a compiler to ask:
 * `node bench/oracle/judged.ts REPOSITORIES [--only LIST,…] [--out DIR]`, where REPOSITORIES holds checkouts named OWNER+NAME.
 * A list names symbols (`@`) and occurrences of their names: `+` a use of the symbol, `~` of a base or an override of it, `-`
 * neither. Sites that a list does not name are not compared.
 *
 * `--draw LANGUAGE:OWNER/NAME` prints a new list to be judged: symbols by the fixed random sequence, at most six occurrences each,
 * with the line behind a tab. Comments, sentences in strings and definitions of the name are left out, and so are tests and
 * constructors, whose uses have another name.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { referenceRules } from "../../src/navigate/reference-rules.ts";
import { referencesTo } from "../../src/navigate/references.ts";
import type { Snapshot } from "../../src/ports/snapshot.ts";
import type { Truth } from "./oracle.ts";
import { indexProject, places, randomSequence, type Sampled, sample, shuffled } from "./project.ts";
import { PROJECT_HEAD, projectRow } from "./tables.ts";
import { count, emptyTally, placeKey, sum, type Tally } from "./tally.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: "string", default: "" },
    out: { type: "string", default: "oracle-results" },
    draw: { type: "string" },
    sites: { type: "string", default: "55" },
  },
});
const [repositories] = positionals;
if (repositories === undefined)
  throw new Error("usage: node bench/oracle/judged.ts REPOSITORIES [--draw LANGUAGE:OWNER/NAME]");
const LISTS = join(import.meta.dirname, "..", "references");
const MAX_PER_SYMBOL = 6;
const COMMENT = /^\s*(?:\/\/|\/\*|\* |\*$|#(?!\[)|--|\{-)/;
/** A string with a space and nothing inserted. */
const SENTENCE = /(["'])(?:(?!\1)[^\\${}])* (?:(?!\1)[^\\${}])*\1/g;
const CONSTRUCTORS = new Set(["initialize", "init", "constructor"]);

interface JudgedList {
  readonly name: string;
  readonly repository: string;
  readonly commit: string;
  readonly symbols: readonly JudgedSymbol[];
}

interface JudgedSymbol {
  readonly path: string;
  readonly line: number;
  readonly kind: string;
  readonly name: string;
  readonly sites: readonly (Truth & { readonly mark: string })[];
}

mkdirSync(resolve(values.out), { recursive: true });
if (values.draw === undefined) await measureAll();
else await draw(...(values.draw.split(":") as [string, string]));
process.exit(0);

async function measureAll(): Promise<void> {
  const only = values.only.split(",").filter(Boolean);
  const lists = readdirSync(LISTS)
    .filter((it) => only.length === 0 || only.some((start) => it.startsWith(start)))
    .map(readList);
  for (const [language, ofLanguage] of Map.groupBy(lists, ({ name }) => name.split("-")[0]!)) {
    console.log(`\n${language}\n\n${PROJECT_HEAD}`);
    const tallies: Tally[] = [];
    for (const list of ofLanguage) {
      tallies.push(await measure(list));
      console.log(projectRow(list.repository, tallies.at(-1)!));
    }
    console.log(projectRow("**all**", sum(tallies)));
  }
}

function readList(file: string): JudgedList {
  const [head = "", ...lines] = readFileSync(join(LISTS, file), "utf8").trimEnd().split("\n");
  const [, repository = "", commit = ""] = /^# https:\/\/github\.com\/(\S+) at (\w+)/.exec(head) ?? [];
  const symbols: (JudgedSymbol & { sites: (Truth & { mark: string })[] })[] = [];
  for (const line of lines) {
    const [mark = "", where = "", kind = "", name = ""] = line.split(" ");
    const [path = "", row, column] = where.split(":");
    if (mark === "@") symbols.push({ path, line: Number(row), kind, name, sites: [] });
    else
      symbols.at(-1)!.sites.push({
        ...{ mark, path, line: Number(row), column: Number(column) },
        ...{ kind: "reference", definition: false, related: mark === "~" },
      });
  }
  return { name: file.replace(/\.txt$/, ""), repository, commit, symbols };
}

async function measure({ name, repository, commit, symbols }: JudgedList): Promise<Tally> {
  const root = join(resolve(repositories!), repository.replace("/", "+"));
  if (commitOf(root) !== commit) throw new Error(`${root} is not at ${commit}`);
  const at = await indexed(repository, root);
  const tally = emptyTally();
  const log: string[] = [];
  for (const judged of symbols) {
    const symbol = await located(judged, at);
    const sites = new Set(judged.sites.map(placeKey));
    const edges = symbol === undefined ? [] : await referencesTo(symbol, at, referenceRules);
    const shown = symbol ?? { ...judged, index: -1, offset: -1 };
    const truths = judged.sites.filter(({ mark }) => mark !== "-");
    log.push(...count({ symbol: shown, edges: edges.filter((it) => sites.has(placeKey(it))), truths }, tally));
  }
  writeFileSync(join(resolve(values.out), `${name}.jsonl`), `${log.join("\n")}\n`);
  return tally;
}

/** A type and its constructor may have one name and one line. */
async function located({ path, line, kind, name }: JudgedSymbol, at: Snapshot): Promise<Sampled | undefined> {
  const file = await at.file(path);
  if (file === undefined) return undefined;
  const text = await at.text(file);
  const { symbols } = await at.record(file);
  const offsets = await places(file, text);
  const found = symbols.flatMap((it, i) => (it.name === name && lineOf(text, offsets[i] ?? 0) === line ? [i] : []));
  const index = found.find((it) => symbols[it]!.kind === kind) ?? found[0] ?? -1;
  return index < 0 ? undefined : { path, index, name, kind: symbols[index]!.kind, offset: offsets[index]! };
}

async function draw(language: string, repository: string): Promise<void> {
  const root = join(resolve(repositories!), repository.replace("/", "+"));
  const at = await indexed(repository, root);
  const files = (await at.files()).filter((file) => file.language === language);
  const texts = new Map<string, string>();
  for (const file of files) texts.set(file.path, await at.text(file));
  const random = randomSequence(7);
  let sites = 0;
  console.log(`# https://github.com/${repository} at ${commitOf(root)}`);
  for (const symbol of await sample(at, {
    languages: new Set([language]),
    count: Number.POSITIVE_INFINITY,
    paths: new Set(texts.keys()),
  })) {
    if (symbol.name.length < 2 || symbol.kind === "test" || CONSTRUCTORS.has(symbol.name)) continue;
    const line = lineOf(texts.get(symbol.path)!, symbol.offset);
    console.log(
      `@ ${symbol.path}:${line} ${symbol.kind} ${symbol.name}\t${texts.get(symbol.path)!.split("\n")[line - 1]!.trim()}`,
    );
    const defined = await definitions(symbol.name, at);
    const all = [...texts].flatMap(([path, text]) => occurrences(path, text, symbol.name, defined));
    const drawn = new Set(shuffled(all, random).slice(0, MAX_PER_SYMBOL));
    for (const it of all) if (drawn.has(it)) console.log(it);
    sites += drawn.size;
    if (sites >= Number(values.sites)) break;
  }
}

/** Where symbols of the name are: the offset of an accessor's name is that of its colon. */
async function definitions(name: string, at: Snapshot): Promise<Set<string>> {
  const found = new Set<string>();
  const { candidates } = await at.symbols({ name, match: "exact", limit: 5000 });
  for (const { file, index } of candidates) {
    const offset = (await places(file, await at.text(file)))[index]!;
    for (const it of [offset, offset + 1]) found.add(`${file.path}:${it}`);
  }
  return found;
}

function occurrences(path: string, text: string, name: string, defined: ReadonlySet<string>): string[] {
  const word = new RegExp(`(?<![\\p{L}\\p{N}_])${name.replace(/[$?]/g, "\\$&")}(?![\\p{L}\\p{N}_])`, "gu");
  const found: string[] = [];
  let start = 0;
  for (const [i, line] of text.split("\n").entries()) {
    const code = COMMENT.test(line) ? "" : line.replaceAll(SENTENCE, (it) => " ".repeat(it.length));
    for (const { index } of code.matchAll(word))
      if (!defined.has(`${path}:${start + index}`))
        found.push(`? ${path}:${i + 1}:${index}\t${line.trim().slice(0, 160)}`);
    start += line.length + 1;
  }
  return found;
}

function indexed(repository: string, root: string): Promise<Snapshot> {
  const store = join(resolve(values.out), "stores", repository.replace("/", "+"));
  rmSync(store, { recursive: true, force: true });
  return indexProject(root, store);
}

function commitOf(root: string): string {
  return spawnSync("git", ["-C", root, "rev-parse", "HEAD"], { encoding: "utf8" }).stdout.trim();
}

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}
