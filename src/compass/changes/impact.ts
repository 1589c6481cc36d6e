/** What a change can break: who uses or implements what changed, who uses those, and the tests that speak of it. */

import type { ChangedSymbol } from "../../model/affected-code.ts";
import type { Edge, SymbolPlace } from "../../model/edges.ts";
import { CompassError } from "../../model/errors.ts";
import { type IdSource, symbolHit } from "../../model/hits.ts";
import type { Affected, ImpactAnswer, ImpactAsk } from "../../model/navigation.ts";
import { fileCentrality, symbolCentrality } from "../../navigate/centrality.ts";
import { type Graph, graphOf } from "../../navigate/graph.ts";
import type { Snapshot } from "../../ports/snapshot.ts";
import { pathClasses } from "../../query/path-class.ts";
import { findSymbol } from "../reading/find-symbol.ts";
import { referenceRules } from "../reading/reference-rules.ts";
import { lineAt, moduleHit } from "../reading/references.ts";
import { findAffectedCode, usesOf } from "./affected-code.ts";

/** Changed symbols that are looked at; a larger change is a release. */
const MOST_CHANGED = 40;
/** Symbols whose users are looked for, all rings together. */
const MOST_FOLLOWED = 80;
const MOST_TESTS = 30;

/** Throws `symbol_not_found`, `ambiguous_symbol`, `no_edges_available`. */
export async function impact(ask: ImpactAsk, at: Snapshot, ids: IdSource): Promise<ImpactAnswer> {
  if (at.info.fileCount > 0 && !at.info.languages.some(({ language }) => referenceRules(language))) {
    throw new CompassError("no_edges_available", { ref: at.info.ref });
  }
  const changed = ask.symbol === undefined ? ask.changed : [await named(ask, at, ids)];
  const walk = new Rings(at, ids, graphOf(at, referenceRules));
  await walk.from(changed.slice(0, MOST_CHANGED), ask.depth);
  const central = await fileCentrality(at, referenceRules);
  const found = walk.found.toSorted((a, b) => byWorth(a, b) || byLeaning(a, b, central));
  const { tests } = await findAffectedCode(
    { changed, paths: [...ask.paths, ...changed.map(({ path }) => path)], callersOfEach: 0, tests: MOST_TESTS },
    at,
  );
  const affected: Affected[] = [];
  for (const reached of found.slice(0, ask.limit)) affected.push(await walk.shown(reached));
  return {
    changed: await weighed(changed, at),
    affected,
    total: found.length,
    tests,
    cut: walk.cut || changed.length > MOST_CHANGED,
  };
}

/** How much of the project leans on each. */
async function weighed(changed: readonly ChangedSymbol[], at: Snapshot): Promise<ImpactAnswer["changed"]> {
  const all: ImpactAnswer["changed"][number][] = [];
  for (const symbol of changed) all.push({ ...symbol, centrality: await symbolCentrality(at, referenceRules, symbol) });
  return all;
}

async function named(ask: ImpactAsk, at: Snapshot, ids: IdSource): Promise<ChangedSymbol> {
  const { record, index } = await findSymbol(ask.symbol!, at, ids);
  const { symbolId, path, symbol } = symbolHit(record, index, ids);
  return { symbolId, path, name: symbol.name, qualifiedName: symbol.qualifiedName, signature: true };
}

interface Reached {
  readonly edge: Edge;
  readonly of: string;
  readonly distance: number;
  readonly implements: boolean;
}

class Rings {
  readonly found: Reached[] = [];
  cut = false;
  private readonly seen = new Set<string>();
  private followed = 0;
  private readonly at: Snapshot;
  private readonly ids: IdSource;
  private readonly graph: Graph;

  constructor(at: Snapshot, ids: IdSource, graph: Graph) {
    this.at = at;
    this.ids = ids;
    this.graph = graph;
  }

  async from(changed: readonly ChangedSymbol[], depth: number): Promise<void> {
    let ring: SymbolPlace[] = [];
    for (const symbol of changed) {
      const own = await this.placeOf(symbol);
      if (own !== undefined) this.seen.add(keyOf(own));
    }
    for (const symbol of changed) ring.push(...this.note(await usesOf(symbol, this.at), symbol.qualifiedName, 1));
    for (let distance = 2; distance <= depth; distance++) {
      const next: SymbolPlace[] = [];
      for (const place of ring) {
        if (++this.followed > MOST_FOLLOWED) {
          this.cut = true;
          return;
        }
        const edges = (await this.graph.referencesTo(place)).filter((it) => it.resolution !== "name_only");
        next.push(...this.note(edges, await this.nameOf(place), distance));
      }
      ring = next;
    }
  }

  /** Every symbol is shown once, at its nearest and surest use; returns those that can be followed further. */
  private note(edges: readonly Edge[], of: string, distance: number): SymbolPlace[] {
    return edges.flatMap((edge) => {
      const place = { path: edge.path, index: edge.from ?? -1 };
      if (edge.kind === "imports" || this.seen.has(keyOf(place))) return [];
      this.seen.add(keyOf(place));
      const isImplementer = edge.kind === "implements" || edge.kind === "extends";
      this.found.push({ edge, of, distance, implements: isImplementer });
      return edge.resolution === "name_only" || place.index < 0 ? [] : [place];
    });
  }

  private async placeOf({ symbolId }: ChangedSymbol): Promise<SymbolPlace | undefined> {
    const [found] = symbolId === undefined ? [] : await this.at.symbolsById(symbolId);
    return found && { path: found.file.path, index: found.index };
  }

  private async nameOf({ path, index }: SymbolPlace): Promise<string> {
    const record = await this.at.record((await this.at.file(path))!);
    return record.symbols[index]?.qualifiedName ?? path;
  }

  async shown({ edge, ...rest }: Reached): Promise<Affected> {
    const file = (await this.at.file(edge.path))!;
    const record = await this.at.record(file);
    const hit = edge.from === undefined ? moduleHit(record, this.ids) : symbolHit(record, edge.from, this.ids);
    const { kind, resolution, path, line } = edge;
    return { hit, ...rest, kind, resolution, path, line, context: lineAt(await this.at.text(file), line) };
  }
}

/** Of equal ones the user on whose file more of the project leans, then by place. */
function byLeaning({ edge: a }: Reached, { edge: b }: Reached, central: ReadonlyMap<string, number>): number {
  const leaning = (central.get(b.path) ?? 0) - (central.get(a.path) ?? 0);
  return leaning || (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line);
}

/** What surely breaks first: implementers, then users by distance, code before tests; a shared name is last. */
function byWorth(a: Reached, b: Reached): number {
  const unsure = ({ edge }: Reached) => Number(edge.resolution === "name_only");
  const test = ({ edge }: Reached) => Number(pathClasses(edge.path).includes("test"));
  return (
    unsure(a) - unsure(b) || a.distance - b.distance || Number(b.implements) - Number(a.implements) || test(a) - test(b)
  );
}

function keyOf({ path, index }: SymbolPlace): string {
  return `${path}\0${index}`;
}
