/**
 * The graph of a view: the uses of a symbol, and what a symbol uses. Every edge has its location and its resolution.
 */
import { EDGE_KINDS, type Edge, type SymbolLocation } from "../model/edges.ts";
import type { Snapshot } from "../ports/snapshot.ts";
import { Binder } from "./bind/binder.ts";
import type { Module } from "./bind/module.ts";
import { BindingWorld, type Dialects } from "./bind/world.ts";
import { type Overrides, overriddenBy, overridesOf } from "./overrides.ts";
import { edgeAt, searchReferences, UNSETTLED } from "./references.ts";

export interface Graph {
  /** Why edges may be missing from what was answered so far. */
  readonly limits: ReadonlySet<string>;
  /** Certain edges first, then by location. `to` is the requested symbol; absent if only the name matches. */
  referencesTo(symbol: SymbolLocation): Promise<readonly Edge[]>;
  /** Uses inside a symbol and its members, in source order; without `to` if unresolved. */
  edgesFrom(symbol: SymbolLocation): Promise<readonly Edge[]>;
  /** What a name in a line of a file means: symbols of the view that a use or an import of it leads to. */
  meantAt(path: string, line: number, name: string): Promise<readonly SymbolLocation[]>;
  /** Types in the view that a type extends or implements. */
  supertypes(symbol: SymbolLocation): Promise<readonly SymbolLocation[]>;
  /** Members that override or implement a member, or types that extend or implement a type. */
  overridesOf(symbol: SymbolLocation): Promise<Overrides>;
  /** Members that a member overrides or implements. */
  overriddenBy(symbol: SymbolLocation): Promise<readonly SymbolLocation[]>;
  /** Symbols of other files that a file imports, or uses through a module that it imports. */
  importedBy(path: string): Promise<readonly SymbolLocation[]>;
  /** Files of the view that each file imports, by path. */
  imports(): Promise<ReadonlyMap<string, readonly string[]>>;
}

/** `dialects`: the reference rules by language; see `reference-rules.ts`. */
export function buildGraph(at: Snapshot, dialects: Dialects): Graph {
  const limits = new Set<string>();
  return {
    limits,
    referencesTo: async (symbol) => {
      const found = await searchReferences(symbol, at, dialects);
      for (const limit of found.limits) limits.add(limit);
      return found.edges;
    },
    edgesFrom: async (symbol) => {
      const found = await edgesFrom(symbol, at, dialects);
      for (const limit of found.limits) limits.add(limit);
      return found.edges;
    },
    meantAt: (...place) => meantAt(place, at, dialects),
    supertypes: async (symbol) => {
      const world = await BindingWorld.of(at, dialects);
      return world.settle(() => new Binder(world).kin.supertypes(symbol));
    },
    overridesOf: (symbol) => overridesOf(symbol, at, dialects),
    overriddenBy: (symbol) => overriddenBy(symbol, at, dialects),
    importedBy: (path) => importedBy(path, at, dialects),
    imports: async () => (await BindingWorld.of(at, dialects)).imports(),
  };
}

async function edgesFrom(
  symbol: SymbolLocation,
  at: Snapshot,
  dialects: Dialects,
): Promise<{ readonly edges: Edge[]; readonly limits: readonly string[] }> {
  const world = await BindingWorld.of(at, dialects);
  await world.load([symbol.path]);
  const edges = await world.settle(() => {
    const module = world.module(symbol.path);
    return module === undefined ? [] : edgesInside(module, symbol.index, new Binder(world));
  });
  return { edges, limits: [...(world.isUnsettled ? [UNSETTLED] : []), ...(await unreadInside(symbol, at))] };
}

/** Calls in lines that the parser could not read are no edges. */
async function unreadInside({ path, index }: SymbolLocation, at: Snapshot): Promise<string[]> {
  const file = await at.file(path);
  if (file === undefined || index < 0) return [];
  const frame = await at.frame(file);
  const [first, last] = [frame.line(index), frame.lastLine(index)];
  const lost = frame.parseErrors.filter(({ lineStart, lineEnd }) => lineStart <= last && lineEnd >= first);
  return lost.slice(0, 1).map(({ lineStart }) => `${path} could not be parsed as a whole, from line ${lineStart} on.`);
}

async function meantAt(
  [path, line, name]: Parameters<Graph["meantAt"]>,
  at: Snapshot,
  dialects: Dialects,
): Promise<SymbolLocation[]> {
  return bindFile(path, at, dialects, (module, binder) => {
    const { sites, names, imports } = module.facts;
    const found: SymbolLocation[] = [];
    for (let i = 0; i < sites.count; i++)
      if (sites.lines[i] === line && names[sites.names[i]!] === name) found.push(...binder.site(module, i).symbols);
    for (const fact of imports) {
      if (fact.line !== line || (fact.local !== name && fact.name !== name)) continue;
      for (const value of binder.names.imported(module, fact)) if (value.is === "symbol") found.push(value);
    }
    const defined = found.map((it) => binder.prototypes.definitionOf(it));
    return [...new Map(defined.map((it) => [`${it.path}\0${it.index}`, it])).values()];
  });
}

async function bindFile<T>(
  path: string,
  at: Snapshot,
  dialects: Dialects,
  read: (module: Module, binder: Binder) => T[],
): Promise<T[]> {
  const world = await BindingWorld.of(at, dialects);
  await world.load([path]);
  return world.settle(() => {
    const module = world.module(path);
    return module === undefined ? [] : read(module, new Binder(world));
  });
}

async function importedBy(path: string, at: Snapshot, dialects: Dialects): Promise<SymbolLocation[]> {
  return bindFile(path, at, dialects, (module, binder) => {
    const found = new Map<string, SymbolLocation>();
    const note = (it: SymbolLocation) => {
      if (it.path !== path) found.set(`${it.path}\0${it.index}`, { path: it.path, index: it.index });
    };
    for (const fact of module.facts.imports) {
      for (const value of fact.module === "" ? [] : binder.names.imported(module, fact))
        if (value.is === "symbol") note(value);
    }
    for (let i = 0; i < module.facts.sites.count; i++) {
      const { symbols, resolution } = binder.site(module, i);
      if (resolution === "import") symbols.forEach(note);
    }
    return [...found.values()];
  });
}

function edgesInside(module: Module, symbol: number, binder: Binder): Edge[] {
  const { sites } = module.facts;
  const edges: Edge[] = [];
  for (let i = 0; i < sites.count; i++) {
    if (!isInside(module, sites.from[i]!, symbol)) continue;
    const { symbols, resolution, outside } = binder.site(module, i);
    // Targets outside the view are not edges; a literal's key is an edge only if it is resolved.
    if (outside || (symbols.length === 0 && sites.receivers[i] === -2)) continue;
    const meant = new Map(
      symbols.map((it) => binder.prototypes.definitionOf(it)).map((it) => [`${it.path}\0${it.index}`, it]),
    );
    for (const to of meant.values()) edges.push(edgeAt(module, i, resolution, to));
    if (symbols.length === 0) edges.push(edgeAt(module, i, "name_only"));
  }
  for (const edge of binder.world.compiler(module.path)?.extra ?? [])
    if (isInside(module, edge.from ?? -1, symbol)) edges.push(edge);
  return edges.sort((a, b) => a.line - b.line || a.column - b.column || order(a) - order(b));
}

function order({ kind }: Edge): number {
  return EDGE_KINDS.indexOf(kind);
}

function isInside(module: Module, from: number, symbol: number): boolean {
  for (let at = from; at >= 0; at = module.facts.definitions[at]!.parent) if (at === symbol) return true;
  return false;
}
