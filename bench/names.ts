/**
 * How well search treats names that people type, over a stdio server:
 *
 *   node bench/names.ts [--per 50] [--seed 1] DIR...
 *
 * - literal: identifiers that occur 2 to 8 times; does the first result contain it, and does a result without it
 *   precede one that has it?
 * - sentence: a sentence that names a defined symbol; is its definition among the first three results?
 * - absent: a misspelt symbol that occurs nowhere; is that reported, and is the original suggested?
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { prng } from "../test/kit/prng.ts";
import { INITIALIZE, openSession, type Session } from "./session.ts";

const bin = resolve(import.meta.dirname, "../bin/codecompass.js");
const MAX_FILE_BYTES = 512 * 1024;
const IDENTIFIER = /(?<![\w$])[A-Za-z_$][\w$]*/g;
/** Digests in lock files are no names, and generated files may not be indexed. */
const LOCK_FILE = /(?:^|\/)(?:package-lock\.json|pnpm-lock\.yaml|go\.sum|[^/]+\.lock)$/;
/** Average line length above which the index skips a file as minified, and says so. */
const MINIFIED_LINE = 1_000;
/** Names that no English text contains by accident. */
const CODE_LIKE = /^(?=.{6,60}$)(?:\w*[a-z0-9][A-Z]\w*|\w*[A-Za-z0-9]_[A-Za-z0-9]\w*)$/;
const SENTENCES = [
  (name: string) => `where is ${name} called and what happens when it fails`,
  (name: string) => `how does ${name} handle empty input?`,
  (name: string) => `I want to change the behaviour of \`${name}\` for nested values`,
  (name: string) => `which arguments are passed to ${name} by default`,
];

interface SearchResult {
  readonly path: string;
  readonly line_start: number;
  readonly line_end: number;
}

interface Repository {
  readonly lines: ReadonlyMap<string, readonly string[]>;
  readonly counts: ReadonlyMap<string, number>;
}

class Tally {
  total = 0;
  right = 0;
  readonly misses: string[] = [];

  add(isRight: boolean, what: string): void {
    this.total++;
    if (isRight) this.right++;
    else if (this.misses.length < 5) this.misses.push(what);
  }
}

const tallies = {
  "literal: first result contains it": new Tally(),
  "literal: no ordering violation": new Tally(),
  "sentence: definition in first three": new Tally(),
  "absent: reported": new Tally(),
  "absent: original suggested": new Tally(),
};

function sample<T>(all: readonly T[], count: number, next: () => number): T[] {
  const rest = [...all];
  return Array.from(
    { length: Math.min(count, rest.length) },
    () => rest.splice(Math.floor(next() * rest.length), 1)[0]!,
  );
}

function readRepository(dir: string): Repository {
  const lines = new Map<string, readonly string[]>();
  const counts = new Map<string, number>();
  for (const path of execFileSync("git", ["-C", dir, "ls-files", "-z"], { maxBuffer: 1 << 28 })
    .toString()
    .split("\0")) {
    if (LOCK_FILE.test(path)) continue;
    const bytes = readRegularFile(join(dir, path));
    if (bytes === undefined || bytes.length > MAX_FILE_BYTES || bytes.includes(0)) continue;
    const text = bytes.toString("utf8");
    const rows = text.split("\n");
    if (text.length > MINIFIED_LINE * rows.length) continue;
    lines.set(path, rows);
    for (const [name] of text.matchAll(IDENTIFIER)) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return { lines, counts };
}

function readRegularFile(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

function contains(repository: Repository, { path, line_start, line_end }: SearchResult, name: string): boolean {
  const lines = repository.lines.get(path)?.slice(line_start - 1, line_end) ?? [];
  return path.includes(name) || lines.some((line) => line.includes(name));
}

async function search(session: Session, query: string) {
  const { value } = await session.tool("search_code", { query, limit: 10 });
  return value as {
    results: SearchResult[];
    did_you_mean?: string[];
    metadata: { literal_match?: string; did_you_mean?: string[] };
  };
}

async function checkLiteral(session: Session, repository: Repository, dir: string, name: string): Promise<void> {
  const { results } = await search(session, name);
  const has = results.map((result) => contains(repository, result, name));
  const label = `${basename(dir)} ${name}`;
  tallies["literal: first result contains it"].add(has[0] === true, label);
  const firstWithout = has.indexOf(false);
  tallies["literal: no ordering violation"].add(firstWithout === -1 || has.lastIndexOf(true) < firstWithout, label);
}

async function locate(session: Session, name: string): Promise<readonly SearchResult[]> {
  const { value } = await session.tool("locate_symbol", { name, limit: 5 });
  return (value as { results?: SearchResult[] }).results ?? [];
}

async function checkSentence(session: Session, dir: string, name: string, at: number): Promise<boolean> {
  const definitions = await locate(session, name);
  if (definitions.length === 0) return false;
  const { results } = await search(session, SENTENCES[at % SENTENCES.length]!(name));
  const isDefinition = (result: SearchResult) =>
    definitions.some(
      ({ path, line_start }) =>
        result.path === path && result.line_start <= line_start && line_start <= result.line_end,
    );
  tallies["sentence: definition in first three"].add(
    results.slice(0, 3).some(isDefinition),
    `${basename(dir)} ${name}`,
  );
  return true;
}

async function checkAbsent(session: Session, dir: string, name: string, misspelt: string): Promise<void> {
  const reply = await search(session, misspelt);
  const suggested = reply.did_you_mean ?? reply.metadata.did_you_mean ?? [];
  const label = `${basename(dir)} ${misspelt} (${name})`;
  tallies["absent: reported"].add(reply.metadata.literal_match === "absent", label);
  tallies["absent: original suggested"].add(suggested.includes(name), label);
}

/** A dropped, doubled or swapped letter, as fingers make them. */
function misspell(name: string, next: () => number): string {
  const at = 1 + Math.floor(next() * (name.length - 2));
  const kind = Math.floor(next() * 3);
  if (kind === 0) return name.slice(0, at) + name.slice(at + 1);
  if (kind === 1) return name.slice(0, at) + name[at]! + name.slice(at);
  return name.slice(0, at) + name[at + 1]! + name[at]! + name.slice(at + 2);
}

async function measure(dir: string, per: number, next: () => number): Promise<void> {
  const repository = readRepository(dir);
  const home = mkdtempSync(join(tmpdir(), "names-"));
  const env = { ...process.env, CODECOMPASS_HOME: home };
  execFileSync(process.execPath, [bin, "index", "--path", dir], { env, stdio: "ignore" });
  const session = openSession(bin, dir, env);
  await session.request("initialize", INITIALIZE);
  const names = [...repository.counts.keys()].filter((name) => CODE_LIKE.test(name)).sort();
  const rare = names.filter((name) => repository.counts.get(name)! >= 2 && repository.counts.get(name)! <= 8);
  for (const name of sample(rare, per, next)) await checkLiteral(session, repository, dir, name);
  let defined = 0;
  for (const name of sample(names, 10 * per, next)) {
    if (defined === per) break;
    if (!(await checkSentence(session, dir, name, defined))) continue;
    defined++;
    const misspelt = misspell(name, next);
    if (!repository.counts.has(misspelt)) await checkAbsent(session, dir, name, misspelt);
  }
  await session.close();
  rmSync(home, { recursive: true, force: true });
}

const { values, positionals } = parseArgs({
  options: { per: { type: "string", default: "50" }, seed: { type: "string", default: "1" } },
  allowPositionals: true,
});
const next = prng(Number(values.seed));
for (const dir of positionals) await measure(resolve(dir), Number(values.per), next);
for (const [what, { right, total, misses }] of Object.entries(tallies))
  console.log(
    `${what}: ${right} of ${total} (${((100 * right) / total).toFixed(1)} %)${misses.map((it) => `\n  ${it}`).join("")}`,
  );
