/** Finds callers of changed symbols and the tests likely to cover them, in the view after the change. */
import { EDGE_KINDS, type Edge } from "../model/edges.ts";
import type { AffectedCode, AffectedCodeRequest, CallSite, ChangedSymbol, LikelyTest } from "../model/navigation.ts";
import type { FileRow, Snapshot } from "../ports/snapshot.ts";
import { pathClasses } from "../query/path-class.ts";
import { sliceLines } from "../text/lines.ts";
import { buildGraph, type Graph } from "./graph.ts";
import { type ReachedTest, reachingTests } from "./reaching-tests.ts";
import { referenceRules } from "./reference-rules.ts";

/** Maximum number of changed symbols to search uses for; more would take too long for one answer. */
const MOST_SYMBOLS = 40;
/** A name used in more files than this does not identify a test. */
const MOST_FILES = 200;

export async function findAffectedCode(ask: AffectedCodeRequest, at: Snapshot): Promise<AffectedCode> {
  const callers: CallSite[][] = [];
  let totalCallers = 0;
  for (const symbol of ask.changed.filter(({ signature }) => signature).slice(0, MOST_SYMBOLS)) {
    const isMeant = (await isCommon(symbol.name, at)) ? isCertain : () => true;
    const uses = (await findUses(symbol, at)).filter(isElsewhere(symbol)).filter(isMeant);
    const edges = outsideFirst(uses, symbol.path).sort((a, b) => Number(isCertain(b)) - Number(isCertain(a)));
    totalCallers += edges.length;
    callers.push(await Promise.all(edges.slice(0, ask.callersOfEach).map((edge) => describeCaller(edge, symbol, at))));
  }
  const tests = (await at.files()).filter(({ path }) => isTest(path)).map(({ path }) => path);
  const followed = await usesOfChanged(ask.changed.slice(0, MOST_SYMBOLS), at);
  const uses = await testUses(followed, at);
  const reached = ask.tests > 0 ? await reachingTests(followed, ask.tests, at) : [];
  return {
    callers: interleave(callers),
    totalCallers,
    tests: likelyTests({ tests, uses, reached, changedPaths: ask.paths, limit: ask.tests }),
  };
}

/** The author of a change knows the uses in the changed file; those in other files come first. */
function outsideFirst(edges: readonly Edge[], path: string): Edge[] {
  return [...edges.filter((edge) => edge.path !== path), ...edges.filter((edge) => edge.path === path)];
}

/** The first of each, then the second of each: a budget that ends early has still shown something of everything. */
function interleave<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list.slice(at, at + 1))).flat();
}

function isTest(path: string): boolean {
  return pathClasses(path).includes("test");
}

/** A name such as `__init__` or `write` that is found by name alone says nothing about one of its definitions. */
async function isCommon(name: string, at: Snapshot): Promise<boolean> {
  return (await at.symbols({ name, match: "exact", limit: 1 })).matched > MOST_DEFINITIONS;
}

/** A method, its interface and a few overrides may be meant together. */
const MOST_DEFINITIONS = 4;

function isCertain({ resolution }: Edge): boolean {
  return resolution !== "name_only";
}

/** An import has to follow a rename, but it is no call. */
function isElsewhere({ name, symbolId }: ChangedSymbol): (edge: Edge) => boolean {
  return (edge) => edge.kind !== "imports" || symbolId === undefined || edge.name !== name;
}

export async function findUses(
  symbol: ChangedSymbol,
  at: Snapshot,
  graph: Pick<Graph, "referencesTo"> = buildGraph(at, referenceRules),
): Promise<readonly Edge[]> {
  if (symbol.symbolId === undefined) return findUsesByName(symbol.name, at);
  const [place] = await at.symbolsById(symbol.symbolId);
  if (place === undefined) return findUsesByName(symbol.name, at);
  return graph.referencesTo({ path: place.file.path, index: place.index });
}

/** A deleted symbol can only be found by its name, and only if nothing else that is defined has that name. */
async function findUsesByName(name: string, at: Snapshot): Promise<readonly Edge[]> {
  if (await isDefined(name, at)) return [];
  const files = (await at.mentions(name)).slice(0, MOST_FILES);
  const facts = await at.facts(files);
  return files.flatMap(({ path }, at) => {
    const { names, sites } = facts[at]!;
    const nameIndex = names.indexOf(name);
    const edges: Edge[] = [];
    for (let i = 0; i < sites.count; i++) {
      if (sites.names[i] !== nameIndex || sites.bound[i]! >= 0) continue;
      const kind = EDGE_KINDS[sites.kinds[i]!]!;
      const from = sites.from[i]! < 0 ? {} : { from: sites.from[i]! };
      edges.push({
        kind,
        resolution: "name_only",
        name,
        path,
        line: sites.lines[i]!,
        column: sites.columns[i]!,
        ...from,
      });
    }
    return edges;
  });
}

async function isDefined(name: string, at: Snapshot): Promise<boolean> {
  const { candidates, matched } = await at.symbols({ name, match: "exact", limit: MOST_IMPORTS });
  if (matched > candidates.length) return true;
  const kinds = await Promise.all(
    candidates.map(async ({ file, index }) => (await at.record(file)).symbols[index]?.kind),
  );
  return kinds.some((kind) => kind !== "use");
}

/** Imports of a name are symbols in some languages; more than this are not looked through. */
const MOST_IMPORTS = 50;

async function describeCaller(edge: Edge, symbol: ChangedSymbol, at: Snapshot): Promise<CallSite> {
  const file = (await at.file(edge.path)) as FileRow;
  const record = await at.record(file);
  const from = edge.from === undefined ? undefined : record.symbols[edge.from]?.qualifiedName;
  return {
    of: symbol.qualifiedName,
    path: edge.path,
    line: edge.line,
    context: sliceLines(await at.text(file), edge.line, edge.line).trim(),
    ...(from !== undefined && { from }),
    resolution: edge.resolution,
  };
}

interface UsesOfSymbol {
  readonly symbol: ChangedSymbol;
  readonly edges: readonly Edge[];
}

async function usesOfChanged(changed: readonly ChangedSymbol[], at: Snapshot): Promise<UsesOfSymbol[]> {
  const uses: UsesOfSymbol[] = [];
  for (const symbol of changed) {
    if ((await at.mentions(symbol.name)).length > MOST_FILES) continue;
    uses.push({ symbol, edges: await findUses(symbol, at) });
  }
  return uses;
}

async function testUses(changed: readonly UsesOfSymbol[], at: Snapshot): Promise<Map<string, string[]>> {
  const uses = new Map<string, Set<string>>();
  for (const { symbol, edges } of changed) {
    const { name } = symbol;
    // A test that uses an ambiguous name such as `Header` or `write` may use any of its definitions.
    const isOnly = (await at.symbols({ name, match: "exact", limit: 1 })).matched <= 1;
    for (const { path, resolution } of edges)
      if (isTest(path) && (isOnly || resolution !== "name_only"))
        uses.set(path, (uses.get(path) ?? new Set()).add(name));
  }
  return new Map(Array.from(uses, ([path, names]) => [path, [...names]]));
}

interface TestQuestion {
  /** Every path of the view that is a test. */
  readonly tests: readonly string[];
  readonly changedPaths: readonly string[];
  /** Names that changed, by the path of a test that uses them. */
  readonly uses: ReadonlyMap<string, readonly string[]>;
  readonly reached: readonly ReachedTest[];
  readonly limit: number;
}

export function likelyTests({ tests, changedPaths, uses, reached, limit }: TestQuestion): LikelyTest[] {
  const changed = new Set(changedPaths);
  const subjects = new Set(
    changedPaths
      .filter((path) => !tests.includes(path))
      .map(testSubject)
      .filter((subject) => !UNSPECIFIC.has(subject)),
  );
  const far = new Map(reached.map((it) => [it.path, it]));
  const found = tests.flatMap((path): LikelyTest[] => {
    const names = uses.get(path) ?? [];
    const reach = far.get(path);
    const distance = reach === undefined ? {} : { distance: reach.distance };
    if (changed.has(path)) return [{ path, reason: "changed", uses: names, ...distance }];
    if (subjects.has(testSubject(path))) return [{ path, reason: "named_alike", uses: names, ...distance }];
    if (names.length > 0) return [{ path, reason: "uses", uses: names, ...distance }];
    if (reach === undefined) return [];
    return [{ path, reason: reach.reason, uses: reach.reaches, distance: reach.distance }];
  });
  const order = new Map(reached.map(({ path }, i) => [path, i]));
  const byReach = (a: LikelyTest, b: LikelyTest) => (order.get(a.path) ?? Infinity) - (order.get(b.path) ?? Infinity);
  const byPath = (a: LikelyTest, b: LikelyTest) => (a.path < b.path ? -1 : 1);
  return found.sort((a, b) => testRank(b) - testRank(a) || byReach(a, b) || byPath(a, b)).slice(0, limit);
}

/** A test named after the file that changed is the best guess; then the more of what changed it uses; then the nearest. */
function testRank({ reason, uses }: LikelyTest): number {
  return {
    changed: 4_000,
    named_alike: 3_000,
    uses: 2_000 + Math.min(uses.length, 999),
    reaches: 1_000,
    imports: 0,
    name_only: 0,
  }[reason];
}

/** Every package has a file of these names. */
const UNSPECIFIC: ReadonlySet<string> = new Set([
  "__init__",
  "__main__",
  "index",
  "init",
  "main",
  "mod",
  "lib",
  "package",
]);

/** `src/auth.ts`, `auth.test.ts`, `test_auth.py`, `auth_test.go`, `AuthTest.java`, `auth_spec.rb` are about `auth`. */
function testSubject(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1).replace(/\.[^.]*$/, "");
  return name
    .replace(/[._-](?:test|spec|tests|specs)$/i, "")
    .replace(/^(?:test|spec)[._-]/i, "")
    .replace(/(?<=[a-z0-9])(?:Tests?|Specs?|TestCase)$/, "")
    .toLowerCase();
}
