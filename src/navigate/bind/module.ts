/** The facts of one file, indexed for binding. Depends only on the facts, so it is computed once. */

import { lowerBound } from "../../model/binary-search.ts";
import { EDGE_KINDS, type Expression, type FactDefinition, type Facts, type ImportFact } from "../../model/edges.ts";
import type { LanguageEdges } from "../../model/language-edges.ts";
import { referenceRules } from "../reference-rules.ts";

export interface Module {
  readonly path: string;
  readonly language: string;
  readonly facts: Facts;
  /** Symbols at the top level, by name. */
  readonly top: ReadonlyMap<string, readonly number[]>;
  /** Functions that the file hangs on something, by name: `app.use = function`, `Stack.prototype.push = function`. */
  readonly hung: ReadonlyMap<string, readonly number[]>;
  /** Symbols inside a symbol, by name. */
  inside(owner: number): ReadonlyMap<string, readonly number[]>;
  /** What the file knows from elsewhere under a name. */
  readonly imported: ReadonlyMap<string, readonly ImportFact[]>;
  /** Modules of which it knows every name. */
  readonly starred: readonly ImportFact[];
  /** Re-exported names. */
  readonly exported: ReadonlyMap<string, readonly ImportFact[]>;
  /** Modules that it re-exports completely. */
  readonly handedOn: readonly ImportFact[];
  /** Sites that name the supertypes of a symbol. */
  supertypes(symbol: number): readonly number[];
  /** What a field that is no symbol was set from, each time it was. */
  field(owner: number, name: string): readonly Expression[];
  /** The package or namespace that the file declares; "" if none. */
  readonly home: string;
  /** Sites of a name: positions `[from, to)`. */
  sites(name: string): { readonly from: number; readonly to: number };
}

const byFacts = new WeakMap<Facts, Module>();

export function indexModule(path: string, language: string, facts: Facts): Module {
  const known = byFacts.get(facts);
  if (known !== undefined && known.path === path) return known;
  const module = index(path, language, facts);
  // The facts of files that have none are shared by all of them.
  if (facts.sites.count > 0) byFacts.set(facts, module);
  return module;
}

function index(path: string, language: string, facts: Facts): Module {
  const { imports, definitions } = facts;
  const rules: ScopeRules = referenceRules(language) ?? {};
  const children = lazy(() => groupByOwner(definitions, rules));
  const supertypes = lazy(() => groupSupertypes(facts));
  const fields = lazy(() =>
    grouped(
      facts.fields,
      ({ owner, name }) => `${owner} ${name}`,
      ({ type }) => type,
    ),
  );
  return {
    path,
    language,
    facts,
    top: grouped(
      definitions.entries(),
      ([, it]) => (isTop(it, definitions, rules) ? it.name : ""),
      ([at]) => at,
    ),
    hung: rules.literalTypes
      ? grouped(
          definitions.entries(),
          ([, { kind, parent, name }]) => (kind === "method" && parent < 0 ? name : ""),
          ([at]) => at,
        )
      : NOTHING,
    inside: (owner) => children().get(owner) ?? NOTHING,
    imported: grouped(imports, (it) => (it.local === "*" ? "" : it.local), same),
    starred: imports.filter((it) => it.local === "*"),
    exported: grouped(imports, (it) => (it.exported === "*" ? "" : (it.exported ?? "")), same),
    handedOn: imports.filter((it) => it.exported === "*"),
    supertypes: (symbol) => supertypes().get(symbol) ?? NONE,
    field: (owner, name) => fields().get(`${owner} ${name}`) ?? [],
    home: homeOf(definitions),
    sites: (name) => sitesNamed(facts, name),
  };
}

/** Scala's packages may be written one after the other: `package a` and `package b` are `a.b`. */
function homeOf(definitions: readonly FactDefinition[]): string {
  const outer = definitions.filter(({ kind, parent }) => parent < 0 && (kind === "package" || kind === "namespace"));
  const packages = outer.filter(({ kind }) => kind === "package");
  return packages.length > 0 ? packages.map(({ name }) => name).join(".") : (outer[0]?.name ?? "");
}

type ScopeRules = Pick<LanguageEdges, "openNamespaces" | "openEnums" | "openTypes" | "tables" | "literalTypes">;

/** The definition that owns an enum's members. */
function ownerOfMembers(list: number, all: readonly FactDefinition[], { openEnums }: ScopeRules): number {
  if (list < 0 || openEnums === undefined || all[list]!.kind !== "enum") return list;
  return openEnums === "of file" ? -1 : all[list]!.parent;
}

/** A method outside its type is reached through the type, and a test has no name in code. */
const NOT_TOP: ReadonlySet<string> = new Set(["use", "method", "constructor", "test"]);

function isTop({ parent, kind, scope }: FactDefinition, all: readonly FactDefinition[], rules: ScopeRules): boolean {
  if (rules.openTypes === true && all[parent]?.kind !== "instance") return kind !== "use" && scope === undefined;
  let owner = kind === "variant" ? ownerOfMembers(parent, all, rules) : parent;
  while (owner >= 0 && rules.openNamespaces === true && all[owner]!.kind === "namespace") owner = all[owner]!.parent;
  // A type literal at the top of a script has properties, which are no names of the file.
  const isMember =
    NOT_TOP.has(kind) ||
    (rules.tables === true && kind === "field") ||
    (rules.literalTypes === true && kind === "property");
  return owner < 0 && !isMember && scope === undefined;
}

const NOTHING: ReadonlyMap<string, readonly number[]> = new Map();
const NONE: readonly number[] = [];

function groupByOwner(definitions: readonly FactDefinition[], rules: ScopeRules): Map<number, Map<string, number[]>> {
  const children = new Map<number, Map<string, number[]>>();
  const note = (owner: number, name: string, at: number) => {
    const names = children.get(owner) ?? new Map<string, number[]>();
    children.set(owner, names);
    const known = names.get(name);
    if (known) known.push(at);
    else names.set(name, [at]);
  };
  for (const [at, { name, kind, parent, scope }] of definitions.entries()) {
    if (parent < 0) continue;
    note(parent, name, at);
    const outer = kind === "variant" && scope === undefined ? ownerOfMembers(parent, definitions, rules) : parent;
    if (outer >= 0 && outer !== parent) note(outer, name, at);
  }
  return children;
}

function groupSupertypes({ sites }: Facts): Map<number, number[]> {
  const [implemented, extended] = [EDGE_KINDS.indexOf("implements"), EDGE_KINDS.indexOf("extends")];
  const found = new Map<number, number[]>();
  for (let i = 0; i < sites.count; i++) {
    if (sites.kinds[i] !== implemented && sites.kinds[i] !== extended) continue;
    const known = found.get(sites.from[i]!);
    if (known) known.push(i);
    else found.set(sites.from[i]!, [i]);
  }
  // In the order of the source, which is the order of look-up.
  for (const list of found.values()) {
    list.sort((a, b) => sites.lines[a]! - sites.lines[b]! || sites.columns[a]! - sites.columns[b]!);
  }
  return found;
}

export function sitesNamed({ names, sites }: Facts, name: string): { from: number; to: number } {
  const at = lowerBound(names, name);
  if (names[at] !== name) return { from: 0, to: 0 };
  return { from: lowerBound(sites.names, at), to: lowerBound(sites.names, at + 1) };
}

/** By key; what has the key "" is left out. */
function grouped<T, V>(items: Iterable<T>, key: (item: T) => string, value: (item: T) => V): Map<string, V[]> {
  const groups = new Map<string, V[]>();
  for (const item of items) {
    const name = key(item);
    if (name === "") continue;
    const known = groups.get(name);
    if (known) known.push(value(item));
    else groups.set(name, [value(item)]);
  }
  return groups;
}

function same<T>(item: T): T {
  return item;
}

function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
