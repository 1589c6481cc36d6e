/** Interfaces that a type implements by having their methods (Go). */
import type { SymbolLocation } from "../../model/edges.ts";
import { bareName, nameParts, parentFolder } from "./qualified.ts";
import { TYPE_KINDS } from "./values.ts";
import type { BindingWorld } from "./world.ts";

/** Methods of Go's types that have every method of the interface. */
export function structuralOverrides(place: SymbolLocation, owner: SymbolLocation, world: BindingWorld): Method[] {
  const methods = interfaceMethods(owner, world);
  const module = world.module(place.path);
  if (methods.length === 0 || module === undefined) return [];
  const { name } = module.facts.definitions[place.index]!;
  return world.named(name).filter((it) => it.kind === "method" && !it.inner && hasMethods(it, methods, world));
}

/** Methods of Go's interfaces that a type of the method satisfies. */
export function structuralBases(place: SymbolLocation, owner: SymbolLocation, world: BindingWorld): SymbolLocation[] {
  const module = world.module(place.path);
  const definition = module?.facts.definitions[place.index];
  if (definition === undefined || !isStructural(owner, world)) return [];
  const self = world.named(definition.name).find((it) => it.path === place.path && it.index === place.index);
  if (self === undefined) return [];
  return world.named(definition.name).filter((it) => {
    if (!it.inner) return false;
    const parent = world.module(it.path)?.facts.definitions[it.index]?.parent ?? -1;
    const methods = parent < 0 ? [] : interfaceMethods({ path: it.path, index: parent }, world);
    return methods.length > 0 && hasMethods(self, methods, world);
  });
}

/** Go's types that have every method of an interface. */
export function structuralSubtypes(type: SymbolLocation, world: BindingWorld): SymbolLocation[] {
  const module = world.module(type.path);
  const [first] = interfaceMethods(type, world);
  const index = first === undefined ? undefined : module!.inside(type.index).get(first)?.[0];
  if (index === undefined) return [];
  return structuralOverrides({ path: type.path, index }, type, world).flatMap((it) => typeOf(it, world));
}

/** Go's interfaces whose methods a type has. */
export function structuralSupertypes(type: SymbolLocation, world: BindingWorld): SymbolLocation[] {
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
      for (const base of structuralBases(method, type, world)) {
        const index = world.module(base.path)?.facts.definitions[base.index]?.parent ?? -1;
        if (index >= 0) found.set(`${base.path} ${index}`, { path: base.path, index });
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
  const owner = bareName(nameParts(method.qualifiedName).at(-2) ?? "");
  const types = world.named(owner).filter((it) => TYPE_KINDS.has(it.kind));
  return types.filter((it) => parentFolder(it.path) === parentFolder(method.path)).slice(0, 1);
}

function isStructural({ path }: SymbolLocation, world: BindingWorld): boolean {
  const module = world.module(path);
  return module !== undefined && world.dialect(module)?.structuralInterfaces === true;
}

function interfaceMethods(type: SymbolLocation, world: BindingWorld): string[] {
  const module = world.module(type.path);
  const kind = module?.facts.definitions[type.index]?.kind;
  if (module === undefined || kind !== "interface" || !isStructural(type, world)) return [];
  return [...module.inside(type.index).keys()];
}

type Method = ReturnType<BindingWorld["named"]>[number];

function hasMethods(method: Method, names: readonly string[], world: BindingWorld): boolean {
  const owner = bareName(nameParts(method.qualifiedName).at(-2) ?? "");
  const folder = parentFolder(method.path);
  return names.every((name) =>
    world.ownedBy(owner, name).some((it) => it.kind === "method" && !it.inner && parentFolder(it.path) === folder),
  );
}
