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
  /** Upper and lower case are the same. */
  readonly folded?: true;
  /** ctags has a tag per clause of a function. */
  readonly clauses?: true;
  /** Which of our signatures are compared. */
  readonly head?: RegExp;
  readonly nameOf?: (tag: string) => string;
  /** Names that ctags takes for definitions although the language does not allow them as such: statements, uses of macros. */
  readonly misread?: RegExp;
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
    misread: /^[A-Z]+_[A-Z_]+$/,
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
  {
    ...{ id: "ocaml", ctags: "OCaml", letters: "cmt", kinds: ["type", "class", "method"], head: /^(?!exception)/ },
    repositories: ["ocsigen/lwt", "mirage/ocaml-cohttp", "janestreet/base"],
  },
  {
    ...{
      id: "erlang",
      ctags: "Erlang",
      letters: "dfmrt",
      kinds: ["package", "record", "macro", "type", "fn"],
      clauses: true,
    },
    repositories: ["ninenines/cowboy", "erlang/rebar3", "benoitc/hackney"],
    nameOf: (tag) => tag.replace(/^'|'$/g, ""),
  },
  {
    ...{ id: "clojure", ctags: "Clojure", letters: "fn", kinds: ["package", "fn"], head: /^\((?:ns|in-ns|defn) / },
    repositories: ["ring-clojure/ring", "clojure/core.async", "technomancy/leiningen"],
  },
  {
    ...{ id: "powershell", ctags: "PowerShell", letters: "cefi", kinds: ["class", "enum", "fn"] },
    repositories: ["pester/Pester", "dahlbyk/posh-git", "ScoopInstaller/Scoop"],
    nameOf: (tag) => tag.replace(/^(?:global|script|local|private):/i, ""),
  },
  {
    ...{
      id: "verilog",
      ctags: "SystemVerilog",
      letters: "CKPTfmtc",
      kinds: ["module", "namespace", "class", "fn", "type", "const", "macro"],
    },
    repositories: ["alexforencich/verilog-ethernet", "olofk/serv", "lowRISC/ibex"],
  },
  {
    ...{ id: "vhdl", ctags: "VHDL", letters: "ETafpPc", kinds: ["module", "impl", "namespace", "fn", "type", "const"] },
    repositories: ["stnolting/neorv32", "open-logic/open-logic", "VUnit/vunit"],
  },
  {
    ...{ id: "fortran", ctags: "Fortran", letters: "fimpstS", kinds: ["module", "fn", "struct", "interface"] },
    repositories: ["jacobwilliams/json-fortran", "fortran-lang/fpm", "fortran-lang/stdlib"],
    folded: true,
  },
  {
    ...{ id: "pascal", ctags: "Pascal", letters: "fp", kinds: ["fn"] },
    repositories: ["HashLoad/horse", "remobjects/pascalscript", "VSoftTechnologies/DUnitX"],
    nameOf: (tag) => tag.slice(tag.lastIndexOf(".") + 1),
  },
  {
    ...{ id: "cobol", ctags: "Cobol", letters: "Pps", kinds: ["module", "fn"] },
    misread:
      /^(?:END-(?!PROGRAM$)[A-Z]+|GOBACK|EXIT|CONTINUE|STOP|EJECT|SKIP\d|ELSE|FILE-CONTROL|I-O-CONTROL|SPECIAL-NAMES|SOURCE-COMPUTER|OBJECT-COMPUTER|REPOSITORY|DECLARATIVES|INSTALLATION|AUTHOR|DATE-WRITTEN|DATE-COMPILED|SECURITY|REMARKS)$/i,
    repositories: [
      "aws-samples/aws-mainframe-modernization-carddemo",
      "cicsdev/cics-banking-sample-application-cbsa",
      "openmainframeproject/cobol-check",
    ],
  },
  {
    ...{ id: "vimscript", ctags: "Vim", letters: "cf", kinds: ["fn", "macro"] },
    repositories: ["tpope/vim-fugitive", "preservim/nerdtree", "junegunn/fzf.vim"],
  },
  {
    ...{ id: "lisp", ctags: "EmacsLisp", letters: "fvmcus", kinds: ["fn", "var", "macro", "const", "struct"] },
    repositories: ["magit/magit", "magnars/dash.el", "bbatsov/projectile"],
  },
  {
    ...{ id: "css", ctags: "SCSS", letters: "cmf", kinds: ["selector", "macro"] },
    repositories: ["twbs/bootstrap", "animate-css/animate.css", "picocss/pico"],
  },
];

const MAX_FILE_BYTES = 512 * 1024;
const SKIPPED = /(?:^|\/)(?:\.git|node_modules|vendor|checkouts)(?:\/|$)/;

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
  for (const tags of letters.values()) tags.sort((a, b) => a.line - b.line);
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
    const text = readFileSync(file, "utf8").replace(/^\uFEFF/, "");
    const symbols = extract(language, relative(root, file), text, language.read!(text));
    const ours = symbols.map(({ name, kind, nameLine, span, signature = "" }) => ({
      name,
      kind,
      line: nameLine ?? span.lineStart,
      signature,
    }));
    const theirs = (tags.get(file) ?? [])
      .filter(({ name }) => !it.misread?.test(name))
      .map((tag) => ({ ...tag, name: nameOf(tag.name) }));
    const fold = (name: string) => (it.folded ? name.toLowerCase() : name);
    const isSame = (a: Tag, b: Tag) => fold(a.name) === fold(b.name) && Math.abs(a.line - b.line) <= 1;
    for (const tag of theirs.filter(
      ({ kind, name }, i) => wanted.has(kind) && !(it.clauses && theirs[i - 1]?.name === name),
    )) {
      counts.theirs++;
      if (ours.some((own) => isSame(own, tag))) counts.found++;
      else misses.push(`- ${file}:${tag.line} ${tag.kind} ${tag.name}`);
    }
    for (const own of ours.filter(
      ({ kind, signature }) => it.kinds.includes(kind) && (it.head?.test(signature) ?? true),
    )) {
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
