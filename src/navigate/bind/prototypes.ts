/** Functions that are declared in one file and defined in another (C, C++). */
import type { NamedSymbol, SymbolPlace } from "../../model/edges.ts";
import { ownerName } from "./qualified.ts";
import { FUNCTION_KINDS } from "./values.ts";
import type { World } from "./world.ts";

export class Prototypes {
  private readonly world: World;

  constructor(world: World) {
    this.world = world;
  }

  /** Every declaration and the definition of a function; two definitions are two functions. */
  of({ path, index }: SymbolPlace): readonly NamedSymbol[] {
    const module = this.world.module(path);
    const definition = module?.facts.definitions[index];
    if (module === undefined || definition === undefined || !this.world.dialect(module)?.prototypes) return [];
    const all = this.world.named(definition.name);
    const self = all.find((it) => it.path === path && it.index === index);
    if (self === undefined || !FUNCTION_KINDS.has(self.kind)) return [];
    const alike = all.filter((it) => FUNCTION_KINDS.has(it.kind) && ownerName(it) === ownerName(self));
    return alike.filter((it) => !it.declaration).length > 1 ? [] : alike;
  }

  /** The one definition behind a prototype; anything else is itself. */
  definitionOf(place: SymbolPlace): SymbolPlace {
    const found = this.of(place).find((it) => !it.declaration);
    return found === undefined ? place : { path: found.path, index: found.index };
  }
}
