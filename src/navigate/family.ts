/** What counts as a use of a definition: its own parts, and its relation to bases and overrides of the same name. */

import type { MemberRelation, SymbolLocation } from "../model/edges.ts";
import { TYPE_KINDS } from "../model/kinds.ts";
import type { Binder } from "./bind/binder.ts";
import type { Module } from "./bind/module.ts";
import { locationKey } from "./bind/qualified.ts";
import { structuralBases, structuralOverrides } from "./bind/structural.ts";
import { MEMBER_KINDS } from "./bind/values.ts";

export class Family {
  readonly name: string;
  /** It is reached through a receiver. */
  readonly isMember: boolean;
  private readonly binder: Binder;
  private readonly module: Module;
  private readonly target: SymbolLocation;
  private meant: ReadonlySet<string> = new Set();
  private overridden: ReadonlySet<string> = new Set();
  /** Methods of types that implement the interface by having its methods. */
  private overriding: ReadonlySet<string> = new Set();
  private owners: readonly SymbolLocation[] = [];

  constructor(binder: Binder, module: Module, target: SymbolLocation) {
    this.binder = binder;
    this.module = module;
    this.target = target;
    const { name, kind, parent } = module.facts.definitions[target.index]!;
    const dialect = binder.world.dialect(module);
    const owner = module.facts.definitions[parent];
    const isListed = kind === "variant" && dialect?.openEnums !== undefined;
    this.name = name;
    this.isMember =
      !isListed && !dialect?.openTypes && (MEMBER_KINDS.has(kind) || (owner !== undefined && isOwner(owner.kind)));
  }

  async gather(): Promise<void> {
    const { world, kin, prototypes } = this.binder;
    await world.settle(() => {
      const own = kin.withNamesakes(this.module, this.target.index);
      this.owners = this.isMember ? this.ownersOf() : [];
      const inherited = this.owners.flatMap((owner) => [
        ...this.inherited(owner, new Set()),
        ...kin.membersOfValue(owner, this.name),
      ]);
      for (const owner of this.owners.slice(0, 1)) {
        inherited.push(...structuralBases(this.target, owner, this.binder));
        this.overriding = new Set(structuralOverrides(this.target, owner, this.binder).map(locationKey));
      }
      const parts = kin.parts(this.module, this.target.index);
      this.meant = new Set([...own, ...parts, ...prototypes.of(this.target)].map(locationKey));
      this.overridden = new Set(inherited.map(locationKey));
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

  private inherited(owner: SymbolLocation, seen: Set<string>): SymbolLocation[] {
    const { world, kin } = this.binder;
    return kin.supertypes(owner).flatMap((base) => {
      if (seen.has(locationKey(base))) return [];
      seen.add(locationKey(base));
      const own = world.module(base.path)?.inside(base.index).get(this.name) ?? [];
      return [...own.map((index) => ({ path: base.path, index })), ...this.inherited(base, seen)];
    });
  }

  /** The type around it; known after `gather`. */
  get owner(): SymbolLocation | undefined {
    return this.owners[0];
  }

  isMeant(place: SymbolLocation): boolean {
    return this.meant.has(locationKey(place));
  }

  /** What a symbol that is not the target is to it. */
  relation(place: SymbolLocation): MemberRelation | undefined {
    if (this.overridden.has(locationKey(place))) return "base";
    return this.overriding.has(locationKey(place)) || this.isOverriding(place) ? "override" : undefined;
  }

  private isOverriding(place: SymbolLocation): boolean {
    if (this.owners.length === 0) return false;
    const definition = this.binder.world.module(place.path)?.facts.definitions[place.index];
    if (definition === undefined || definition.name !== this.name || definition.parent < 0) return false;
    const owner = { path: place.path, index: definition.parent };
    return !this.owners.some((it) => locationKey(it) === locationKey(owner)) && this.inherits(owner, new Set());
  }

  /**
   * Whether a use of another symbol of the name may reach the target at run time: a specialisation of it, a shell function that
   * is defined twice, a member that the target overrides where its base could not be found or it has no class of its own.
   */
  isRival(place: SymbolLocation): boolean {
    const { world } = this.binder;
    const { dynamic, implicitSelf } = world.dialect(this.module) ?? {};
    if (dynamic?.test(this.name) && !this.isMember) return true;
    const { parent } = this.module.facts.definitions[this.target.index]!;
    const around = this.module.facts.definitions[parent]?.kind;
    if (around === "instance") return true;
    const [own, other] = [this.target, place].map((at) => world.namedAt(this.name, at));
    if (own === undefined || other === undefined) return false;
    const isPart = own.space === other.space && own.owner === other.owner && own.kind === other.kind;
    if (isPart && !own.local && !other.local && TYPE_KINDS.has(own.kind)) return own.space !== "" || own.owner !== "";
    if (other.owner === "") return false;
    // A method of an object without a class of its own.
    if (implicitSelf && around !== undefined && VALUE_KINDS.has(around)) return true;
    return this.isMember && this.hasUnknownBases();
  }

  private hasUnknownBases(): boolean {
    const [found = false] = this.binder.memo.remember(`u ${locationKey(this.target)}`, () => [
      this.owners.some((it) => this.hasUnknownBase(it, new Set())),
    ]);
    return found;
  }

  private hasUnknownBase(type: SymbolLocation, seen: Set<string>): boolean {
    if (seen.has(locationKey(type))) return false;
    seen.add(locationKey(type));
    const module = this.binder.world.module(type.path);
    if (module === undefined) return false;
    if (module.facts.definitions[type.index]!.kind === "instance") return true;
    for (const site of module.supertypes(type.index)) {
      const { symbols, outside } = this.binder.site(module, site);
      if (symbols.length > 0) continue;
      const { names, sites } = module.facts;
      const isDefined = () =>
        this.binder.world.named(names[sites.names[site]!]!).some(({ kind }) => TYPE_KINDS.has(kind));
      if (!outside || isDefined()) return true;
    }
    return this.binder.kin.supertypes(type).some((base) => this.hasUnknownBase(base, seen));
  }

  private inherits(type: SymbolLocation, seen: Set<string>): boolean {
    if (seen.has(locationKey(type))) return false;
    seen.add(locationKey(type));
    if (this.owners.some((owner) => locationKey(owner) === locationKey(type))) return true;
    return this.binder.kin.supertypes(type).some((base) => this.inherits(base, seen));
  }
}

const VALUE_KINDS: ReadonlySet<string> = new Set(["var", "const", "property", "field", "fn", "method", "constructor"]);

function isOwner(kind: string): boolean {
  return TYPE_KINDS.has(kind) || kind === "impl" || kind === "extension";
}
