/** Which symbols count as one when somebody asks who uses it: overloads, prototypes, and what it overrides or is overridden by. */
import type { SymbolLocation } from "../model/edges.ts";
import type { Binder } from "./bind/binder.ts";
import type { Module } from "./bind/module.ts";
import { MEMBER_KINDS, TYPE_KINDS } from "./bind/values.ts";

export class Family {
  readonly name: string;
  /** It is reached through a receiver. */
  readonly isMember: boolean;
  private readonly binder: Binder;
  private readonly module: Module;
  private readonly target: SymbolLocation;
  private readonly counts: "bases" | "both" | undefined;
  private meant: ReadonlySet<string> = new Set();
  private overrides: ReadonlySet<string> = new Set();
  private owners: readonly SymbolLocation[] = [];

  constructor(binder: Binder, module: Module, target: SymbolLocation) {
    this.binder = binder;
    this.module = module;
    this.target = target;
    const { name, kind, parent } = module.facts.definitions[target.index]!;
    const dialect = binder.world.dialect(module);
    const owner = module.facts.definitions[parent];
    const isListed = kind === "variant" && dialect?.openEnums === true;
    this.name = name;
    this.counts = dialect?.overridesAreUses;
    this.isMember = !isListed && (MEMBER_KINDS.has(kind) || (owner !== undefined && isOwner(owner.kind)));
  }

  async gather(): Promise<void> {
    const { world, kin, prototypes } = this.binder;
    await world.settle(() => {
      const own = kin.withNamesakes(this.module, this.target.index);
      this.owners = this.isMember ? this.ownersOf() : [];
      const inherited = this.owners.flatMap((owner) => [
        ...this.overridden(owner, new Set()),
        ...kin.membersOfValue(owner, this.name),
      ]);
      this.meant = new Set([...own, ...prototypes.of(this.target)].map(keyOf));
      this.overrides = new Set(inherited.map(keyOf));
    });
  }

  private ownersOf(): readonly SymbolLocation[] {
    const { kin } = this.binder;
    const { definitions } = this.module.facts;
    const { parent } = definitions[this.target.index]!;
    if (parent >= 0 && definitions[parent]!.kind !== "namespace") return kin.withNamesakes(this.module, parent);
    const owner = kin.ownerOf(this.module, this.target.index);
    return owner === undefined ? [] : [owner];
  }

  private overridden(owner: SymbolLocation, seen: Set<string>): SymbolLocation[] {
    const { world, kin } = this.binder;
    return kin.supertypes(owner).flatMap((base) => {
      if (seen.has(keyOf(base))) return [];
      seen.add(keyOf(base));
      const own = world.module(base.path)?.inside(base.index).get(this.name) ?? [];
      return [...own.map((index) => ({ path: base.path, index })), ...this.overridden(base, seen)];
    });
  }

  isMeant(place: SymbolLocation): boolean {
    return this.meant.has(keyOf(place));
  }

  /** How a symbol is related to the target where it is not the target: surely a use of it, or by name only. */
  kinship(place: SymbolLocation): "counts" | "by name" | undefined {
    if (this.overrides.has(keyOf(place))) return this.counts === undefined ? "by name" : "counts";
    if (!this.isOverriding(place)) return undefined;
    return this.counts === "both" ? "counts" : "by name";
  }

  private isOverriding(place: SymbolLocation): boolean {
    if (this.owners.length === 0) return false;
    const definition = this.binder.world.module(place.path)?.facts.definitions[place.index];
    if (definition === undefined || definition.name !== this.name || definition.parent < 0) return false;
    return this.inherits({ path: place.path, index: definition.parent }, new Set());
  }

  private inherits(type: SymbolLocation, seen: Set<string>): boolean {
    if (seen.has(keyOf(type))) return false;
    seen.add(keyOf(type));
    if (this.owners.some((owner) => keyOf(owner) === keyOf(type))) return true;
    return this.binder.kin.supertypes(type).some((base) => this.inherits(base, seen));
  }
}

function isOwner(kind: string): boolean {
  return TYPE_KINDS.has(kind) || kind === "impl" || kind === "extension";
}

function keyOf({ path, index }: SymbolLocation): string {
  return `${path}\0${index}`;
}
