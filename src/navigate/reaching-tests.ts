/**
 * Tests that reach changed symbols through calls: breadth first from the symbols to their users, until a user is a test.
 * Calls of a base reach its overrides. What runs when a file is loaded is reached by the files that import it.
 */
import type { Edge, SymbolLocation } from "../model/edges.ts";
import type { ChangedSymbol } from "../model/navigation.ts";
import type { Snapshot } from "../ports/snapshot.ts";
import { pathClasses } from "../query/path-class.ts";
import { locationKey } from "./bind/qualified.ts";
import { FUNCTION_KINDS } from "./bind/values.ts";
import { BindingWorld } from "./bind/world.ts";
import { referenceRules } from "./reference-rules.ts";
import { referencesTo } from "./references.ts";

export interface ReachedTest {
  readonly path: string;
  /** Steps from a changed symbol to the test. */
  readonly distance: number;
  /** Names of the changed symbols that it reaches. */
  readonly reaches: readonly string[];
  /**
   * `reaches`: through calls. `imports`: it loads the file. `name_only`: its sites share the name of a symbol on the way.
   */
  readonly reason: "reaches" | "imports" | "name_only";
}

/** Symbols whose users are searched. Each costs a few milliseconds. */
const MOST_FOLLOWED = 120;
const MAX_DISTANCE = 8;
/** Something used in more files is used by every test. */
const MOST_FILES = 200;

interface Step extends SymbolLocation {
  readonly origin: string;
}

/**
 * `uses`: the uses of each changed symbol. The nearest tests first; the search ends when `enough` are found. Only where
 * no test is reached, those follow that import the file, and those that share a name.
 */
export async function reachingTests(
  uses: readonly { readonly symbol: ChangedSymbol; readonly edges: readonly Edge[] }[],
  enough: number,
  at: Snapshot,
): Promise<readonly ReachedTest[]> {
  const world = await BindingWorld.of(at, referenceRules);
  const [found, byName] = [new TestList(), new TestList()];
  const seen = new Set<string>();
  let followed = 0;
  let ring = uses.flatMap(({ symbol, edges }) => edges.map((edge) => ({ edge, origin: symbol.name })));
  for (let distance = 1; distance <= MAX_DISTANCE && ring.length > 0; distance++) {
    const next: Step[] = [];
    for (const { edge, origin } of ring) {
      const isSure = edge.resolution !== "name_only" || edge.via !== undefined;
      if (pathClasses(edge.path).includes("test")) (isSure ? found : byName).note(edge.path, distance, origin);
      if (edge.kind === "imports" || !isSure) continue;
      for (const index of await runners(edge, at)) {
        const key = locationKey({ path: edge.path, index });
        if (!seen.has(key)) next.push({ path: edge.path, index, origin });
        seen.add(key);
      }
    }
    if (found.size >= enough) break;
    ring = [];
    for (const step of next) {
      if (++followed > MOST_FOLLOWED) break;
      const edges = step.index < 0 ? await importsOf(step.path, world) : await usesOf(step, at);
      for (const edge of edges) ring.push({ edge, origin: step.origin });
    }
  }
  if (found.size > 0) return found.sorted("reaches");
  const loading = await testsImporting(uses, world);
  const direct = loading.filter(({ distance }) => distance === 1);
  const all = [...direct, ...byName.sorted("name_only"), ...loading.slice(direct.length)];
  return [...new Map(all.toReversed().map((it) => [it.path, it])).values()].reverse().slice(0, MOST_GUESSED);
}

/** More guesses are no hint. */
const MOST_GUESSED = 5;
const MAX_IMPORT_DISTANCE = 4;

async function testsImporting(
  uses: readonly { readonly symbol: ChangedSymbol }[],
  world: BindingWorld,
): Promise<ReachedTest[]> {
  const found = new TestList();
  const seen = new Set<string>();
  for (const { symbol } of uses) {
    let ring = [symbol.path];
    for (let distance = 1; distance <= MAX_IMPORT_DISTANCE && ring.length > 0; distance++) {
      const next = (await Promise.all(ring.map((path) => world.importersOf(path))))
        .flat()
        .filter((it) => !seen.has(it));
      for (const path of next) if (pathClasses(path).includes("test")) found.note(path, distance, symbol.name);
      for (const path of next) seen.add(path);
      ring = [...new Set(next)].slice(0, MOST_FOLLOWED);
    }
  }
  return found.sorted("imports");
}

class TestList {
  private readonly tests = new Map<
    string,
    { readonly distance: number; readonly origins: Set<string>; sites: number }
  >();

  get size(): number {
    return this.tests.size;
  }

  note(path: string, distance: number, origin: string): void {
    const test = this.tests.get(path) ?? { distance, origins: new Set(), sites: 0 };
    this.tests.set(path, test);
    test.origins.add(origin);
    if (test.distance === distance) test.sites++;
  }

  /** The nearest first, then those with the most sites. */
  sorted(reason: ReachedTest["reason"]): ReachedTest[] {
    const all = [...this.tests].sort(
      ([a, one], [b, other]) => one.distance - other.distance || other.sites - one.sites || (a < b ? -1 : 1),
    );
    return all.map(([path, { distance, origins }]) => ({ path, distance, reaches: [...origins], reason }));
  }
}

/** The symbol around a site, and the file (-1) if the site runs when the file is loaded. */
async function runners({ path, from }: Edge, at: Snapshot): Promise<readonly number[]> {
  if (from === undefined) return [-1];
  const { symbols } = await at.record((await at.file(path))!);
  for (let index: number | undefined = from; index !== undefined; index = symbols[index]!.parent)
    if (FUNCTION_KINDS.has(symbols[index]!.kind)) return [from];
  return [from, -1];
}

async function usesOf(place: SymbolLocation, at: Snapshot): Promise<readonly Edge[]> {
  const record = await at.record((await at.file(place.path))!);
  const { name } = record.symbols[place.index]!;
  if ((await at.mentions(name)).length > MOST_FILES) return [];
  return referencesTo(place, at, referenceRules);
}

async function importsOf(path: string, world: BindingWorld): Promise<readonly Edge[]> {
  const importers = await world.importersOf(path);
  return importers.map((it) => ({ kind: "references", resolution: "import", name: "", path: it, line: 1, column: 0 }));
}
