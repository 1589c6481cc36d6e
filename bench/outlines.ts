/**
 * Outlines of languages without a grammar against universal-ctags, over checkouts of public repositories:
 *
 *   node bench/outlines.ts REPOSITORIES [--only ID,...] [--misses 20]
 *
 * REPOSITORIES holds the checkouts, named OWNER+NAME. `found`: definitions of ctags that we have, too (same name, at most one
 * line apart). `right`: our definitions of the compared kinds that ctags knows as a tag of any kind. Where ctags misreads a
 * construct, both sides lose; `--misses` lists them so that they can be judged.
 */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { extract } from "../src/ingest/extract.ts";
import { detectLanguage, languageById } from "../src/languages/index.ts";

interface Comparison {
  readonly id: string;
  /** Its name in ctags, and the letters of the kinds that are compared. */
  readonly ctags: string;
  readonly letters: string;
  /** Our kinds that are compared. */
  readonly kinds: readonly string[];
  readonly repositories: readonly string[];
  /** Functions inside functions are not compared. */
  readonly outermost?: true;
  readonly nameOf?: (tag: string) => string;
}

const COMPARISONS: readonly Comparison[] = [
  {
    ...{ id: "proto", ctags: "Protobuf", letters: "egmors" },
    kinds: ["struct", "enum", "interface", "union", "method", "variant"],
    repositories: ["open-telemetry/opentelemetry-proto", "envoyproxy/data-plane-api", "cncf/xds"],
  },
  {
    ...{ id: "sql", ctags: "SQL", letters: "DPTVfipt" },
    kinds: ["table", "fn", "type", "property", "module"],
    repositories: ["theory/pgtap", "devrimgunduz/pagila", "citusdata/pg_cron"],
  },
  {
    ...{ id: "makefile", ctags: "Make", letters: "mt", kinds: ["target", "var", "macro"] },
    repositories: ["redis/redis", "kubernetes-sigs/kubebuilder", "prometheus/prometheus"],
  },
  {
    ...{ id: "cmake", ctags: "CMake", letters: "Dfmpt", kinds: ["fn", "macro", "module", "target", "const"] },
    repositories: ["catchorg/Catch2", "KDE/extra-cmake-modules", "cpm-cmake/CPM.cmake"],
  },
  {
    ...{ id: "objective-c", ctags: "ObjectiveC", letters: "IPimpft" },
    kinds: ["class", "impl", "protocol", "extension", "method", "property", "fn", "type"],
    repositories: ["AFNetworking/AFNetworking", "SDWebImage/SDWebImage", "SnapKit/Masonry"],
    nameOf: (tag) => tag.replace(/\s+/g, ""),
  },
  {
    ...{ id: "r", ctags: "R", letters: "f", kinds: ["fn"], outermost: true },
    nameOf: (tag) => tag.replace(/^[`"']|[`"']$/g, ""),
    repositories: ["tidyverse/dplyr", "rstudio/shiny", "tidyverse/purrr"],
  },
  {
    ...{ id: "julia", ctags: "Julia", letters: "fmnstc", kinds: ["fn", "macro", "module", "struct", "type", "const"] },
    repositories: ["FluxML/Flux.jl", "JuliaData/DataFrames.jl", "JuliaWeb/HTTP.jl"],
  },
  {
    ...{ id: "perl", ctags: "Perl", letters: "cps", kinds: ["module", "fn", "const"] },
    repositories: ["mojolicious/mojo", "Perl-Critic/Perl-Critic", "plack/Plack"],
  },
];

const MAX_FILE_BYTES = 512 * 1024;
const SKIPPED = /(?:^|\/)(?:\.git|node_modules|vendor)(?:\/|$)/;

interface Tag {
  readonly name: string;
  readonly line: number;
  readonly kind: string;
}

interface Counts {
  theirs: number;
  found: number;
  ours: number;
  right: number;
}

function filesOf(root: string, id: string): string[] {
  return (readdirSync(root, { recursive: true, withFileTypes: true }) as import("node:fs").Dirent[])
    .filter((it) => it.isFile())
    .map((it) => join(it.parentPath, it.name))
    .filter((path) => !SKIPPED.test(relative(root, path)) && statSync(path).size <= MAX_FILE_BYTES)
    .filter((path) => detectLanguage(path, /\.h$/.test(path) ? readFileSync(path, "utf8") : "").id === id)
    .sort();
}

function tagsOf(files: readonly string[], { ctags, outermost }: Comparison): Map<string, Tag[]> {
  const options = [
    "--options=NONE",
    `--language-force=${ctags}`,
    "--output-format=json",
    "--fields=+nKzZ",
    "-f",
    "-",
    "-L",
    "-",
  ];
  const lines = execFileSync("ctags", options, {
    input: files.join("\n"),
    maxBuffer: 1 << 30,
    stdio: ["pipe", "pipe", "ignore"],
  });
  const letters = new Map<string, Tag[]>();
  for (const line of lines.toString().split("\n")) {
    if (!line.startsWith("{")) continue;
    const { name, path, line: at, kind, scope } = JSON.parse(line) as Tag & { path: string; scope?: string };
    const tags = letters.get(path) ?? [];
    // ctags invents names for what has none.
    if (!/^(?:__)?anon/i.test(name))
      tags.push({ name, line: at, kind: outermost && scope !== undefined ? "inner" : kind });
    letters.set(path, tags);
  }
  return letters;
}

/** Kind names of ctags by their letters. */
function kindNames({ ctags, letters }: Comparison): Set<string> {
  const table = execFileSync("ctags", [`--list-kinds-full=${ctags}`], { encoding: "utf8" });
  const rows = table.split("\n").map((row) => row.trim().split(/\s+/));
  return new Set(rows.filter(([letter]) => letters.includes(letter!)).map(([, name]) => name!));
}

function compare(root: string, it: Comparison, misses: string[]): Counts {
  const language = languageById(it.id)!;
  const files = filesOf(root, it.id);
  const tags = tagsOf(files, it);
  const wanted = kindNames(it);
  const counts: Counts = { theirs: 0, found: 0, ours: 0, right: 0 };
  const nameOf = it.nameOf ?? ((name: string) => name);
  for (const file of files) {
    const text = readFileSync(file, "utf8");
    const symbols = extract(language, relative(root, file), text, language.read!(text));
    const ours = symbols.map(({ name, kind, nameLine, span }) => ({ name, kind, line: nameLine ?? span.lineStart }));
    const theirs = (tags.get(file) ?? []).map((tag) => ({ ...tag, name: nameOf(tag.name) }));
    const isSame = (a: Tag, b: Tag) => a.name === b.name && Math.abs(a.line - b.line) <= 1;
    for (const tag of theirs.filter(({ kind }) => wanted.has(kind))) {
      counts.theirs++;
      if (ours.some((own) => isSame(own, tag))) counts.found++;
      else misses.push(`- ${file}:${tag.line} ${tag.kind} ${tag.name}`);
    }
    for (const own of ours.filter(({ kind }) => it.kinds.includes(kind))) {
      counts.ours++;
      if (theirs.some((tag) => isSame(own, tag))) counts.right++;
      else misses.push(`+ ${file}:${own.line} ${own.kind} ${own.name}`);
    }
  }
  return counts;
}

const percent = (part: number, whole: number) => (whole === 0 ? "-" : `${((100 * part) / whole).toFixed(1)} %`);

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { only: { type: "string" }, misses: { type: "string", default: "0" } },
});
const root = positionals[0]!;
const only = values.only?.split(",");
console.log(
  "| Language | Repository | Definitions of ctags | Found | Ours | Right |\n| --- | --- | --- | --- | --- | --- |",
);
for (const it of COMPARISONS.filter(({ id }) => !only || only.includes(id))) {
  const total: Counts = { theirs: 0, found: 0, ours: 0, right: 0 };
  const misses: string[] = [];
  const row = (name: string, { theirs, found, ours, right }: Counts) =>
    console.log(`| ${it.id} | ${name} | ${theirs} | ${percent(found, theirs)} | ${ours} | ${percent(right, ours)} |`);
  for (const repository of it.repositories) {
    const counts = compare(join(root, repository.replace("/", "+")), it, misses);
    for (const key of Object.keys(total) as (keyof Counts)[]) total[key] += counts[key];
    row(repository, counts);
  }
  row("all", total);
  const step = Math.max(1, Math.floor(misses.length / Math.max(1, Number(values.misses))));
  if (Number(values.misses) > 0) for (let i = 0; i < misses.length; i += step) console.log(misses[i]);
}
