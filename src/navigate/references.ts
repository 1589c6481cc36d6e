/** Who uses a symbol: every site of a view that means it, the sure ones first, then those that only share its name. */
import { EDGE_KINDS, type Edge, type ImportFact, type SymbolLocation } from "../model/edges.ts";
import type { Snapshot } from "../ports/snapshot.ts";
import { Binder } from "./bind/binder.ts";
import type { Module } from "./bind/module.ts";
import { type Dialects, World } from "./bind/world.ts";
import { Family } from "./family.ts";

export async function referencesTo(target: SymbolLocation, at: Snapshot, dialects: Dialects): Promise<Edge[]> {
  const world = await World.of(at, dialects);
  await world.load([target.path]);
  const module = world.module(target.path);
  const definition = module?.facts.definitions[target.index];
  if (module === undefined || definition === undefined) return [];
  return new Search({ at, world, module, target }).run();
}

interface Context {
  readonly at: Snapshot;
  readonly world: World;
  readonly module: Module;
  readonly target: SymbolLocation;
}

class Search {
  private readonly it: Context;
  private readonly binder: Binder;
  private readonly family: Family;
  private found = new Map<string, Edge>();

  constructor(it: Context) {
    this.it = it;
    this.binder = new Binder(it.world);
    this.family = new Family(this.binder, it.module, it.target);
  }

  async run(): Promise<Edge[]> {
    await this.family.gather();
    if (this.isConstructor) {
      await this.gatherCreations();
      return [...this.found.values()].sort(byCertainty);
    }
    const names = new Set<string>();
    const files = new Set<string>();
    const waiting = [this.family.name];
    // Names under which files hand the target on, until no file adds another.
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      if (names.has(name)) continue;
      names.add(name);
      const paths = await this.filesFor(name);
      const aliases = await this.search(paths, name);
      for (const path of paths) files.add(path);
      waiting.push(...aliases);
    }
    return [...this.found.values()].sort(byCertainty);
  }

  /** Whoever makes an instance calls the constructor. */
  private async gatherCreations(): Promise<void> {
    const { at, world, module, target } = this.it;
    const { parent } = module.facts.definitions[target.index]!;
    const uses = await new Search({ at, world, module, target: { path: target.path, index: parent } }).run();
    for (const edge of uses)
      if (edge.kind === "calls" && edge.resolution !== "name_only") this.note({ ...edge, to: target });
  }

  private get isConstructor(): boolean {
    const { kind, parent } = this.it.module.facts.definitions[this.it.target.index]!;
    return kind === "constructor" && parent >= 0;
  }

  /** Files that may use the target under a name: a default export is called as its importer likes. */
  private async filesFor(name: string): Promise<readonly string[]> {
    const { at, world, target } = this.it;
    if (name !== "default" && name !== "=") return (await at.mentions(name)).map(({ path }) => path);
    const mentioned = (await at.mentions("default")).map(({ path }) => path);
    return [...new Set([target.path, ...(await world.importersOf(target.path)), ...mentioned])];
  }

  /** Looks through files for uses under a name; returns other names under which they hand the target on. */
  private async search(paths: readonly string[], name: string): Promise<string[]> {
    const { world } = this.it;
    await world.load(paths);
    const before = this.found;
    return world.settle(() => {
      // A round that missed a file may have taken for a mere name what the next one binds to something else.
      this.found = new Map(before);
      const aliases = new Set<string>();
      for (const path of paths) {
        const module = world.module(path);
        if (module !== undefined) this.searchFile(module, name, aliases);
      }
      return [...aliases];
    });
  }

  private searchFile(module: Module, name: string, aliases: Set<string>): void {
    this.searchSites(module, name);
    for (const fact of module.facts.imports) {
      if (
        fact.name !== name &&
        !(name === "default" && fact.name === "=") &&
        !(name === "=" && fact.name === "default")
      )
        continue;
      if (
        fact.module === ""
          ? !this.exportsTarget(module, fact)
          : !this.meansTarget(this.binder.names.imported(module, fact))
      )
        continue;
      if (fact.module !== "") this.note(importEdge(module, fact));
      if (fact.exported !== undefined && fact.exported !== name && fact.exported !== "*") aliases.add(fact.exported);
      if (fact.local !== "" && fact.local !== name && fact.local !== "*") this.searchSites(module, fact.local);
    }
  }

  private exportsTarget(module: Module, fact: ImportFact): boolean {
    return this.meansTarget(this.binder.names.lookUp(module, fact.name));
  }

  private meansTarget(values: readonly { readonly is: string }[]): boolean {
    return values.some((it) => it.is === "symbol" && this.family.isMeant(it as unknown as SymbolLocation));
  }

  private searchSites(module: Module, name: string): void {
    const { from, to } = module.sites(name);
    for (let i = from; i < to; i++) {
      const { symbols, resolution, outside } = this.binder.site(module, i);
      const kinship = symbols.some((it) => this.family.isMeant(it)) ? "counts" : this.kinship(symbols);
      if (kinship === "counts") this.note(edgeAt(module, i, resolution, this.it.target));
      else if (kinship === "by name") this.note(edgeAt(module, i, "name_only"));
      else if (symbols.length === 0 && !outside && name === this.family.name && this.mayMean(module, i))
        this.note(edgeAt(module, i, "name_only"));
    }
  }

  private kinship(symbols: readonly SymbolLocation[]): "counts" | "by name" | undefined {
    const all = symbols.map((it) => this.family.kinship(it));
    return all.find((it) => it === "counts") ?? all.find((it) => it !== undefined);
  }

  /** Whether a site that could not be bound could mean the target: a member needs a receiver, a plain name has none. */
  private mayMean(module: Module, i: number): boolean {
    const receiver = module.facts.sites.receivers[i]!;
    if (receiver === -1 && this.it.world.dialect(module)?.implicitSelf) return true;
    return this.family.isMember ? receiver !== -1 : receiver !== -2;
  }

  private note(edge: Edge): void {
    const key = `${edge.path}\0${edge.line}\0${edge.column}`;
    const known = this.found.get(key);
    if (known === undefined || (known.resolution === "name_only" && edge.resolution !== "name_only"))
      this.found.set(key, edge);
  }
}

function importEdge({ path }: Module, { name, line, column }: ImportFact): Edge {
  return { kind: "imports", resolution: "import", name, path, line, column };
}

export function edgeAt(module: Module, i: number, resolution: Edge["resolution"], to?: SymbolLocation): Edge {
  const { sites, names } = module.facts;
  return {
    kind: EDGE_KINDS[sites.kinds[i]!]!,
    resolution,
    name: names[sites.names[i]!]!,
    path: module.path,
    line: sites.lines[i]!,
    column: sites.columns[i]!,
    ...(sites.from[i]! >= 0 && { from: sites.from[i]! }),
    ...(to !== undefined && { to }),
  };
}

/** What is only a name comes last. */
function byCertainty(a: Edge, b: Edge): number {
  const sure = Number(a.resolution === "name_only") - Number(b.resolution === "name_only");
  return sure || (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line || a.column - b.column);
}
