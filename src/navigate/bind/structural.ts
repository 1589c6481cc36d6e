/** Interfaces that a type implements by having their methods, its own and those of what it embeds (Go). */

import type { SymbolLocation } from "../../model/edges.ts";
import { TYPE_KINDS } from "../../model/kinds.ts";
import type { Binder } from "./binder.ts";
import { bareName, locationKey, nameParts, parentFolder } from "./qualified.ts";
import type { BindingWorld } from "./world.ts";

/** Methods that a call of an interface's method may reach: of Go's types that have every method of the interface. */
export function structuralOverrides(place: SymbolLocation, owner: SymbolLocation, binder: Binder): SymbolLocation[] {
  const name = binder.world.module(place.path)?.facts.definitions[place.index]?.name;
  if (name === undefined) return [];
  const found = implementers(owner, binder).flatMap((it) => methodOf(it, name, binder) ?? []);
  return [...new Map(found.map((it) => [locationKey(it), it])).values()];
}

/** Methods of Go's interfaces that a type of the method satisfies. */
export function structuralBases(place: SymbolLocation, owner: SymbolLocation, binder: Binder): SymbolLocation[] {
  const { world } = binder;
  const definition = world.module(place.path)?.facts.definitions[place.index];
  if (definition === undefined || !isStructural(owner, world)) return [];
  return world.named(definition.name).filter((it) => {
    if (!it.inner) return false;
    const parent = world.module(it.path)?.facts.definitions[it.index]?.parent ?? -1;
    const overrides = parent < 0 ? [] : structuralOverrides(it, { path: it.path, index: parent }, binder);
    return overrides.some(({ path, index }) => path === place.path && index === place.index);
  });
}

/** Go's types that have every method of an interface. */
export function structuralSubtypes(type: SymbolLocation, binder: Binder): SymbolLocation[] {
  return implementers(type, binder).flatMap((it) => typeOf(it, binder.world));
}

/** Go's interfaces whose methods a type has. */
export function structuralSupertypes(type: SymbolLocation, binder: Binder): SymbolLocation[] {
  const { world } = binder;
  const module = world.module(type.path);
  const definition = module?.facts.definitions[type.index];
  if (definition === undefined || definition.kind === "interface" || !isStructural(type, world)) return [];
  const folder = parentFolder(type.path);
  const near = [...world.rows.keys()].filter((path) => parentFolder(path) === folder && path.endsWith(".go"));
  const names = new Set(near.slice(0, MAX_FILES).flatMap((path) => methodNames(path, world)));
  const found = new Map<string, SymbolLocation>();
  for (const name of names)
    for (const method of world.ownedBy(definition.name, name)) {
      if (method.kind !== "method" || method.inner || parentFolder(method.path) !== folder) continue;
      for (const base of structuralBases(method, type, binder)) {
        const index = world.module(base.path)?.facts.definitions[base.index]?.parent ?? -1;
        const implemented = { path: base.path, index };
        // What it embeds may have the method for another type.
        const isSubtype = structuralSubtypes(implemented, binder).some((it) => locationKey(it) === locationKey(type));
        if (isSubtype) found.set(locationKey(implemented), implemented);
      }
    }
  return [...found.values()];
}

/** Files of a package that are searched for the methods of a type. */
const MAX_FILES = 100;

function methodNames(path: string, world: BindingWorld): string[] {
  const { definitions } = world.module(path)?.facts ?? { definitions: [] };
  return definitions.flatMap(({ kind, name, parent }) => (kind === "method" && parent < 0 ? [name] : []));
}

/** The type of a method, in the method's package. */
function typeOf(method: Method, world: BindingWorld): SymbolLocation[] {
  const types = world.named(ownerOf(method)).filter((it) => TYPE_KINDS.has(it.kind));
  return types.filter((it) => parentFolder(it.path) === parentFolder(method.path)).slice(0, 1);
}

function isStructural({ path }: SymbolLocation, world: BindingWorld): boolean {
  const module = world.module(path);
  return module !== undefined && world.dialect(module)?.structuralInterfaces === true;
}

/** Methods that an interface asks for, with those of the interfaces in it. */
function interfaceMethods(type: SymbolLocation, { world, kin }: Binder): readonly string[] {
  const names = new Set<string>();
  const waiting = [type];
  for (let it = waiting.pop(), seen = 0; it !== undefined && seen < MAX_EMBEDDED; it = waiting.pop(), seen++) {
    const module = world.module(it.path);
    if (module?.facts.definitions[it.index]?.kind !== "interface" || !isStructural(it, world)) continue;
    for (const name of module.inside(it.index).keys()) names.add(name);
    waiting.push(...kin.supertypes(it));
  }
  return [...names];
}

/** Embedded types that are looked through for one type. */
const MAX_EMBEDDED = 64;
/** Types with some methods of one interface whose embedded types are read, those with its rarest method first. */
const MAX_COMPARED = 100;

type Method = ReturnType<BindingWorld["named"]>[number];

/** One method of each type that has every method of the interface. */
function implementers(type: SymbolLocation, binder: Binder): readonly Method[] {
  const { world, memo } = binder;
  return memo.remember(`j ${locationKey(type)}`, () => {
    const names = interfaceMethods(type, binder);
    const byRarity = names.toSorted((a, b) => world.named(a).length - world.named(b).length);
    const methods = byRarity.flatMap((it) => world.named(it)).filter((it) => it.kind === "method" && !it.inner);
    const types = Map.groupBy(methods, (it) => `${ownerOf(it)}\0${parentFolder(it.path)}`);
    let embedding = 0;
    return [...types.values()].flatMap(([method]) => {
      const others = names.filter((it) => ownMethod(ownerOf(method!), method!.path, it, world) === undefined);
      // What a type embeds need not be read where it has all methods itself.
      const isRead = others.length > 0 && ++embedding <= MAX_COMPARED;
      const has = others.length === 0 || (isRead && others.every((it) => methodOf(method!, it, binder) !== undefined));
      return has ? [method!] : [];
    });
  });
}

/** The method of a name that the type of another method has, or gets from what it embeds. */
function methodOf(method: Method, name: string, { world, kin }: Binder): SymbolLocation | undefined {
  const own = ownMethod(ownerOf(method), method.path, name, world);
  if (own !== undefined) return own;
  const waiting = typeOf(method, world);
  for (let it = waiting.shift(), seen = 0; it !== undefined && seen < MAX_EMBEDDED; it = waiting.shift(), seen++) {
    const module = world.module(it.path);
    const definition = module?.facts.definitions[it.index];
    if (module === undefined || definition === undefined) continue;
    const [inside] = definition.kind === "interface" ? (module.inside(it.index).get(name) ?? []) : [];
    if (inside !== undefined) return { path: it.path, index: inside };
    const found = ownMethod(bareName(definition.name), it.path, name, world);
    if (found !== undefined) return found;
    waiting.push(...kin.supertypes(it));
  }
  return undefined;
}

/** A method that is defined for a type, in the folder of a file of its package. */
function ownMethod(owner: string, path: string, name: string, world: BindingWorld): SymbolLocation | undefined {
  const folder = parentFolder(path);
  const all = world.ownedBy(owner, name);
  const found = all.find((it) => it.kind === "method" && !it.inner && parentFolder(it.path) === folder);
  return found && { path: found.path, index: found.index };
}

function ownerOf(method: Method): string {
  return bareName(nameParts(method.qualifiedName).at(-2) ?? "");
}
