/** Members of values by name: of types, their supertypes, and those defined outside their type. */

import type { SymbolLocation } from "../../model/edges.ts";
import { TYPE_KINDS } from "../../model/kinds.ts";
import type { NamedSymbol } from "../../model/language-edges.ts";
import type { Binder } from "./binder.ts";
import type { Module } from "./module.ts";
import { bareName, fullName, locationKey, nameParts, parentFolder } from "./qualified.ts";
import {
  type BoundValue,
  FUNCTION_KINDS,
  type GenericLocation,
  MAX_DEPTH,
  MEMBER_KINDS,
  OUTSIDE,
  sameValue,
  UNKNOWN,
  type Values,
} from "./values.ts";

export class MemberBinder {
  private readonly binder: Binder;

  constructor(binder: Binder) {
    this.binder = binder;
  }

  of(value: BoundValue, name: string, depth: number): Values {
    const { world, exports, typed } = this.binder;
    if (depth > MAX_DEPTH) return UNKNOWN;
    // `items.first.name`: a member of an element.
    if (value.is === "outside" && value.of && (value.via === "first" || value.via === "last"))
      return value.of.flatMap((it) => this.of(it, name, depth + 1));
    if (value.is === "outside" && value.keyed && value.of) return value.of;
    if (value.is === "outside") return [{ ...value, via: name }];
    if (value.is === "unknown") return [value];
    if (value.is === "param")
      return this.binder.generics.constraintOf(value, depth).flatMap((it) => this.of(it, name, depth + 1));
    if (value.is === "literal") return this.ofLiteral(value, name);
    if (value.is === "module") return exports.memberOf(value.path, name);
    if (value.is === "function") return OUTSIDE;
    const definition = world.module(value.path)?.facts.definitions[value.index];
    if (definition === undefined) return UNKNOWN;
    const members = this.inType(value, name, depth).map((it) => this.takenFrom(value, it));
    const found = this.ofSide(members, value.is === "symbol");
    if (found.length === 0 && value.is === "instance") return this.extensions(value, name, depth);
    if (found.length > 0 || value.is === "instance") return found;
    if (TYPE_KINDS.has(definition.kind)) return UNKNOWN;
    return typed.valueOf(value, depth).flatMap((it) => (sameValue(it, value) ? UNKNOWN : this.of(it, name, depth + 1)));
  }

  /** Static methods that extend the type of a value, or a base of it (C#). */
  private extensions(value: GenericLocation, name: string, depth: number): Values {
    const { world, kin, expressions } = this.binder;
    const from = world.module(value.path);
    if (from === undefined || !world.dialect(from)?.extensions) return UNKNOWN;
    return world.named(name).flatMap(({ path, index, kind, language }): Values => {
      const module = kind === "method" && language === from.language ? world.module(path) : undefined;
      const extended = (module?.field(index, "is") ?? []).flatMap((it) =>
        expressions.read(module!, it, index, depth + 1),
      );
      const isMeant = extended.some((it) => it.is === "instance" && kin.asBase(value, it) !== undefined);
      return isMeant ? [{ is: "symbol", path, index }] : UNKNOWN;
    });
  }

  /** A method that a supertype has, and that gives its receiver back, gives what it was called on. */
  private takenFrom(receiver: BoundValue & GenericLocation, member: BoundValue): BoundValue {
    if (member.is !== "symbol" || receiver.is !== "instance") return member;
    const definition = this.binder.world.module(member.path)?.facts.definitions[member.index];
    // A file that is not loaded yet: the next round reads it.
    if (definition === undefined) return member;
    const { kind, type, parent } = definition;
    const isOwn = member.path === receiver.path && parent === receiver.index;
    return isOwn || !FUNCTION_KINDS.has(kind) || !GIVES_SELF.test(type ?? "") ? member : { ...member, self: receiver };
  }

  /** Of a static member and one of the instances that have the same name. */
  private ofSide(found: Values, isStatic: boolean): Values {
    if (found.length < 2) return found;
    const onSide = found.filter((it) => {
      const definition = it.is === "symbol" && this.binder.world.module(it.path)?.facts.definitions[it.index];
      return definition && (definition.static === true) === isStatic;
    });
    return onSide.length > 0 ? onSide : found;
  }

  private ofLiteral({ path, first, last, env }: Extract<BoundValue, { is: "literal" }>, name: string): Values {
    const { definitions = [] } = this.binder.world.module(path)?.facts ?? {};
    const owner = definitions[first]?.parent;
    const found: BoundValue[] = [];
    for (let index = first; index <= last; index++) {
      const it = definitions[index];
      if (it?.name === name && it.parent === owner) found.push({ is: "symbol", path, index, ...(env && { env }) });
    }
    return found;
  }

  /** Members of the types around a place that need no receiver. A constructor is not called by its name alone. */
  implied(module: Module, name: string, from: number, depth: number): Values {
    const { world, kin, memo } = this.binder;
    if (!world.dialect(module)?.implicitSelf) return UNKNOWN;
    for (const type of kin.selves(module, from)) {
      const make = () => this.inType(type, name, depth).filter((it) => !this.isConstructor(it));
      // What is needed on the way to something else may have been cut off there.
      const own = depth === 0 ? memo.remember(`m ${locationKey(type)}\0${name}`, make) : make();
      // A bare name is no case of the enum around it, if that has a member of the name (Swift).
      const members = own.filter((it) => it.is !== "symbol" || this.kindOf(it) !== "variant");
      if (own.length > 0) return members.length > 0 ? members : own;
    }
    return UNKNOWN;
  }

  private kindOf({ path, index }: SymbolLocation): string | undefined {
    return this.binder.world.module(path)?.facts.definitions[index]?.kind;
  }

  private isConstructor(value: BoundValue): boolean {
    return value.is === "symbol" && this.kindOf(value) === "constructor";
  }

  /** A member of a type or symbol, including its supertypes'. */
  inType(place: GenericLocation, name: string, depth: number, seen: Set<string> = new Set()): Values {
    return this.binder.generics.substitute(this.inTypeItself(place, name, depth, seen), place.env);
  }

  /** In the terms of the type's own parameters. */
  private inTypeItself(place: SymbolLocation, name: string, depth: number, seen: Set<string>): Values {
    const { world, kin } = this.binder;
    const key = `${place.path}\0${place.index}`;
    const module = world.module(place.path);
    if (module === undefined || seen.has(key) || depth > MAX_DEPTH) return UNKNOWN;
    seen.add(key);
    const twins = kin.withNamesakes(module, place.index);
    const own = twins.flatMap((twin) => this.own(module, twin.index, name, depth));
    if (own.length > 0) return own;
    const detached = [...this.detached(module, place, name), ...this.hung(module, place.index, name)];
    if (detached.length > 0) return detached;
    const elsewhere = [...this.reopened(module, place, name), ...this.inOtherParts(module, place, name)];
    if (elsewhere.length > 0) return elsewhere;
    for (const base of twins.flatMap((twin) => kin.supertypes(twin))) {
      const found = this.inType(base, name, depth + 1, seen);
      if (found.length > 0) return found;
    }
    return this.ofAlias(module, place.index, name, depth, seen);
  }

  /** A nested symbol, or the value of a field that has no symbol. */
  private own(module: Module, owner: number, name: string, depth: number): Values {
    const inside = this.visibleInside(module, owner, name);
    if (inside !== undefined) return inside.map((index) => ({ is: "symbol", path: module.path, index }));
    for (const field of module.field(owner, name)) {
      const values = this.binder.expressions.read(module, field, owner, depth + 1);
      if (values.length > 0) return values;
    }
    return UNKNOWN;
  }

  /** What is inside a function is its own, except for the members of an object that it returns. */
  private visibleInside(module: Module, owner: number, name: string): readonly number[] | undefined {
    const inside = module.inside(owner).get(name);
    const { definitions } = module.facts;
    if (inside === undefined || !FUNCTION_KINDS.has(definitions[owner]!.kind)) return inside;
    if (!this.binder.world.dialect(module)?.literalTypes) return inside;
    const members = inside.filter((it) => MEMBER_KINDS.has(definitions[it]!.kind));
    return members.length > 0 ? members : undefined;
  }

  /** Functions that the file hangs on the symbol: `app.use = function`, `Stack.prototype.push = function`. */
  hung(module: Module, owner: number, name: string): Values {
    const { definitions } = module.facts;
    const { kind, parent, type } = definitions[owner]!;
    // A declared type tells what its members are.
    const isDeclared = type?.startsWith(":") && !FUNCTION_KINDS.has(kind);
    if (!module.hung.has(name) || parent >= 0 || isDeclared) return UNKNOWN;
    const found = this.binder.world.ownedBy(definitions[owner]!.name, name);
    return found.flatMap(({ path, index }): Values => {
      const isHung = path === module.path && definitions[index]?.kind === "method" && definitions[index].parent < 0;
      return isHung ? [{ is: "symbol", path, index }] : UNKNOWN;
    });
  }

  /** Members defined outside their type, in any file: Go's methods, Rust's `impl`, Swift's extensions. */
  private detached(module: Module, place: SymbolLocation, name: string): Values {
    const { world, kin } = this.binder;
    if (!world.dialect(module)?.detachedMembers) return UNKNOWN;
    const definition = module.facts.definitions[place.index]!;
    // A field may have the name of some type.
    if (!kin.hasSelf(module, definition.kind)) return UNKNOWN;
    const owner = bareName(definition.name);
    const types = kin.typesNamed(module, owner);
    // Nearly every file of Lua has a table of the name `M`.
    const isLocal = world.dialect(module)?.tables;
    const isNear = (path: string) =>
      path === place.path || (!isLocal && parentFolder(path) === parentFolder(place.path));
    const found = world
      .ownedBy(owner, name)
      .filter((it) => it.language === module.language && (types.length <= 1 || isNear(it.path)));
    return found.map(({ path, index }) => ({ is: "symbol", path, index }));
  }

  /** Members that other files add to a class or module (Ruby). */
  private reopened(module: Module, place: SymbolLocation, name: string): Values {
    const { world } = this.binder;
    if (!world.dialect(module)?.moduleTypes) return UNKNOWN;
    const owner = module.facts.definitions[place.index]!.name;
    const whole = fullName(world.namedAt(owner, place));
    const found = world
      .ownedBy(bareName(owner), name)
      .filter(
        (it) =>
          it.language === module.language &&
          it.path !== place.path &&
          nameParts(it.qualifiedName).slice(0, -1).join(".") === whole,
      );
    return found.map(({ path, index }) => ({ is: "symbol", path, index }));
  }

  /** What other files define in a namespace (C++). */
  private inOtherParts(module: Module, { path, index }: SymbolLocation, name: string): Values {
    const { world } = this.binder;
    const definition = module.facts.definitions[index]!;
    if (definition.kind !== "namespace" || !world.dialect(module)?.prototypes) return UNKNOWN;
    const space = world.namedAt(definition.name, { path, index })?.space;
    if (space === undefined) return UNKNOWN;
    const whole = [...(space === "" ? [] : [space]), ...nameParts(definition.name)].join("::");
    const found = world.named(name).filter((it) => !it.local && it.space === whole && isOpenly(it));
    return found.map((it) => ({ is: "symbol", path: it.path, index: it.index }));
  }

  private ofAlias(module: Module, index: number, name: string, depth: number, seen: Set<string>): Values {
    const { kind, type } = module.facts.definitions[index]!;
    if (kind !== "type" || type === undefined) return UNKNOWN;
    return this.binder.expressions.read(module, type, index, depth + 1).flatMap((it) => {
      if (it.is === "instance") return this.inType(it, name, depth + 1, seen);
      // `typeof module`, `typeof value`.
      return it.is === "module" || it.is === "symbol" ? this.of(it, name, depth + 1) : UNKNOWN;
    });
  }
}

/** Variants are names of what is around their enum. */
function isOpenly({ kind, owner }: NamedSymbol): boolean {
  return owner === "" || (kind === "variant" && !owner.includes("::"));
}

const GIVES_SELF = /^this(?:\t|$)/;
