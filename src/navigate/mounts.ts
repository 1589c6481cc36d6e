/** Full keys of definitions: the prefixes that routers get where they are mounted, in other files through imports. */
import {
  BASE,
  CONSTANT,
  type ConnectionFact,
  type ConnectionKind,
  type ConnectionTarget,
  joinRoutes,
  OWN_NAME,
  VERSION,
  withConstant,
} from "../model/connections.ts";
import type { SymbolLocation } from "../model/edges.ts";
import { pathClasses } from "../query/path-class.ts";
import type { Binder } from "./bind/binder.ts";
import type { Module } from "./bind/module.ts";
import { parentFolder } from "./bind/qualified.ts";
import { isOutside as isOutsideValue } from "./bind/values.ts";
import type { BindingWorld } from "./bind/world.ts";

/** Prefixes that one router has: it may be mounted in several places. */
const MOST_PREFIXES = 8;
const MOST_MOUNTS_DEEP = 6;

/** A definition with one of its full keys. */
export interface Definition {
  readonly fact: ConnectionFact;
  readonly key: string;
  readonly open?: true;
  readonly path: string;
}

interface RouterPrefixes {
  readonly prefixes: readonly string[];
  readonly open: boolean;
}

/** A router as another file knows it. */
interface MountedRouter {
  readonly path: string;
  /** The variable; absent for all routers of the file. */
  readonly name?: string;
  /** The function that takes the router. */
  readonly within?: number;
  /** It is mounted with its folder: what its path adds to the prefix. */
  readonly folder?: string;
}

interface Mount extends MountedRouter {
  readonly fact: ConnectionFact;
  readonly by: Module;
}

/** Which prefixes the routers of a file get from others. */
export class Mounts {
  private readonly byTarget = new Map<string, Mount[]>();
  /** Prefixes of classes that others may inherit, by the name of the class. */
  private readonly ofClasses = new Map<string, string[]>();
  /** Paths that constants hold, by file and symbol, and by name. */
  private readonly constants = new Map<string, string>();
  private readonly constantsNamed = new Map<string, Set<string>>();
  private readonly binder: Binder;

  constructor(modules: readonly Module[], kind: ConnectionKind, binder: Binder) {
    this.binder = binder;
    for (const module of modules)
      for (const fact of module.facts.connections ?? []) if (fact.side === "constant") this.addConstant(fact, module);
    for (const by of modules) {
      for (const fact of by.facts.connections ?? []) {
        if (fact.side !== "mount" || fact.kind !== kind) continue;
        if (fact.target && "name" in fact.target && fact.target.name.startsWith(BASE)) {
          const known = this.ofClasses.get(fact.target.name) ?? [];
          this.ofClasses.set(fact.target.name, [...known, pathIn(this.filled(fact, by).key)]);
          continue;
        }
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
    const own = this.filled(fact, module);
    const isOpen = open || own.isOpen;
    return prefixes.map((prefix) => ({
      ...{ fact, path, key: prefix === "" ? own.key : joinRoutes(prefix, own.key) },
      ...(isOpen && { open: true as const }),
    }));
  }

  private prefixes({ on: owner, from, ...fact }: ConnectionFact, module: Module, depth: number): RouterPrefixes {
    if (owner?.startsWith(BASE)) return this.inherited(owner);
    const version = owner?.startsWith(VERSION) ? owner.slice(VERSION.length) : undefined;
    const on = version === undefined ? owner : undefined;
    const home = this.homeOf(on, module);
    const all = this.byTarget.get(home.path) ?? [];
    const own =
      home.name === undefined
        ? undefined
        : all.find((it) => it.by.path === home.path && it.name === home.name && it.fact.on === it.name)?.fact;
    const made = own && this.filled(own, this.binder.world.module(home.path) ?? module);
    const ownPath = made === undefined ? "" : pathIn(made.key);
    const mounts = surest(
      all.filter((mount) => {
        if (mount.folder === "" && mount.fact.target !== undefined) return on === undefined || isWholeFolder(mount);
        if (mount.within !== undefined)
          return home.path === module.path && (isInside(module, from, mount.within) || serves(fact, mount.within));
        if (mount.by.path === home.path)
          return mount.name !== undefined && mount.name === home.name && mount.fact.on !== home.name;
        return mount.name === undefined || home.name === undefined || mount.name === home.name;
      }),
      home.path,
    );
    if (mounts.length === 0 || depth > MOST_MOUNTS_DEEP)
      return { prefixes: [ownPath], open: fact.open === true || made?.isOpen === true };
    const prefixes: string[] = [];
    let isOpen = made?.isOpen === true;
    for (const { fact: mount, by, folder = "" } of mounts) {
      const outer = this.prefixes(mount, by, depth + 1);
      const filled = this.filled(mount, by);
      isOpen ||= outer.open || mount.open === true || filled.isOpen;
      for (const prefix of outer.prefixes)
        prefixes.push(`${prefix}${versioned(pathIn(filled.key), version)}${folder}${ownPath}`);
    }
    return { prefixes: [...new Set(prefixes)].slice(0, MOST_PREFIXES), open: isOpen };
  }

  private addConstant({ key, target }: ConnectionFact, { path, facts }: Module): void {
    if (target === undefined || !("symbol" in target)) return;
    const name = facts.definitions[target.symbol]?.name ?? "";
    this.constants.set(`${path}\0${target.symbol}`, pathIn(key));
    this.constantsNamed.set(name, (this.constantsNamed.get(name) ?? new Set()).add(pathIn(key)));
  }

  /** The key of a fact with the value of its constant: the one that the name is bound to, or the only one of the name. */
  private filled({ side, key, constant }: ConnectionFact, module: Module): { key: string; isOpen: boolean } {
    if (!key.includes(CONSTANT)) return { key, isOpen: false };
    const site = constant && siteAt(module, constant);
    const bound = site === undefined ? [] : this.binder.site(module, site).symbols;
    const value = bound
      .map(({ path, index }) => this.constants.get(`${path}\0${index}`))
      .find((it) => it !== undefined);
    const named = constant && "word" in constant ? [...(this.constantsNamed.get(constant.word) ?? [])] : [];
    const known = value ?? (named.length === 1 ? named[0] : undefined);
    // The prefix of a mount may be nothing else.
    const whole = known === undefined && side === "mount" ? `${key}/`.replace(/\u0001\/$/, "") : key;
    return { key: withConstant(whole, known), isOpen: known === undefined };
  }

  /** The prefix of a base class, which two classes of one name must agree on. */
  private inherited(owner: string): RouterPrefixes {
    const [base, name] = owner.split(" ");
    const [prefix, ...others] = new Set(this.ofClasses.get(base!) ?? []);
    if (prefix === undefined || others.length > 0) return { prefixes: [""], open: others.length > 0 };
    return { prefixes: [prefix.replaceAll(OWN_NAME, name!)], open: false };
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

/** An annotated function that a scope serves. */
function serves({ target }: Pick<ConnectionFact, "target">, symbol: number): boolean {
  return target !== undefined && "symbol" in target && target.symbol === symbol;
}

function isWholeFolder({ fact: { target } }: Mount): boolean {
  return target !== undefined && "name" in target && target.name !== FOLDER && !target.name.startsWith(CLASSES);
}

/** A mount in the router's own file before one of the whole file, one of the application before one of a test. */
function surest(mounts: readonly Mount[], home: string): readonly Mount[] {
  const own = mounts.filter(({ by, name }) => by.path === home && name !== undefined);
  if (own.length > 0) return own;
  const tested = mounts.filter(({ by }) => !pathClasses(by.path).includes("test"));
  return tested.length > 0 ? tested : mounts;
}

/** A version in the prefix, `/~v.1`, is replaced by that of the route. */
function versioned(path: string, version: string | undefined): string {
  return path.replace(/\/~(\w*)\.(\w*)$/, (_, prefix: string, usual: string) => {
    const own = version ?? usual;
    return own === "" ? "" : `/${prefix}${own}`;
  });
}

function pathIn(key: string): string {
  return key.slice(key.indexOf(" ") + 1).replace(/^\/$/, "");
}

/** A mount of all files in a folder next to the one that mounts it. */
const FOLDER = "folder:";

/** The same from the root of the repository, for routes of classes. */
const CLASSES = "classes:";

/** The files of a folder: with a name, they are under the names of their own folders; without, only routes of classes are meant. */
function mountedFolder({ target }: ConnectionFact, by: Module, modules: readonly Module[]): MountedRouter[] {
  const written = target && "name" in target ? target.name : "";
  if (written.startsWith(CLASSES)) {
    const folder = `${written.slice(CLASSES.length)}/`;
    return modules.filter(({ path }) => path.startsWith(folder)).map(({ path }) => ({ path, folder: "" }));
  }
  const name = written.slice(FOLDER.length);
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
  if ("name" in target && (target.name.startsWith(FOLDER) || target.name.startsWith(CLASSES))) return undefined;
  if ("name" in target) {
    const files = (["required", undefined] as const).flatMap((how) => world.resolve(target.name, module, how));
    return files.slice(0, 1).map((path) => ({ path }));
  }
  const site = siteAt(module, target);
  if (site === undefined) return [];
  const { sites, names, expressions } = module.facts;
  const symbols = binder.site(module, site).symbols.filter((it) => !isImport(it, module));
  if (symbols.length > 0)
    return symbols.flatMap((symbol) => [routerAt(symbol, world), ...inherited(symbol, binder, 0)]);
  // A whole module, or a value that is made in one: `users.router`, `require("./users")`.
  const name = names[sites.names[site]!]!;
  const receiver = sites.receivers[site]! >= 0 ? expressions[sites.receivers[site]!] : undefined;
  const root = receiver?.split("\t")[0] ?? name;
  const imports = module.imported.get(root) ?? [];
  const values = imports.flatMap((fact) => binder.names.imported(module, fact));
  const files = new Set(values.flatMap((value) => ("path" in value ? [value.path] : [])));
  // `module.exports = router.routes()` is a value of no name.
  if (files.size === 0)
    for (const { module: from, required } of imports)
      for (const path of world.resolve(from, module, required ? "required" : undefined).slice(0, 1)) files.add(path);
  if (receiver === undefined) return [...files].map((path) => ({ path }));
  // A package may have more files than the binder tells apart.
  const folders = new Set([...files].map(parentFolder));
  const own = world.named(name).filter(({ path, kind }) => FUNCTIONS.has(kind) && folders.has(parentFolder(path)));
  if (module.language === "go" && own.length > 0) return own.map((symbol) => routerAt(symbol, world));
  return [...files].map((path) => ({ path, name }));
}

/** `const users = require("./users")` is a symbol of the file that means another module. */
export function isImport({ path, index }: SymbolLocation, { path: own, facts, imported }: Module): boolean {
  return path === own && imported.has(facts.definitions[index]?.name ?? "");
}

function routerAt({ path, index }: SymbolLocation, world: BindingWorld): MountedRouter {
  const definition = world.module(path)?.facts.definitions[index];
  if (definition === undefined) return { path };
  return ROUTING.has(definition.kind) ? { path, within: index } : { path, name: definition.name };
}

const FUNCTIONS: ReadonlySet<string> = new Set(["fn", "method", "constructor"]);

/** Functions that receive a router or make one, and classes of routes. */
const ROUTING: ReadonlySet<string> = new Set(["fn", "method", "constructor", "class"]);

/** The base classes of a class, whose routes it has, too. */
function inherited({ path, index }: SymbolLocation, binder: Binder, depth: number): MountedRouter[] {
  const module = binder.world.module(path);
  if (module?.facts.definitions[index]?.kind !== "class" || depth > MOST_BASES) return [];
  return module
    .supertypes(index)
    .flatMap((site) =>
      binder
        .site(module, site)
        .symbols.flatMap((base) =>
          binder.world.module(base.path)?.facts.definitions[base.index]?.kind === "class"
            ? [{ path: base.path, within: base.index }, ...inherited(base, binder, depth + 1)]
            : [],
        ),
    );
}

const MOST_BASES = 3;

/** A member of something that is imported from outside of the repository. */
export function isOutside(module: Module, site: number, { names }: Binder): boolean {
  const { sites, expressions } = module.facts;
  const root = sites.receivers[site]! >= 0 ? expressions[sites.receivers[site]!]!.split("\t")[0]! : undefined;
  const imports = root === undefined ? [] : (module.imported.get(root) ?? []);
  return imports.length > 0 && imports.every((it) => isOutsideValue(names.imported(module, it)));
}

export function siteAt({ facts: { sites } }: Module, target: ConnectionTarget): number | undefined {
  if (!("word" in target)) return undefined;
  const { line, column } = target;
  for (let i = 0; i < sites.count; i++) if (sites.lines[i] === line && sites.columns[i] === column) return i;
  return undefined;
}

export function isInside(module: Module, from: number, symbol: number): boolean {
  const { definitions } = module.facts;
  for (let at = from; at >= 0; at = definitions[at]?.parent ?? -1) if (at === symbol) return true;
  return false;
}
