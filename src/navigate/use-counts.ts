/** Binds every site of a view that names one of some symbols, to tell which of them are used. */
import type { CodeSymbol, FileRecord } from "../model/code.ts";
import type { SymbolLocation } from "../model/edges.ts";
import { isLongTurn, nextTurn } from "../model/event-loop.ts";
import type { FileRow, Snapshot } from "../ports/snapshot.ts";
import { Binder } from "./bind/binder.ts";
import type { Module } from "./bind/module.ts";
import { bareName, locationKey, nameParts } from "./bind/qualified.ts";
import { BindingWorld, type Dialects } from "./bind/world.ts";

export interface Candidate extends SymbolLocation {
  readonly language: string;
  readonly symbol: CodeSymbol;
  /** It is reached through a receiver. */
  readonly isMember: boolean;
}

export interface UseCounts {
  readonly certain: ReadonlySet<Candidate>;
  /** A site of the same name may mean it. */
  readonly possible: ReadonlySet<Candidate>;
}

/** Files bound together: what they import is read once. */
const BATCH = 256;

export async function countUses(
  candidates: readonly Candidate[],
  at: Snapshot,
  dialects: Dialects,
): Promise<UseCounts> {
  const counter = new UseCounter(candidates);
  const files = (await at.files()).filter(({ language }) => dialects(language) !== undefined);
  for (let start = 0; start < files.length; start += BATCH) {
    const batch = files.slice(start, start + BATCH);
    const world = await BindingWorld.of(at, dialects);
    await world.load(batch.map(({ path }) => path));
    const owners = await ownersOfMethods(batch, at, dialects);
    for (const { path } of batch) {
      counter.note(await world.settle(() => counter.usesIn(path, new Binder(world), owners.get(path))));
      if (isLongTurn()) await nextTurn();
    }
  }
  return counter.result();
}

/** By symbol of a file: the type of a method that is defined outside of it, and of a block about a type. */
type Owners = ReadonlyMap<number, string> | undefined;

async function ownersOfMethods(files: readonly FileRow[], at: Snapshot, dialects: Dialects) {
  const owners = new Map<string, ReadonlyMap<number, string>>();
  for (const file of files)
    if (dialects(file.language)?.detachedMembers) owners.set(file.path, detachedOwners(await at.record(file)));
  return owners;
}

function detachedOwners({ symbols }: FileRecord): ReadonlyMap<number, string> {
  const found = new Map<number, string>();
  for (const [index, { kind, name, qualifiedName }] of symbols.entries()) {
    const owner = BLOCKS.has(kind) ? bareName(name) : kind === "method" ? nameParts(qualifiedName).at(-2) : undefined;
    if (owner !== undefined) found.set(index, owner);
  }
  return found;
}

const BLOCKS: ReadonlySet<string> = new Set(["impl", "extension"]);

class UseCounter {
  private readonly byName: ReadonlyMap<string, readonly Candidate[]>;
  private readonly byPlace: ReadonlyMap<string, Candidate>;
  private readonly certain = new Set<Candidate>();
  private readonly possible = new Set<Candidate>();

  constructor(candidates: readonly Candidate[]) {
    this.byName = Map.groupBy(candidates, ({ symbol }) => symbol.name);
    this.byPlace = new Map(candidates.map((it) => [locationKey(it), it]));
  }

  result(): UseCounts {
    for (const it of this.certain) this.possible.delete(it);
    return { certain: this.certain, possible: this.possible };
  }

  note({ certain, possible }: UseCounts): void {
    for (const it of certain) this.certain.add(it);
    for (const it of possible) this.possible.add(it);
  }

  /** What the file uses, as far as the files that it needs are loaded. */
  usesIn(path: string, binder: Binder, owners: Owners): UseCounts {
    const found = { certain: new Set<Candidate>(), possible: new Set<Candidate>() };
    const module = binder.world.module(path);
    if (module === undefined) return found;
    const exported = new Set<string>();
    for (const fact of module.facts.imports) {
      if (fact.module === "") exported.add(`${fact.line}:${fact.column}`);
      // What is only re-exported is used where it is imported next.
      else if (fact.local !== "")
        for (const value of binder.names.imported(module, fact))
          if (value.is === "symbol") this.mark(found.certain, this.meant(value, binder));
    }
    const { names, sites } = module.facts;
    for (let i = 0; i < sites.count; i++) {
      const isExport = exported.has(`${sites.lines[i]}:${sites.columns[i]}`);
      if (!isExport && this.isOpen(names[sites.names[i]!]!)) this.readSite({ module, i, binder, owners }, found);
    }
    return found;
  }

  /** Whether a site of the name can still change a verdict. */
  private isOpen(name: string): boolean {
    return (this.byName.get(name) ?? []).some((it) => !this.certain.has(it));
  }

  private readSite({ module, i, binder, owners }: Site, found: UsedCandidates): void {
    const { sites, names } = module.facts;
    const { symbols, outside } = binder.site(module, i);
    const isOutsideOf = (it: Candidate) => !isWithin(it, module, sites.from[i]!, owners);
    for (const place of symbols) this.mark(found.certain, this.meant(place, binder).filter(isOutsideOf));
    const receiver = sites.receivers[i]!;
    const implied = receiver === -1 && binder.world.dialect(module)?.implicitSelf === true;
    // `const x = require("x")` is an import and a symbol: the site means the first, and uses both.
    const isOwn = (it: Candidate) => it.path === module.path && receiver === -1 && sites.bound[i]! < 0;
    for (const it of this.byName.get(names[sites.names[i]!]!) ?? []) {
      // A member of the same name may be reached through an interface that it only happens to satisfy.
      const isUnbound = symbols.length === 0 && !outside && receiver !== -2;
      const may = it.isMember ? receiver !== -1 || implied : isUnbound || isOwn(it);
      if (may && isOutsideOf(it)) found.possible.add(it);
    }
  }

  private meant(place: SymbolLocation, binder: Binder): Candidate[] {
    return [place, ...binder.prototypes.of(place)].flatMap((it) => this.byPlace.get(locationKey(it)) ?? []);
  }

  private mark(found: Set<Candidate>, candidates: readonly Candidate[]): void {
    for (const it of candidates) found.add(it);
  }
}

interface UsedCandidates {
  readonly certain: Set<Candidate>;
  readonly possible: Set<Candidate>;
}

interface Site {
  readonly module: Module;
  readonly i: number;
  readonly binder: Binder;
  readonly owners: Owners;
}

/** A symbol that only uses itself is unused. */
function isWithin({ path, index, symbol }: Candidate, module: Module, from: number, owners: Owners): boolean {
  for (let at = from; at >= 0; at = module.facts.definitions[at]!.parent) {
    if (module.path === path && at === index) return true;
    if (owners?.get(at) === symbol.name) return true;
  }
  return false;
}
