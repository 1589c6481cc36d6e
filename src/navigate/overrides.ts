/**
 * Implementations of an interface's method and overrides of a base's, in both directions. Go's types implement an
 * interface by having its methods. A call of the base may reach any of them.
 */

import type { Edge, SymbolLocation } from "../model/edges.ts";
import { TYPE_KINDS } from "../model/kinds.ts";
import type { Snapshot } from "../ports/snapshot.ts";
import { Binder } from "./bind/binder.ts";
import { locationKey } from "./bind/qualified.ts";
import { structuralBases, structuralOverrides, structuralSubtypes, structuralSupertypes } from "./bind/structural.ts";
import { SELF_KINDS } from "./bind/values.ts";
import { BindingWorld, type Dialects } from "./bind/world.ts";
import { referencesTo } from "./references.ts";

/** Types below a base that are searched for overrides. */
const MAX_SUBTYPES = 200;

export interface Overrides {
  /** Definitions that override or implement a member; of a type: its subtypes. */
  readonly symbols: readonly SymbolLocation[];
  /** There are more subtypes than were searched. */
  readonly cut: boolean;
}

const NONE: Overrides = { symbols: [], cut: false };

/** Members that override or implement a member, or the subtypes of a type. */
export async function overridesOf(place: SymbolLocation, at: Snapshot, dialects: Dialects): Promise<Overrides> {
  const world = await BindingWorld.of(at, dialects);
  await world.load([place.path]);
  const definition = world.module(place.path)?.facts.definitions[place.index];
  if (definition === undefined) return NONE;
  if (TYPE_KINDS.has(definition.kind)) {
    const { types, cut } = await subtypesOf(place, at, dialects);
    const structural = await world.settle(() => structuralSubtypes(place, new Binder(world)));
    return { symbols: unique([...types, ...structural], place), cut };
  }
  const owner = definition.kind === "constructor" ? undefined : await ownerOf(place, world);
  if (owner === undefined) return NONE;
  const { types, cut } = await subtypesOf(owner, at, dialects);
  const declared = await world.settle(() => types.flatMap((type) => ownMembers(type, definition.name, world)));
  const structural = await world.settle(() => structuralOverrides(place, owner, new Binder(world)));
  return { symbols: unique([...declared, ...structural], place), cut };
}

/** Members of the supertypes that a member overrides or implements; of a type: its supertypes, the nearest first. */
export async function overriddenBy(
  place: SymbolLocation,
  at: Snapshot,
  dialects: Dialects,
): Promise<readonly SymbolLocation[]> {
  const world = await BindingWorld.of(at, dialects);
  await world.load([place.path]);
  const definition = world.module(place.path)?.facts.definitions[place.index];
  // A heading, for example: its file has no facts.
  if (definition === undefined) return [];
  if (TYPE_KINDS.has(definition.kind)) return supertypesOf(place, world);
  const { name } = definition;
  const owner = await ownerOf(place, world);
  if (owner === undefined) return [];
  return world.settle(() => {
    const found: SymbolLocation[] = [];
    const seen = new Set<string>();
    const binder = new Binder(world);
    const climb = (type: SymbolLocation) => {
      if (seen.has(locationKey(type))) return;
      seen.add(locationKey(type));
      for (const base of binder.kin.supertypes(type)) {
        found.push(...ownMembers(base, name, world));
        climb(base);
      }
    };
    climb(owner);
    return unique([...found, ...structuralBases(place, owner, binder)], place);
  });
}

async function supertypesOf(type: SymbolLocation, world: BindingWorld): Promise<readonly SymbolLocation[]> {
  return world.settle(() => {
    const found = new Map<string, SymbolLocation>();
    const waiting = [type];
    const binder = new Binder(world);
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      for (const base of basesOf(next, binder)) {
        if (found.has(locationKey(base))) continue;
        found.set(locationKey(base), base);
        waiting.push(base);
      }
    return unique([...found.values()], type);
  });
}

function basesOf(type: SymbolLocation, binder: Binder): readonly SymbolLocation[] {
  const { world, kin } = binder;
  const blocks = blocksOf(type, world).flatMap((it) => kin.supertypes(it));
  return [...kin.supertypes(type), ...blocks, ...structuralSupertypes(type, binder)];
}

const BLOCKS: ReadonlySet<string> = new Set(["impl", "extension"]);

/** `impl Source for Zip` says what the type implements. */
function blocksOf({ path, index }: SymbolLocation, world: BindingWorld): readonly SymbolLocation[] {
  const module = world.module(path);
  if (module === undefined) return [];
  const { name } = module.facts.definitions[index]!;
  return world.named(name).filter((it) => BLOCKS.has(it.kind) && it.language === module.language);
}

async function ownerOf({ path, index }: SymbolLocation, world: BindingWorld): Promise<SymbolLocation | undefined> {
  return world.settle(() => {
    const module = world.module(path);
    const { definitions } = module?.facts ?? { definitions: [] };
    const parent = definitions[index]?.parent ?? -1;
    if (module === undefined || (parent >= 0 && !SELF_KINDS.has(definitions[parent]!.kind))) return undefined;
    return parent >= 0 ? { path, index: parent } : new Binder(world).kin.ownerOf(module, index);
  });
}

/** Every type below a type, and the blocks (`impl T for X`) that name it. */
async function subtypesOf(
  base: SymbolLocation,
  at: Snapshot,
  dialects: Dialects,
): Promise<{ types: SymbolLocation[]; cut: boolean }> {
  const found = new Map<string, SymbolLocation>();
  const waiting = [base];
  for (let type = waiting.shift(); type !== undefined; type = waiting.shift()) {
    for (const edge of await referencesTo(type, at, dialects)) {
      if (!isHeritage(edge) || edge.from === undefined) continue;
      const subtype = { path: edge.path, index: edge.from };
      if (found.has(locationKey(subtype)) || locationKey(subtype) === locationKey(base)) continue;
      if (found.size >= MAX_SUBTYPES) return { types: [...found.values()], cut: true };
      found.set(locationKey(subtype), subtype);
      waiting.push(subtype);
    }
  }
  return { types: [...found.values()], cut: false };
}

function isHeritage({ kind, resolution }: Edge): boolean {
  return (kind === "implements" || kind === "extends") && resolution !== "name_only";
}

function ownMembers({ path, index }: SymbolLocation, name: string, world: BindingWorld): SymbolLocation[] {
  const inside = world.module(path)?.inside(index).get(name) ?? [];
  return inside.map((it) => ({ path, index: it }));
}

function unique(all: readonly SymbolLocation[], except: SymbolLocation): SymbolLocation[] {
  const found = new Map(all.map(({ path, index }) => [locationKey({ path, index }), { path, index }]));
  found.delete(locationKey(except));
  return [...found.values()];
}
