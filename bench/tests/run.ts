/**
 * Measures likely tests against coverage: `node bench/tests/run.ts NAME=ROOT=COVERAGE.json…`, see `coverage.ts`.
 * For each function that some tests execute and not all: are the tests that are listed for a change of it among them?
 */
import { readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { createHash } from "../../src/adapters/hash/hashes.ts";
import { type CodeSymbol, nameLine } from "../../src/model/code.ts";
import type { ProjectId } from "../../src/model/ids.ts";
import { symbolHit } from "../../src/model/ids.ts";
import { findAffectedCode } from "../../src/navigate/affected-code.ts";
import { indexProject } from "../oracle/project.ts";

/** Over the functions of a project. */
class Tally {
  count = 0;
  private truth = 0;
  private listed = 0;
  private first = 0;
  private three = 0;
  private recall = 0;
  private shown = 0;
  private right = 0;

  note(tests: readonly { readonly path: string }[], truth: ReadonlySet<string>): void {
    const hits = tests.map(({ path }) => truth.has(path));
    const right = hits.filter(Boolean).length;
    this.count++;
    this.truth += truth.size;
    this.listed += Number(right > 0);
    this.first += Number(hits[0] === true);
    this.three += Number(hits.slice(0, 3).includes(true));
    this.recall += right / Math.min(MOST, truth.size);
    this.shown += hits.length;
    this.right += right;
  }

  row(): string {
    const { count, shown, right } = this;
    const shares = [this.listed, this.first, this.three, this.recall].map((it) => (it / count).toFixed(3));
    return `| ${count} | ${(this.truth / count).toFixed(1)} | ${shares.join(" | ")} | ${(right / Math.max(1, shown)).toFixed(3)} |`;
  }
}

const MOST = 30;
const NEW = new Set(["reaches", "imports", "name_only"]);
const FUNCTIONS = new Set(["fn", "method", "constructor"]);
console.log(
  "| project | functions | tests of each | some test listed | first is right | first three | recall at 30 | precision |",
);
console.log("|---|---|---|---|---|---|---|---|---|");
for (const project of process.argv.slice(2)) {
  const [name = "", root = "", coverage = ""] = project.split("=");
  const runs = JSON.parse(readFileSync(coverage, "utf8")) as Record<string, Record<string, number[]>>;
  const store = join(resolve("oracle-results"), `tests-${name}`);
  rmSync(store, { recursive: true, force: true });
  const at = await indexProject(resolve(root), store);
  const ids = { project: "oracle" as ProjectId, hash: await createHash() };
  const all = new Set(Object.keys(runs));
  const [before, now] = [new Tally(), new Tally()];
  let ms = 0;
  for (const file of await at.files()) {
    if (all.has(file.path) || /(?:^|\/)tests?\//.test(file.path)) continue;
    const record = await at.record(file);
    for (const [index, symbol] of record.symbols.entries()) {
      if (!FUNCTIONS.has(symbol.kind)) continue;
      const truth = new Set([...all].filter((test) => isExecuted(symbol, runs[test]![file.path] ?? [], file.language)));
      if (truth.size === 0 || truth.size > all.size / 2) continue;
      const { symbolId } = symbolHit(record, index, ids);
      const changed = [
        { symbolId, name: symbol.name, qualifiedName: symbol.qualifiedName, path: file.path, signature: false },
      ];
      const started = performance.now();
      const { tests } = await findAffectedCode({ changed, paths: [file.path], callersOfEach: 0, tests: MOST }, at);
      ms += performance.now() - started;
      const known = tests.filter(({ path }) => all.has(path));
      before.note(
        known.filter(({ reason }) => !NEW.has(reason)),
        truth,
      );
      now.note(known, truth);
    }
  }
  console.log(`| ${name} | without the call graph ${before.row()}\n| ${name} | with it ${now.row()}`);
  console.error(`${name}: ${(ms / now.count).toFixed(1)} ms each`);
}
process.exit(0);

/** V8 gives the line where a function begins, coverage.py the lines that ran: the first of a body is its head's. */
function isExecuted(symbol: CodeSymbol, lines: readonly number[], language: string): boolean {
  const line = nameLine(symbol);
  if (language !== "python") return lines.includes(line) || lines.includes(symbol.span.lineStart);
  return lines.some((it) => it > line && it <= symbol.span.lineEnd);
}
