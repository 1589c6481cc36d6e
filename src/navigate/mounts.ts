/** Full keys of definitions: the prefixes that routers get where they are mounted, in other files through imports. */
import { BASE, type ConnectionFact, type ConnectionKind, joinRoutes, OWN_NAME, VERSION } from "../model/connections.ts";
import type { SymbolLocation } from "../model/edges.ts";
import { pathClasses } from "../query/path-class.ts";
import type { Binder } from "./bind/binder.ts";
import type { Module } from "./bind/module.ts";
import { parentFolder } from "./bind/qualified.ts";
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
  private readonly binder: Binder;

  constructor(modules: readonly Module[], kind: ConnectionKind, binder: Binder) {
    this.binder = binder;
    for (const by of modules) {
      for (const fact of by.facts.connections ?? []) {
        if (fact.side !== "mount" || fact.kind !== kind) continue;
        if (fact.target && "name" in fact.target && fact.target.name.startsWith(BASE)) {
          this.ofClasses.set(fact.target.name, [...(this.ofClasses.get(fact.target.name) ?? []), pathOf(fact)]);
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
    return prefixes.map((prefix) => ({
      ...{ fact, path, key: prefix === "" ? fact.key : joinRoutes(prefix, fact.key) },
      ...(open && { open: true as const }),
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
    const ownPath = own === undefined ? "" : pathOf(own);
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
    if (mounts.length === 0 || depth > MOST_MOUNTS_DEEP) return { prefixes: [ownPath], open: fact.open === true };
    const prefixes: string[] = [];
    let isOpen = false;
    for (const { fact: mount, by, folder = "" } of mounts) {
      const outer = this.prefixes(mount, by, depth + 1);
      isOpen ||= outer.open || mount.open === true;
      for (const prefix of outer.prefixes)
        prefixes.push(`${prefix}${versioned(pathOf(mount), version)}${folder}${ownPath}`);
    }
    return { prefixes: [...new Set(prefixes)].slice(0, MOST_PREFIXES), open: isOpen };
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

/** The path of a mount. */
function pathOf({ key }: ConnectionFact): string {
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
  if (symbols.length > 0) return symbols.map((symbol) => routerAt(symbol, world));
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
  return [...files].map((path) => (receiver === undefined ? { path } : { path, name }));
}

/** `const users = require("./users")` is a symbol of the file that means another module. */
export function isImport({ path, index }: SymbolLocation, { path: own, facts, imported }: Module): boolean {
  return path === own && imported.has(facts.definitions[index]?.name ?? "");
}

function routerAt({ path, index }: SymbolLocation, world: BindingWorld): MountedRouter {
  const definition = world.module(path)?.facts.definitions[index];
  if (definition === undefined) return { path };
  return FUNCTIONS.has(definition.kind) ? { path, within: index } : { path, name: definition.name };
}

const FUNCTIONS: ReadonlySet<string> = new Set(["fn", "method", "constructor"]);

export function siteAt(
  { facts: { sites } }: Module,
  { line, column }: { line: number; column: number },
): number | undefined {
  for (let i = 0; i < sites.count; i++) if (sites.lines[i] === line && sites.columns[i] === column) return i;
  return undefined;
}

export function isInside(module: Module, from: number, symbol: number): boolean {
  const { definitions } = module.facts;
  for (let at = from; at >= 0; at = definitions[at]?.parent ?? -1) if (at === symbol) return true;
  return false;
}
