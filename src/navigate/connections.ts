/**
 * ConnectionGraph of a view: matches the uses of a key with its definitions, and a definition with the symbol that serves it. Keys
 * are compared at query time, so a connection is right on every ref. Kinds differ only in `model/connections.ts`.
 */

import {
  type ConnectionFact,
  type ConnectionKind,
  definitionsMention,
  definitionWord,
  keyMatch,
  namesServing,
  parseConnectionKey,
  rankMatch,
  servedMention,
  usesMention,
} from "../model/connections.ts";
import type { ConnectionEdge, SymbolLocation } from "../model/edges.ts";
import { isLongTurn, nextTurn } from "../model/event-loop.ts";
import type { IdSource } from "../model/ids.ts";
import { TYPE_KINDS } from "../model/kinds.ts";
import type { NamedSymbol } from "../model/language-edges.ts";
import type { SymbolSelector } from "../model/navigation.ts";
import type { Snapshot } from "../ports/snapshot.ts";
import { pathClasses } from "../query/path-class.ts";
import { Binder } from "./bind/binder.ts";
import { locationKey, nameParts } from "./bind/qualified.ts";
import { BindingWorld, type Dialects } from "./bind/world.ts";
import { type FoundSymbol, findSymbol, oneSymbol } from "./find-symbol.ts";
import { type Definition, isImport, isInside, isOutside, Mounts, siteAt } from "./mounts.ts";
import { referenceRules } from "./reference-rules.ts";

/** Files with definitions of one kind, and files that use one word, that are read. */
const MOST_FILES = 3_000;
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

/** Kinds whose keys a schema declares and code implements: both define them. */
const DECLARED: ReadonlySet<ConnectionKind> = new Set(["rpc", "graphql"]);

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
    await this.world.load([symbol.path]);
    const { name, kind: own } = this.world.module(symbol.path)?.facts.definitions[symbol.index] ?? {};
    const naming = name === undefined ? [] : await this.at.mentions(servedMention(name));
    const paths = [symbol.path, ...naming.slice(0, MOST_FILES).map(({ path }) => path)];
    await this.world.load(paths);
    const facts = paths.flatMap((path) =>
      (this.world.module(path)?.facts.connections ?? []).map((fact) => ({ fact, path })),
    );
    // Files of other kinds stay unread: most symbols serve nothing.
    const kinds = new Set(facts.filter((it) => mayServe(it, symbol, name)).map(({ fact }) => fact.kind));
    const found: ConnectionEdge[] = [];
    for (const kind of kinds) {
      // Of elements, which a site has by the thousand, only custom ones have a symbol: their class.
      if (kind === "element" && own !== "class") continue;
      for (const definition of await this.definitions(kind)) {
        if (!mayServe(definition, symbol, name)) continue;
        const to = await this.handler(definition);
        if (to === undefined || locationKey(to) !== locationKey(symbol)) continue;
        found.push(describeDefinition(definition, to), ...(await this.usesOf(definition, to)));
        if (DECLARED.has(kind)) found.push(...(await this.othersOf(definition)));
      }
    }
    return distinct(found);
  }

  /** The schema of an implementation, and the implementations of a schema. */
  private async othersOf({ fact, key, path }: Definition): Promise<ConnectionEdge[]> {
    const found: ConnectionEdge[] = [];
    for (const other of await this.definitions(fact.kind))
      if (other.key === key && (other.path !== path || other.fact.line !== fact.line))
        found.push(describeDefinition(other, await this.handler(other)));
    return found;
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
      if (bound !== undefined) return isImport(bound, module) ? undefined : this.binder.prototypes.definitionOf(bound);
      if (isOutside(module, site, this.binder)) return undefined;
      return this.named(module.facts.names[module.facts.sites.names[site]!]!, path);
    });
  }

  /** The one symbol of a name; with a type, its member or else the type itself. */
  private named(written: string, from = ""): SymbolLocation | undefined {
    const [type, member] = written.includes("#") ? written.split("#") : ["", written];
    const isWhole = type!.startsWith("::");
    const owner = nameParts(type!.replace(/^::/, ""));
    const members = this.world
      .named(nameParts(member!).at(-1)!)
      .filter(({ kind, path }) => (SERVING.has(kind) || TYPE_KINDS.has(kind)) && (isTest(from) || !isTest(path)));
    if (owner.length === 0) return members.length === 1 ? locationOf(members[0]!) : undefined;
    const types = this.world.named(owner.at(-1)!).filter(({ kind }) => TYPES.has(kind));
    const own = nearest(members, owner, 1, isWhole);
    const around = nearest(types, owner, 0, isWhole);
    // The member of another type of that name is further away than the type: `Admin::Users` without the member is not `Users`.
    const isOfAnother =
      own && around && (own.same < around.same || (own.same === around.same && own.length > around.length));
    const found = isOfAnother ? around : (own ?? around);
    return found && locationOf(found.symbol);
  }
}

/** Whether it is worth to bind what serves a definition. */
function mayServe(
  { fact, path }: Pick<Definition, "fact" | "path">,
  symbol: SymbolLocation,
  name: string | undefined,
): boolean {
  const { side, target, from } = fact;
  if (side !== "definition") return false;
  if (target === undefined) return path === symbol.path && from === symbol.index;
  if ("symbol" in target) return path === symbol.path && target.symbol === symbol.index;
  return name !== undefined && namesServing(fact).includes(name);
}

function locationOf({ path, index }: SymbolLocation): SymbolLocation {
  return { path, index };
}

/**
 * The symbol whose qualified name, without its last parts, ends with most of the owner's parts, and at least with its name; of
 * equal ones the one with the shortest name: `StoriesController` is not `Mod::StoriesController`. `isWhole`: all of the parts are
 * given.
 */
function nearest(
  symbols: readonly NamedSymbol[],
  owner: readonly string[],
  without: number,
  isWhole = false,
): { readonly symbol: NamedSymbol; readonly same: number; readonly length: number } | undefined {
  const ranked = symbols.map((symbol) => {
    const parts = nameParts(symbol.qualifiedName);
    let same = 0;
    while (same < owner.length && parts.at(-1 - without - same) === owner.at(-1 - same)) same++;
    return { symbol, same, length: parts.length - without };
  });
  ranked.sort((a, b) => b.same - a.same || a.length - b.length);
  const [first, second] = isWhole ? ranked.filter(({ same }) => same === owner.length) : ranked;
  if (first === undefined || first.same === 0) return undefined;
  // One of several types in other modules is a guess.
  return isWhole && first.length > owner.length && second !== undefined ? undefined : first;
}

const TYPES: ReadonlySet<string> = new Set([...TYPE_KINDS, "module", "object"]);
const SERVING: ReadonlySet<string> = new Set(["fn", "method", "constructor", "const", "var"]);

/** The definitions that match a use best, with their rank: of `OWN` kinds those of its file, or else tests for tests. */
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
  if (path === undefined || !(OWN.has(use.kind) || (use.kind === "env" && DOCKERFILE.test(path)))) return found;
  const isMeant = [(it: Definition) => it.path === path, (it: Definition) => isTest(it.path) === isTest(path)].find(
    (isNear) => [...found.keys()].some(isNear),
  );
  return isMeant ? new Map([...found].filter(([it]) => isMeant(it))) : found;
}

/** Kinds whose keys are often defined several times: a page has its own ids, a test its own schema. */
const OWN: ReadonlySet<ConnectionKind> = new Set(["element", "graphql"]);

/** Its own `ARG` and `ENV` come before those of other files. */
const DOCKERFILE = /(?:^|[/.])(?:Docker|Container)file[^/]*$/;

function isTest(path: string): boolean {
  return pathClasses(path).includes("test");
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
