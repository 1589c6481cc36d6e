/** Interfaces that a type implements by having their methods (Go). */
import type { SymbolLocation } from "../../model/edges.ts";
import { bareName, nameParts, parentFolder } from "./qualified.ts";
import type { BindingWorld } from "./world.ts";

/** Methods of Go's types that have every method of the interface. */
export function structuralOverrides(
  place: SymbolLocation,
  owner: SymbolLocation,
  world: BindingWorld,
): SymbolLocation[] {
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
