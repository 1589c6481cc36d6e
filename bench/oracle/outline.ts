/**
 * Definitions that Universal Ctags lists and the outline does not: `node bench/oracle/outline.ts NAME=PATH… [--out DIR]`.
 * A definition counts as found if the file has a symbol of its name whose lines hold ctags' line. Local variables,
 * parameters, imports, labels and anonymous things are no part of an outline.
 */
import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import type { CodeSymbol } from "../../src/model/code.ts";
import { indexProject } from "./project.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { out: { type: "string", default: "oracle-results" }, missed: { type: "string", default: "0" } },
});

interface Tag {
  readonly name: string;
  readonly path: string;
  readonly line: number;
  readonly kind: string;
  readonly pattern: string;
  readonly scopeKind?: string;
}

/** Kinds of ctags that are definitions of an outline. */
const KINDS = new Set(
  "function method class struct interface enum enumerator trait macro typedef union namespace module member field constant singletonMethod type implementation object protocol func property getter setter generator subroutine record alias talias enumConstant annotation".split(
    " ",
  ),
);
const INNER = new Set("function method func subroutine singletonMethod".split(" "));
const VARIABLES = new Set("variable constant member field property alias".split(" "));
const tallies = new Map<string, { all: number; found: number }>();
for (const project of positionals) {
  const [name, path] = project.split("=") as [string, string];
  const root = resolve(path);
  const at = await indexProject(root, join(resolve(values.out), "stores", name));
  const tags = Map.groupBy(
    tagsOf(
      root,
      (await at.files()).map((file) => file.path),
    ),
    (tag) => tag.path,
  );
  for (const file of await at.files()) {
    const { symbols } = await at.record(file);
    // A language without symbols, or a file that is no code to us.
    if (symbols.length === 0) continue;
    for (const tag of tags.get(file.path) ?? []) {
      const tally = tallies.get(file.language) ?? { all: 0, found: 0 };
      tallies.set(file.language, tally);
      tally.all++;
      if (symbols.some((symbol) => isSame(symbol, tag))) tally.found++;
      else if (Number(values.missed) > 0)
        console.log(JSON.stringify({ project: name, language: file.language, ...tag }));
    }
  }
}
console.log("| language | definitions | in the outline |\n|---|---|---|");
for (const [language, { all, found }] of [...tallies].sort())
  console.log(`| ${language} | ${all} | ${((100 * found) / all).toFixed(1)} % |`);
process.exit(0);

function tagsOf(root: string, paths: readonly string[]): Tag[] {
  const { stdout } = spawnSync("ctags", ["--output-format=json", "--fields=+nKs", "--sort=no", "-L", "-", "-f", "-"], {
    cwd: root,
    input: paths.join("\n"),
    encoding: "utf8",
    maxBuffer: 1 << 30,
  });
  return stdout.split("\n").flatMap((line) => {
    if (!line.startsWith("{")) return [];
    const tag = JSON.parse(line) as Tag & { name: string };
    const isLocal = INNER.has(tag.scopeKind ?? "") && VARIABLES.has(tag.kind);
    return KINDS.has(tag.kind) && !isLocal && !isNoise(tag) && !/^__anon|^anonymous|^AnonymousFunction/.test(tag.name)
      ? [tag]
      : [];
  });
}

/** Imports, and what ctags lists of scripts: keys of objects, and constants inside of functions. */
function isNoise({ kind, path, pattern }: Tag): boolean {
  if (kind === "alias" && !/^\/\^\s*(?:export\s+)?(?:type|using)\b/.test(pattern)) return true;
  if (!/\.[cm]?[jt]sx?$/.test(path)) return false;
  if (kind === "property" || kind === "field") return true;
  if (kind === "class") return !/\bclass\b/.test(pattern);
  return kind === "constant" && !/^\/\^(?:export\s+)?const\b/.test(pattern);
}

function isSame({ name, span }: CodeSymbol, tag: Tag): boolean {
  const last = (it: string) =>
    it
      .split(/::|[.#:]/)
      .at(-1)!
      .replaceAll(" ", "");
  const isNamed = name === tag.name || last(name) === last(tag.name) || last(name) === tag.name.replace(/=$/, "");
  return isNamed && span.lineStart <= tag.line && tag.line <= Math.max(span.lineEnd, span.lineStart + 1);
}
