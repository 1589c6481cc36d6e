/**
 * ConnectionGraph of a view: matches the uses of a key with its definitions, and a definition with the symbol that serves it. Keys
 * are compared at query time, so a connection is right on every ref. Kinds differ only in `model/connections.ts`.
 */
import {
  CONNECTION_KINDS,
  type ConnectionFact,
  type ConnectionKind,
  definitionsMention,
  definitionWord,
  joinRoutes,
  keyMatch,
  parseConnectionKey,
  rankMatch,
  usesMention,
} from "../model/connections.ts";
import type { ConnectionEdge, SymbolLocation } from "../model/edges.ts";
import { isLongTurn, nextTurn } from "../model/event-loop.ts";
import type { IdSource } from "../model/ids.ts";
import type { NamedSymbol } from "../model/language-edges.ts";
import type { SymbolSelector } from "../model/navigation.ts";
import type { Snapshot } from "../ports/snapshot.ts";
import { pathClasses } from "../query/path-class.ts";
import { Binder } from "./bind/binder.ts";
import type { Module } from "./bind/module.ts";
import { locationKey, nameParts, parentFolder } from "./bind/qualified.ts";
import { TYPE_KINDS } from "./bind/values.ts";
import { BindingWorld, type Dialects } from "./bind/world.ts";
import { type FoundSymbol, findSymbol, oneSymbol } from "./find-symbol.ts";
import { referenceRules } from "./reference-rules.ts";

/** Files with definitions of one kind, and files that use one word, that are read. */
const MOST_FILES = 3_000;
/** Prefixes that one router has: it may be mounted in several places. */
const MOST_PREFIXES = 8;
const MOST_MOUNTS_DEEP = 6;

export interface KeyConnections {
  /** Where the key is defined; its handlers are their `to`. */
  readonly definitions: readonly ConnectionEdge[];
  readonly uses: readonly ConnectionEdge[];
}

export interface ConnectionGraph {
  /** What leads to a symbol: definitions that it serves, and uses of their keys. */
  to(symbol: SymbolLocation): Promise<readonly ConnectionEdge[]>;
  /** What the uses inside a symbol lead to; `index` -1 for a file. */
  from(symbol: SymbolLocation): Promise<readonly ConnectionEdge[]>;
  ofKey(kind: ConnectionKind, key: string): Promise<KeyConnections>;
  all(kind: ConnectionKind): Promise<KeyConnections>;
}

export async function connectionsOf(at: Snapshot, dialects: Dialects): Promise<ConnectionGraph> {
  return new ViewConnectionGraph(at, await BindingWorld.of(at, dialects));
}

/** As `findSymbol`; a key of a connection means the symbol that serves it. */
export async function findSymbolOrHandler(ask: SymbolSelector, at: Snapshot, ids: IdSource): Promise<FoundSymbol> {
  const key = ask.symbolId === undefined && ask.line === undefined ? parseConnectionKey(ask.name) : undefined;
  if (key === undefined) return findSymbol(ask, at, ids);
  const { definitions } = await (await connectionsOf(at, referenceRules)).ofKey(key.kind, key.key);
  const handlers = new Map(definitions.flatMap(({ to }) => (to ? [[locationKey(to), to]] : [])));
  const found: FoundSymbol[] = [];
  for (const { path, index } of handlers.values())
    found.push({ record: await at.record((await at.file(path))!), index });
  return oneSymbol(found, { name: ask.name, matched: found.length }, at, ids);
}

/** A definition with one of its full keys. */
interface Definition {
  readonly fact: ConnectionFact;
  readonly key: string;
  readonly open?: true;
  readonly path: string;
}

class ViewConnectionGraph implements ConnectionGraph {
  private readonly at: Snapshot;
  private readonly world: BindingWorld;
  private readonly binder: Binder;

  constructor(at: Snapshot, world: BindingWorld) {
    this.at = at;
    this.world = world;
    this.binder = new Binder(world);
  }

  async to(symbol: SymbolLocation): Promise<readonly ConnectionEdge[]> {
    const found: ConnectionEdge[] = [];
    await this.world.load([symbol.path]);
    const { name, kind: own } = this.world.module(symbol.path)?.facts.definitions[symbol.index] ?? {};
    for (const kind of CONNECTION_KINDS) {
      // Of elements, which a site has by the thousand, only custom ones have a symbol: their class.
      if (kind === "element" && own !== "class") continue;
      for (const definition of await this.definitions(kind)) {
        if (!(await this.mayServe(definition, symbol, name))) continue;
        const to = await this.handler(definition);
        if (to === undefined || locationKey(to) !== locationKey(symbol)) continue;
        found.push(describeDefinition(definition, to), ...(await this.usesOf(definition, to)));
      }
    }
    return distinct(found);
  }

  /** Whether it is worth to bind what serves the definition. */
  private async mayServe({ fact, path }: Definition, symbol: SymbolLocation, name: string | undefined) {
    const { target, from } = fact;
    if (target === undefined) return path === symbol.path && from === symbol.index;
    if ("symbol" in target) return path === symbol.path && target.symbol === symbol.index;
    if (name === undefined) return false;
    if ("name" in target) return target.name.split("#").some((part) => nameParts(part).at(-1) === name);
    await this.world.load([path]);
    const module = this.world.module(path);
    const site = module && siteAt(module, target);
    return module !== undefined && site !== undefined && module.facts.names[module.facts.sites.names[site]!] === name;
  }

  async from({ path, index }: SymbolLocation): Promise<readonly ConnectionEdge[]> {
    await this.world.load([path]);
    const module = this.world.module(path);
    const found: ConnectionEdge[] = [];
    for (const fact of module?.facts.connections ?? []) {
      if (fact.side !== "use" || (index >= 0 && !isInside(module!, fact.from, index))) continue;
      for (const [definition, rank] of bestMatches(fact, await this.definitions(fact.kind), path))
        found.push(describeUse(fact, path, definition, rank, await this.handler(definition)));
    }
    return distinct(found);
  }

  async ofKey(kind: ConnectionKind, key: string): Promise<KeyConnections> {
    const all = await this.definitions(kind);
    const matched = [...bestMatches({ kind, key, open: true }, all)].map(([definition]) => definition);
    if (matched.length > 0) return this.connectionsOfAll(matched);
    return { definitions: [], uses: distinct(await this.usesWithoutDefinition(kind, key)) };
  }

  private async connectionsOfAll(matched: readonly Definition[]): Promise<KeyConnections> {
    const definitions: ConnectionEdge[] = [];
    const uses: ConnectionEdge[] = [];
    for (const definition of matched) {
      const to = await this.handler(definition);
      definitions.push(describeDefinition(definition, to));
      uses.push(...(await this.usesOf(definition, to)));
    }
    // Several definitions of a key share its uses.
    const byPlace = new Map(uses.toReversed().map((it) => [`${it.name}\0${it.path}\0${it.line}`, it]));
    return { definitions: distinct(definitions), uses: distinct([...byPlace.values()]) };
  }

  async all(kind: ConnectionKind): Promise<KeyConnections> {
    return this.connectionsOfAll(await this.definitions(kind));
  }

  private async usesWithoutDefinition(kind: ConnectionKind, key: string): Promise<ConnectionEdge[]> {
    const found: ConnectionEdge[] = [];
    for (const { path, fact } of await this.useFacts(kind, key)) {
      const rank = rankMatch(kind, { key, open: true }, fact);
      if (rank > 0) found.push({ ...placeOf(fact, path), side: "use", name: fact.key, resolution: keyMatch(rank) });
    }
    return found;
  }

  private async usesOf(definition: Definition, to: SymbolLocation | undefined): Promise<ConnectionEdge[]> {
    const { kind } = definition.fact;
    const found: ConnectionEdge[] = [];
    for (const { path, fact } of await this.useFacts(kind, definition.key)) {
      if (rankMatch(kind, fact, definition) === 0) continue;
      const rank = bestMatches(fact, await this.definitions(kind), path).get(definition);
      if (rank !== undefined) found.push(describeUse(fact, path, definition, rank, to));
    }
    return found;
  }

  private async useFacts(kind: ConnectionKind, key: string) {
    const files = await this.at.mentions(usesMention(kind, definitionWord(kind, key)));
    const paths = files.slice(0, MOST_FILES).map(({ path }) => path);
    await this.world.load(paths);
    if (isLongTurn()) await nextTurn();
    return paths.flatMap((path) =>
      (this.world.module(path)?.facts.connections ?? [])
        .filter((fact) => fact.side === "use" && fact.kind === kind)
        .map((fact) => ({ path, fact })),
    );
  }

  /** All definitions of the view, under the keys that the mounts give them. */
  private async definitions(kind: ConnectionKind): Promise<readonly Definition[]> {
    const memo = `connections ${kind}`;
    const known = this.world.memo.get(memo) as readonly Definition[] | undefined;
    if (known !== undefined) return known;
    const files = (await this.at.mentions(definitionsMention(kind))).slice(0, MOST_FILES);
    await this.world.load(files.map(({ path }) => path));
    const modules = files.flatMap(({ path }) => this.world.module(path) ?? []);
    const read = await this.world.settle(() => {
      const mounts = new Mounts(modules, kind, this.binder);
      return modules.flatMap((module) =>
        (module.facts.connections ?? [])
          .filter((fact) => fact.side === "definition" && fact.kind === kind)
          .flatMap((fact) => mounts.fullKeys(fact, module)),
      );
    });
    this.world.memo.set(memo, read);
    return read;
  }

  private async handler({ fact, path }: Definition): Promise<SymbolLocation | undefined> {
    const { target, from } = fact;
    if (target === undefined) return from < 0 ? undefined : { path, index: from };
    if ("symbol" in target) return { path, index: target.symbol };
    await this.world.load([path]);
    return this.world.settle(() => {
      if ("name" in target) return this.named(target.name);
      const module = this.world.module(path)!;
      const site = siteAt(module, target);
      if (site === undefined) return undefined;
      const [bound] = this.binder.site(module, site).symbols;
      if (bound !== undefined) return this.binder.prototypes.definitionOf(bound);
      return this.named(module.facts.names[module.facts.sites.names[site]!]!);
    });
  }

  /** The one symbol of a name; with a type, its member or else the type itself. */
  private named(written: string): SymbolLocation | undefined {
    const [type, member] = written.includes("#") ? written.split("#") : ["", written];
    const owner = nameParts(type!);
    const members = this.world
      .named(nameParts(member!).at(-1)!)
      .filter(({ kind }) => SERVING.has(kind) || TYPE_KINDS.has(kind));
    if (owner.length === 0) return members.length === 1 ? locationOf(members[0]!) : undefined;
    const own = nearest(members, owner, 1);
    const found =
      own ??
      nearest(
        this.world.named(owner.at(-1)!).filter(({ kind }) => TYPES.has(kind)),
        owner,
        0,
      );
    return found && locationOf(found);
  }
}

function locationOf({ path, index }: SymbolLocation): SymbolLocation {
  return { path, index };
}

/**
 * The symbol whose qualified name, without its last parts, ends with most of the owner's parts, and at least with its name; of
 * equal ones the one with the shortest name: `StoriesController` is not `Mod::StoriesController`.
 */
function nearest(symbols: readonly NamedSymbol[], owner: readonly string[], without: number): NamedSymbol | undefined {
  const ranked = symbols.map((symbol) => {
    const parts = nameParts(symbol.qualifiedName);
    let same = 0;
    while (same < owner.length && parts.at(-1 - without - same) === owner.at(-1 - same)) same++;
    return { symbol, same, length: parts.length };
  });
  ranked.sort((a, b) => b.same - a.same || a.length - b.length);
  return ranked[0] && ranked[0].same > 0 ? ranked[0].symbol : undefined;
}

const TYPES: ReadonlySet<string> = new Set([...TYPE_KINDS, "module", "object"]);
const SERVING: ReadonlySet<string> = new Set(["fn", "method", "constructor", "const", "var"]);

interface RouterPrefixes {
  readonly prefixes: readonly string[];
  readonly open: boolean;
}

/** A router as another file knows it. */
interface MountedRouter {
  readonly path: string;
  /** The variable; absent for all routers of the file. */
  readonly name?: string;
  /** The function that is handed the router. */
  readonly within?: number;
  /** It is mounted with its folder: what its path adds to the prefix. */
  readonly folder?: string;
}

interface Mount extends MountedRouter {
  readonly fact: ConnectionFact;
  readonly by: Module;
}

/** Which prefixes the routers of a file get from others. */
class Mounts {
  private readonly byTarget = new Map<string, Mount[]>();
  private readonly binder: Binder;

  constructor(modules: readonly Module[], kind: ConnectionKind, binder: Binder) {
    this.binder = binder;
    for (const by of modules) {
      for (const fact of by.facts.connections ?? []) {
        if (fact.side !== "mount" || fact.kind !== kind) continue;
        for (const router of mountedBy(fact, by, binder) ?? mountedFolder(fact, by, modules)) {
          const known = this.byTarget.get(router.path) ?? [];
          known.push({ ...router, fact, by });
          this.byTarget.set(router.path, known);
        }
      }
    }
  }

  fullKeys(fact: ConnectionFact, module: Module): Definition[] {
    const { path } = module;
    if (fact.kind !== "route") return [{ fact, path, key: fact.key }];
    const { prefixes, open } = this.prefixes(fact, module, 0);
    return prefixes.map((prefix) => ({
      ...{ fact, path, key: prefix === "" ? fact.key : joinRoutes(prefix, fact.key) },
      ...(open && { open: true as const }),
    }));
  }

  private prefixes({ on, from, ...fact }: ConnectionFact, module: Module, depth: number): RouterPrefixes {
    const home = this.homeOf(on, module);
    const all = this.byTarget.get(home.path) ?? [];
    const own = all.find((it) => it.by.path === home.path && it.name === home.name && it.fact.on === it.name)?.fact;
    const ownPath = own === undefined ? "" : pathOf(own);
    const mounts = surest(
      all.filter((mount) => {
        if (mount.folder === "" && mount.fact.target !== undefined) return on === undefined || isWholeFolder(mount);
        if (mount.within !== undefined) return home.path === module.path && isInside(module, from, mount.within);
        if (mount.by.path === home.path)
          return mount.name !== undefined && mount.name === home.name && mount.fact.on !== home.name;
        return mount.name === undefined || home.name === undefined || mount.name === home.name;
      }),
      home.path,
    );
    if (mounts.length === 0 || depth > MOST_MOUNTS_DEEP) return { prefixes: [ownPath], open: fact.open === true };
    const prefixes: string[] = [];
    let isOpen = false;
    for (const { fact: mount, by, folder = "" } of mounts) {
      const outer = this.prefixes(mount, by, depth + 1);
      isOpen ||= outer.open || mount.open === true;
      for (const prefix of outer.prefixes) prefixes.push(`${prefix}${pathOf(mount)}${folder}${ownPath}`);
    }
    return { prefixes: [...new Set(prefixes)].slice(0, MOST_PREFIXES), open: isOpen };
  }

  /** Where a router is made: its routes may be in files that import it. */
  private homeOf(on: string | undefined, module: Module): { readonly path: string; readonly name?: string } {
    if (on === undefined) return { path: module.path };
    for (const fact of module.imported.get(on) ?? []) {
      const [value] = this.binder.names.imported(module, fact);
      if (value?.is !== "symbol") continue;
      const name = this.binder.world.module(value.path)?.facts.definitions[value.index]?.name;
      if (name !== undefined) return { path: value.path, name };
    }
    return { path: module.path, name: on };
  }
}

function isWholeFolder({ fact: { target } }: Mount): boolean {
  return target !== undefined && "name" in target && target.name !== FOLDER;
}

/** A mount in the router's own file before one of the whole file, one of the application before one of a test. */
function surest(mounts: readonly Mount[], home: string): readonly Mount[] {
  const own = mounts.filter(({ by, name }) => by.path === home && name !== undefined);
  if (own.length > 0) return own;
  const tested = mounts.filter(({ by }) => !pathClasses(by.path).includes("test"));
  return tested.length > 0 ? tested : mounts;
}

/** The path of a mount. */
function pathOf({ key }: ConnectionFact): string {
  return key.slice(key.indexOf(" ") + 1).replace(/^\/$/, "");
}

/** A mount of all files in a folder next to the one that mounts it. */
const FOLDER = "folder:";

/** The files of a folder: with a name, they are under the names of their own folders; without, only routes of classes are meant. */
function mountedFolder({ target }: ConnectionFact, by: Module, modules: readonly Module[]): MountedRouter[] {
  const name = target && "name" in target ? target.name.slice(FOLDER.length) : "";
  const root = [parentFolder(by.path), name].filter((part) => part !== "").join("/");
  return modules
    .filter(({ path }) => path !== by.path && (root === "" || path.startsWith(`${root}/`)))
    .map(({ path }) => ({ path, folder: name === "" ? "" : parentFolder(path).slice(root.length) }));
}

/** The files, and the routers in them, that a mount means. */
function mountedBy({ target }: ConnectionFact, module: Module, binder: Binder): MountedRouter[] | undefined {
  const { world } = binder;
  if (target === undefined) return [];
  if ("symbol" in target) return [routerAt({ path: module.path, index: target.symbol }, world)];
  if ("name" in target && target.name.startsWith(FOLDER)) return undefined;
  if ("name" in target) {
    const files = (["required", undefined] as const).flatMap((how) => world.resolve(target.name, module, how));
    return files.slice(0, 1).map((path) => ({ path }));
  }
  const site = siteAt(module, target);
  if (site === undefined) return [];
  const { sites, names, expressions } = module.facts;
  const { symbols } = binder.site(module, site);
  if (symbols.length > 0) return symbols.map((symbol) => routerAt(symbol, world));
  // A whole module, or a value that is made in one: `users.router`, `require("./users")`.
  const name = names[sites.names[site]!]!;
  const receiver = sites.receivers[site]! >= 0 ? expressions[sites.receivers[site]!] : undefined;
  const root = receiver?.split("\t")[0] ?? name;
  const values = (module.imported.get(root) ?? []).flatMap((fact) => binder.names.imported(module, fact));
  const files = new Set(values.flatMap((value) => ("path" in value ? [value.path] : [])));
  return [...files].map((path) => (receiver === undefined ? { path } : { path, name }));
}

function routerAt({ path, index }: SymbolLocation, world: BindingWorld): MountedRouter {
  const definition = world.module(path)?.facts.definitions[index];
  if (definition === undefined) return { path };
  return FUNCTIONS.has(definition.kind) ? { path, within: index } : { path, name: definition.name };
}

const FUNCTIONS: ReadonlySet<string> = new Set(["fn", "method", "constructor"]);

function siteAt({ facts: { sites } }: Module, { line, column }: { line: number; column: number }): number | undefined {
  for (let i = 0; i < sites.count; i++) if (sites.lines[i] === line && sites.columns[i] === column) return i;
  return undefined;
}

/** The definitions that match a use best, with their rank. An id means the element of its own page, if it has one. */
function bestMatches(
  use: Pick<ConnectionFact, "kind" | "key" | "open">,
  all: readonly Definition[],
  path?: string,
): Map<Definition, number> {
  let best = 0;
  const found = new Map<Definition, number>();
  for (const definition of all) {
    const rank = rankMatch(use.kind, use, definition);
    if (rank === 0 || rank < best) continue;
    if (rank > best) found.clear();
    best = rank;
    found.set(definition, rank);
  }
  const own = use.kind === "element" ? [...found].filter(([it]) => it.path === path) : [];
  return own.length > 0 ? new Map(own) : found;
}

function placeOf({ kind, line, from }: ConnectionFact, path: string) {
  return { kind, path, line, ...(from >= 0 && { from }) };
}

function describeDefinition({ fact, key, path }: Definition, to: SymbolLocation | undefined): ConnectionEdge {
  return { ...placeOf(fact, path), side: "definition", name: key, resolution: "literal_key", ...(to && { to }) };
}

function describeUse(
  fact: ConnectionFact,
  path: string,
  { key, path: definedIn, fact: definition }: Definition,
  rank: number,
  to: SymbolLocation | undefined,
): ConnectionEdge {
  return {
    ...placeOf(fact, path),
    ...{ side: "use", name: key, resolution: keyMatch(rank) },
    ...(to && { to }),
    definition: { path: definedIn, line: definition.line },
  };
}

function distinct(all: readonly ConnectionEdge[]): ConnectionEdge[] {
  const key = (it: ConnectionEdge) =>
    [it.side, it.kind, it.name, it.path, it.line, it.to ? locationKey(it.to) : ""].join("\0");
  return [...new Map(all.map((it) => [key(it), it])).values()].sort(byCertainty);
}

/** Definitions before uses, surer ones first. */
function byCertainty(a: ConnectionEdge, b: ConnectionEdge): number {
  return (
    Number(a.side === "use") - Number(b.side === "use") ||
    Number(a.resolution === "partial_key") - Number(b.resolution === "partial_key") ||
    (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line) ||
    (a.name < b.name ? -1 : 1)
  );
}

function isInside(module: Module, from: number, symbol: number): boolean {
  const { definitions } = module.facts;
  for (let at = from; at >= 0; at = definitions[at]?.parent ?? -1) if (at === symbol) return true;
  return false;
}
