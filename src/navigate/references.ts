/** All uses of a symbol in a view: certain ones first, then those that only share its name. */

import { moduleSystemOf } from "../languages/index.ts";
import {
  EDGE_KINDS,
  type Edge,
  type FactDefinition,
  type ImportFact,
  type MemberRelation,
  type Resolution,
  type SymbolLocation,
} from "../model/edges.ts";
import { TYPE_KINDS } from "../model/kinds.ts";
import type { FileRow, Snapshot } from "../ports/snapshot.ts";
import { literalPlan } from "../text/trigrams.ts";
import { Binder, type Bound } from "./bind/binder.ts";
import type { Module } from "./bind/module.ts";
import { bareName, locationKey } from "./bind/qualified.ts";
import { BindingWorld, type Dialects, MAX_NAMED } from "./bind/world.ts";
import { Family } from "./family.ts";

export async function referencesTo(target: SymbolLocation, at: Snapshot, dialects: Dialects): Promise<Edge[]> {
  return (await searchReferences(target, at, dialects)).edges;
}

interface FoundReferences {
  readonly edges: Edge[];
  /** Why sites may be missing, or be listed as matches by name alone. */
  readonly limits: readonly string[];
  /** Where no site is listed: those of the name of which nothing says what else they mean. */
  readonly doubts: readonly UnreadLine[];
}

/** What one file says of one name. */
interface FileUses {
  readonly path: string;
  readonly edges: Edge[];
  readonly doubts: UnreadLine[];
  /** Other names under which it re-exports the target. */
  readonly aliases: string[];
}

export interface UnreadLine {
  readonly path: string;
  readonly line: number;
}

export async function searchReferences(
  target: SymbolLocation,
  at: Snapshot,
  dialects: Dialects,
): Promise<FoundReferences> {
  const world = await BindingWorld.of(at, dialects);
  await world.load([target.path]);
  const module = world.module(target.path);
  const definition = module?.facts.definitions[target.index];
  if (module === undefined || definition === undefined) return { edges: [], limits: [], doubts: [] };
  const type = BLOCKS.has(definition.kind) ? await typeOfBlock(world, module, target) : undefined;
  if (type !== undefined && !BLOCKS.has(type.kind)) return searchReferences(type, at, dialects);
  const search = new ReferenceSearch({ at, world, module, target });
  const edges = await search.run();
  return { edges, limits: limitsOf(world, module, definition), doubts: search.doubts };
}

/** `impl Order` and `extension Order` add to a type: its uses are the type's. */
const BLOCKS: ReadonlySet<string> = new Set(["impl", "extension"]);

async function typeOfBlock(
  world: BindingWorld,
  module: Module,
  { index }: SymbolLocation,
): Promise<(SymbolLocation & { readonly kind: string }) | undefined> {
  const { name } = module.facts.definitions[index]!;
  return world.settle(() => {
    const values = new Binder(world).names.lookUp(module, bareName(name));
    const types = values.flatMap((it) => {
      const kind = it.is === "symbol" && world.module(it.path)?.facts.definitions[it.index]?.kind;
      return it.is === "symbol" && kind ? [{ path: it.path, index: it.index, kind }] : [];
    });
    const inside = module.facts.definitions.findIndex((it) => it.name === bareName(name) && TYPE_KINDS.has(it.kind));
    // The type may be seen in a part of the file only, where the block is.
    const near = inside < 0 ? [] : [{ path: module.path, index: inside, kind: "struct" }];
    return [...types, ...near].find(({ kind }) => TYPE_KINDS.has(kind));
  });
}

export const UNSETTLED = "A chain of imports was too long to be followed to its end.";

const PACKAGE = "A package is imported by its path: uses of its name in the files that import it are not listed.";

function limitsOf(world: BindingWorld, { facts }: Module, { name, kind, parent }: FactDefinition): string[] {
  if (kind === "package") return [PACKAGE];
  const owner = facts.definitions[parent]?.name;
  const names = [name, ...(owner === undefined ? [] : [owner])].filter((it) => world.isCut(it));
  const limits = names.map((it) => `More than ${MAX_NAMED} symbols are called '${it}'; not all were distinguished.`);
  return world.isUnsettled ? [...limits, UNSETTLED] : limits;
}

/** What a site is to the target; without a resolution it is no use of it. */
interface SiteMeaning {
  readonly symbols: readonly SymbolLocation[];
  readonly resolution?: Resolution;
  readonly to?: SymbolLocation;
  readonly via?: MemberRelation;
  readonly library?: boolean | undefined;
}

interface ReferenceContext {
  readonly at: Snapshot;
  readonly world: BindingWorld;
  readonly module: Module;
  readonly target: SymbolLocation;
}

class ReferenceSearch {
  private readonly it: ReferenceContext;
  private readonly binder: Binder;
  private readonly family: Family;
  private readonly found = new Map<string, Edge>();
  readonly doubts: UnreadLine[] = [];

  constructor(it: ReferenceContext) {
    this.it = it;
    this.binder = new Binder(it.world);
    this.family = new Family(this.binder, it.module, it.target);
  }

  async run(): Promise<Edge[]> {
    await this.family.gather();
    if (this.isConstructor) {
      await this.gatherCreations();
      if (!CALLED_CONSTRUCTORS.has(this.family.name)) return [...this.found.values()].sort(byCertainty);
    }
    const { maker, initializer } = this.it.world.dialect(this.it.module) ?? {};
    if (maker !== undefined && initializer === this.family.name) await this.gatherMakerCalls(maker);
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

  /** Creating an instance calls the constructor. */
  private async gatherCreations(): Promise<void> {
    const { at, world, target } = this.it;
    const owner = this.family.owner!;
    const module = world.module(owner.path)!;
    const uses = await new ReferenceSearch({ at, world, module, target: owner }).run();
    for (const edge of uses)
      if (edge.kind === "calls" && edge.resolution !== "name_only") this.note({ ...edge, to: target });
      // The type may be passed to code that makes an instance of it: `make_unique<T>()`.
      else if (edge.kind === "references") this.doubts.push(edge);
    for (const word of OWN_CLASS) {
      const { from, to } = module.sites(word);
      for (let i = from; i < to; i++) {
        const [self] = this.binder.expressions.self(module, module.facts.sites.from[i]!);
        const isOwn = self?.is === "instance" && self.path === owner.path && self.index === owner.index;
        if (isOwn && EDGE_KINDS[module.facts.sites.kinds[i]!] === "calls")
          this.note(edgeAt(module, i, "exact", target));
      }
    }
  }

  /** `Box.new(1)`, `new(1)` in the class, and the same of subclasses that do not define the method again. */
  private async gatherMakerCalls(maker: string): Promise<void> {
    const { at, world, target } = this.it;
    const waiting = this.family.owner === undefined ? [] : [this.family.owner];
    const seen = new Set<string>();
    for (let type = waiting.pop(); type !== undefined && seen.size < MAX_MAKERS; type = waiting.pop()) {
      if (seen.has(locationKey(type))) continue;
      seen.add(locationKey(type));
      const module = world.module(type.path)!;
      const edges = await new ReferenceSearch({ at, world, module, target: type }).run();
      const certain = edges.filter(({ resolution }) => resolution !== "name_only");
      const lines = Map.groupBy(certain, ({ path }) => path);
      const made = await world.settle(() =>
        [...new Set([type.path, ...lines.keys()])].flatMap((path) =>
          this.makerCallsIn(path, maker, type, new Set(lines.get(path)?.map(({ line }) => line))),
        ),
      );
      for (const edge of made) this.note({ ...edge, to: target });
      for (const { kind, path, from } of certain) {
        if (kind !== "extends" || from === undefined) continue;
        const isDefined = world.module(path)?.inside(from).has(this.family.name);
        if (isDefined === false) waiting.push({ path, index: from });
      }
    }
  }

  private makerCallsIn(path: string, maker: string, type: SymbolLocation, lines: ReadonlySet<number>): Edge[] {
    const module = this.it.world.module(path);
    if (module === undefined) return [];
    const { sites, expressions } = module.facts;
    const { from, to } = module.sites(maker);
    const made: Edge[] = [];
    for (let i = from; i < to; i++) {
      const receiver = sites.receivers[i]!;
      const around = sites.from[i]!;
      const isMeant = (it: SymbolLocation) => locationKey(it) === locationKey(type);
      if (receiver === -1 && this.binder.kin.selves(module, around).slice(0, 1).some(isMeant)) {
        made.push(edgeAt(module, i, "receiver"));
      } else if (receiver >= 0 && lines.has(sites.lines[i]!)) {
        const on = this.binder.expressions.read(module, expressions[receiver]!, around, 0);
        if (on.some((it) => it.is === "symbol" && isMeant(it))) made.push(edgeAt(module, i, "receiver"));
      }
    }
    return made;
  }

  private get isConstructor(): boolean {
    const { world, module, target } = this.it;
    const { name, kind } = module.facts.definitions[target.index]!;
    const { owner } = this.family;
    if (kind !== "constructor" || owner === undefined) return false;
    const type = world.module(owner.path)?.facts.definitions[owner.index];
    return !world.dialect(module)?.namedConstructors || name === type?.name;
  }

  /** Files that may use the target under a name: a default export is called as its importer likes. */
  private async filesFor(name: string): Promise<readonly string[]> {
    const { at, world, target } = this.it;
    if (name !== "default" && name !== "=") {
      const files = [...(await at.mentions(name)), ...(await this.compiledHolding(name))];
      return [...new Set(files.map(({ path }) => path))];
    }
    const mentioned = (await at.mentions("default")).map(({ path }) => path);
    return [...new Set([target.path, ...(await world.importersOf(target.path)), ...mentioned])];
  }

  /** A compiler may have found uses in files that do not mention the name by our own reading. */
  private async compiledHolding(name: string): Promise<readonly FileRow[]> {
    const { at, world } = this.it;
    if (world.compiledPaths.size === 0) return [];
    return (await at.holding(literalPlan(name))).filter(({ path }) => world.compiledPaths.has(path));
  }

  /** Searches files for uses of a name; returns other names under which they re-export the target. */
  private async search(paths: readonly string[], name: string): Promise<string[]> {
    const { world } = this.it;
    await world.load(paths);
    const done: FileUses[] = [];
    let rest = paths;
    // A round that missed a file may have taken for a mere name what the next one binds to something else.
    const incomplete = await world.settle(() => {
      const again: FileUses[] = [];
      for (const path of rest) {
        const module = world.module(path);
        const { misses } = world;
        const uses = module && this.searchFile(module, name);
        if (uses) (misses === world.misses ? done : again).push(uses);
      }
      rest = again.map(({ path }) => path);
      return again;
    });
    const aliases = new Set<string>();
    for (const uses of [...done, ...incomplete]) {
      for (const edge of uses.edges) this.note(edge);
      this.doubts.push(...uses.doubts);
      for (const alias of uses.aliases) aliases.add(alias);
    }
    return [...aliases];
  }

  private searchFile(module: Module, name: string): FileUses {
    const uses: FileUses = { path: module.path, edges: [], doubts: [], aliases: [] };
    this.searchSites(module, name, uses);
    for (const edge of this.it.world.compiler(module.path)?.extra ?? []) {
      const via = this.family.isMeant(edge.to!) ? undefined : this.relation([edge.to!]);
      if (via !== undefined) uses.edges.push({ ...edge, resolution: "name_only", via });
      else if (this.family.isMeant(edge.to!)) uses.edges.push({ ...edge, to: this.it.target });
    }
    for (const fact of module.facts.imports) {
      if (
        fact.name !== name &&
        !(name === "default" && fact.name === "=") &&
        !(name === "=" && fact.name === "default")
      )
        continue;
      const told = this.it.world.compiler(module.path)?.meantAt(fact.line, fact.column);
      const isMeant =
        told?.some((it) => this.family.isMeant(it)) ??
        (fact.module === ""
          ? this.exportsTarget(module, fact)
          : this.meansTarget(this.binder.names.imported(module, fact)));
      if (!isMeant) continue;
      if (fact.module !== "") uses.edges.push(importEdge(module, fact, told === undefined ? "import" : "compiler"));
      if (fact.exported !== undefined && fact.exported !== name && fact.exported !== "*")
        uses.aliases.push(fact.exported);
      if (fact.local !== "" && fact.local !== name && fact.local !== "*") this.searchSites(module, fact.local, uses);
    }
    return uses;
  }

  private exportsTarget(module: Module, fact: ImportFact): boolean {
    return this.meansTarget(this.binder.names.lookUp(module, fact.name));
  }

  private meansTarget(values: readonly { readonly is: string }[]): boolean {
    return values.some((it) => it.is === "symbol" && this.family.isMeant(it as unknown as SymbolLocation));
  }

  private searchSites(module: Module, name: string, { edges, doubts }: FileUses): void {
    const { from, to } = module.sites(name);
    const read = new Map<string, Bound>();
    const meanings = new Map<Bound, SiteMeaning>();
    for (let i = from; i < to; i++) {
      const key = this.binder.siteKey(module, i);
      const bound = (key !== undefined && read.get(key)) || this.binder.site(module, i);
      if (key !== undefined) read.set(key, bound);
      const meaning = meanings.get(bound) ?? this.meaningAt(module, i, name, bound);
      // What is not bound means something by where it stands.
      if (bound.symbols.length > 0) meanings.set(bound, meaning);
      const { resolution, to: target, via } = meaning;
      if (resolution !== undefined) edges.push({ ...edgeAt(module, i, resolution, target), ...(via && { via }) });
      else if (this.found.size + edges.length === 0 && this.isDoubtful(module, i, name, meaning))
        doubts.push({ path: module.path, line: module.facts.sites.lines[i]! });
    }
  }

  private meaningAt(module: Module, i: number, name: string, bound: Bound): SiteMeaning {
    const { symbols, resolution, outside, open, library } = bound;
    if (symbols.some((it) => this.family.isMeant(it))) return { symbols, resolution, to: this.it.target };
    const via = this.relation(symbols);
    if (via !== undefined) return { symbols, resolution: "name_only", via };
    const isOpen = (symbols.length === 0 || open) && !outside && name === this.family.name;
    return isOpen && this.mayMean(module, i) ? { symbols, resolution: "name_only" } : { symbols, library };
  }

  /**
   * A name that no scope and no import explains, a member of a library's value or of one that another language's rules do not
   * know, or a use of what may be the target all the same.
   */
  private isDoubtful(module: Module, i: number, name: string, { symbols, library }: SiteMeaning): boolean {
    if (name !== this.family.name) return false;
    if (symbols.length > 0) return symbols.some((it) => this.family.isRival(it));
    if (moduleSystemOf(module.language) !== moduleSystemOf(this.it.module.language)) return true;
    if (library) return this.family.isMember;
    if (module.facts.sites.receivers[i] !== -1 || module.imported.has(this.family.name)) return false;
    return !this.family.isMember || this.it.world.dialect(module)?.implicitSelf === true;
  }

  private relation(symbols: readonly SymbolLocation[]): MemberRelation | undefined {
    const all = symbols.map((it) => this.family.relation(it));
    return all.find((it) => it === "base") ?? all.find((it) => it !== undefined);
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
    if (known === undefined || uncertainty(edge) < uncertainty(known)) this.found.set(key, edge);
  }
}

function importEdge({ path }: Module, { name, line, column }: ImportFact, resolution: Edge["resolution"]): Edge {
  return { kind: "imports", resolution, name, path, line, column };
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

/** Words for the class around them: `new self`. */
const OWN_CLASS: readonly string[] = ["self", "static"];

/** Types whose makers are looked up: a class and those below it. */
const MAX_MAKERS = 50;

/** Constructors that are also called by their names: `super().__init__()`, `.init()`. */
const CALLED_CONSTRUCTORS: ReadonlySet<string> = new Set(["__init__", "init", "__construct"]);

/** What is only a name comes last, and what means a base or an override before it. */
function uncertainty({ resolution, via }: Edge): number {
  return resolution !== "name_only" ? 0 : via !== undefined ? 1 : 2;
}

function byCertainty(a: Edge, b: Edge): number {
  return (
    uncertainty(a) - uncertainty(b) ||
    (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line || a.column - b.column)
  );
}
