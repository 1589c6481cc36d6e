/** Functions that are declared in one file and defined in another (C, C++): with their overloads they are one symbol. */
import type { SymbolLocation } from "../../model/edges.ts";
import type { NamedSymbol } from "../../model/language-edges.ts";
import { FUNCTION_KINDS, TYPE_KINDS } from "./values.ts";
import type { World } from "./world.ts";

export class Prototypes {
  private readonly world: World;

  constructor(world: World) {
    this.world = world;
  }

  /** Every declaration and definition of a function; two definitions that no header declares are two functions. */
  of({ path, index }: SymbolLocation): readonly NamedSymbol[] {
    const module = this.world.module(path);
    const definition = module?.facts.definitions[index];
    if (module === undefined || definition === undefined || !this.world.dialect(module)?.prototypes) return [];
    if (definition.kind === "type" && definition.type === `:${definition.name}`) return this.tagged(definition.name);
    const all = this.world.named(definition.name).filter((it) => FUNCTION_KINDS.has(it.kind));
    const self = all.find((it) => it.path === path && it.index === index);
    if (self === undefined) return [];
    if (self.owner !== "") return all.filter((it) => isOfSameType(it, self));
    const alike = all.filter((it) => it.owner === "" && it.space === self.space);
    return this.isShared(alike, self) ? alike.filter((it) => !it.local) : alike.filter((it) => it.path === path);
  }

  /** `typedef struct options options;` in a header: what some file says the struct is. */
  private tagged(name: string): readonly NamedSymbol[] {
    return this.world.named(name).filter((it) => TYPE_KINDS.has(it.kind) && it.owner === "");
  }

  private isShared(alike: readonly NamedSymbol[], self: NamedSymbol): boolean {
    if (self.local) return false;
    const defined = new Set(alike.filter((it) => !it.declaration && !it.local).map((it) => it.path));
    return defined.size <= 1 || alike.some((it) => it.declaration && HEADER.test(it.path));
  }

  /** The one definition behind a prototype; anything else is itself. */
  definitionOf(place: SymbolLocation): SymbolLocation {
    const defined = this.of(place).filter((it) => !it.declaration);
    return defined.length === 1 ? { path: defined[0]!.path, index: defined[0]!.index } : place;
  }
}

const HEADER = /\.(?:h|hh|hpp|hxx|h\+\+|inl|inc)$/i;

/** A definition may stand outside the namespaces and the types that its declaration has around it. */
function isOfSameType(a: NamedSymbol, b: NamedSymbol): boolean {
  if (a.space !== "" && b.space !== "") return a.space === b.space && a.owner === b.owner;
  return lastOf(a.owner) === lastOf(b.owner) && lastOf(a.owner) !== "";
}

function lastOf(owner: string): string {
  return owner.slice(owner.lastIndexOf(":") + 1);
}
