/** Related symbols: the enclosing type, its supertypes, and symbols that count as one definition. */
import type { SymbolLocation } from "../../model/edges.ts";
import type { NamedSymbol } from "../../model/language-edges.ts";
import type { Binder } from "./binder.ts";
import type { Module } from "./module.ts";
import { fullName, nameParts } from "./qualified.ts";
import { FUNCTION_KINDS, type GenericLocation, SELF_KINDS, UNKNOWN } from "./values.ts";

/** Supertypes of supertypes. */
const MAX_BASES = 8;

export class TypeRelatives {
  private readonly binder: Binder;

  constructor(binder: Binder) {
    this.binder = binder;
  }

  /** The types around a symbol, innermost first. */
  selves(module: Module, from: number): SymbolLocation[] {
    const types: SymbolLocation[] = [];
    for (let at = from; at >= 0; at = module.facts.definitions[at]!.parent) {
      const { kind } = module.facts.definitions[at]!;
      if (this.hasSelf(module, kind) || this.makesType(module, at)) types.push({ path: module.path, index: at });
    }
    const detached = types.length === 0 && from >= 0 ? this.ownerOf(module, from) : undefined;
    return detached === undefined ? types : [detached];
  }

  /** Whether what is inside a symbol of that kind has a self. */
  hasSelf(module: Module, kind: string): boolean | undefined {
    const { moduleTypes, tables } = this.binder.world.dialect(module) ?? {};
    return SELF_KINDS.has(kind) || (moduleTypes && kind === "module") || (tables === true && TABLES.has(kind));
  }

  /** Whether a call of the function is a type: `fn List(comptime T: type) type` (Zig). */
  makesType(module: Module, index: number): boolean {
    const { kind, type } = module.facts.definitions[index]!;
    return type === ":type" && FUNCTION_KINDS.has(kind) && this.binder.world.dialect(module)?.builtins === true;
  }

  /** Types of a name in the language of a file. */
  typesNamed(module: Module, name: string): readonly NamedSymbol[] {
    const { world, memo } = this.binder;
    return memo.remember(`y ${module.language}\0${name}`, () =>
      world.named(name).filter((it) => it.language === module.language && this.hasSelf(module, it.kind)),
    );
  }

  /** Every place of the view that defines a part of the type: classes and modules of Ruby are open. */
  parts(module: Module, index: number): readonly NamedSymbol[] {
    const { name, kind } = module.facts.definitions[index]!;
    const { world, memo } = this.binder;
    if (!world.dialect(module)?.moduleTypes || !this.hasSelf(module, kind)) return [];
    const whole = fullName(world.namedAt(name, { path: module.path, index }));
    return memo.remember(`z ${module.language}\0${whole}`, () =>
      this.typesNamed(module, name).filter((it) => fullName(it) === whole),
    );
  }

  /** The type of a method that is defined outside of it. */
  ownerOf(module: Module, index: number): SymbolLocation | undefined {
    const { world, names } = this.binder;
    const { name, kind } = module.facts.definitions[index]!;
    const { detachedMembers, tables } = world.dialect(module) ?? {};
    if (module.hung.get(name)?.includes(index)) return this.holderOf(module, index);
    if (!detachedMembers || !(MEMBER_FUNCTIONS.has(kind) || (tables && kind === "field"))) return undefined;
    const self = world.namedAt(name, { path: module.path, index });
    const owner = self && nameParts(self.qualifiedName).at(-2);
    return owner === undefined ? undefined : names.lookUp(module, owner).find((it) => it.is === "symbol");
  }

  /** The function or object of the file on which a function is hung. */
  private holderOf(module: Module, index: number): SymbolLocation | undefined {
    const { name } = module.facts.definitions[index]!;
    const self = this.binder.world.namedAt(name, { path: module.path, index });
    const [holder] = module.top.get((self && nameParts(self.qualifiedName).at(-2)) ?? "") ?? [];
    return holder === undefined ? undefined : { path: module.path, index: holder };
  }

  /** Symbols of one name and one owner: overloads, redefinitions, a type and a value that share a name. */
  withNamesakes(module: Module, index: number): SymbolLocation[] {
    const { definitions } = module.facts;
    const { name, kind, parent, scope, static: isStatic } = definitions[index]!;
    // Two literal types of one function may each have a property of the name.
    if (kind === "property" && this.binder.world.dialect(module)?.literalTypes) return [{ path: module.path, index }];
    // The type of a detached method is unknown here, so a function of the same name is another symbol.
    if (isDetached(kind, definitions[parent]?.kind)) return [{ path: module.path, index }];
    // Two scopes of one file may each have a symbol of the name.
    if (parent < 0 && scope !== undefined) {
      const alike = definitions.flatMap((it, i) =>
        it.name === name && it.parent < 0 && it.scope === scope ? [i] : [],
      );
      return alike.map((it) => ({ path: module.path, index: it }));
    }
    const list = parent < 0 ? module.top.get(name) : module.inside(parent).get(name);
    const isApart = this.binder.world.dialect(module)?.separateFunctions;
    const same = (list ?? []).filter(
      (it) =>
        definitions[it]!.scope === scope &&
        definitions[it]!.static === isStatic &&
        (!isApart || isCallable(definitions[it]!.kind) === isCallable(kind)),
    );
    // A table's field is no name of the file, although a function of its name may be (Lua).
    return (same.includes(index) ? same : [index]).map((it) => ({ path: module.path, index: it }));
  }

  /** Where functions and values have names of their own: the one of the same name that a use means. */
  meantBy(module: Module, index: number, called: boolean): number | undefined {
    const { definitions } = module.facts;
    const { name, kind, parent } = definitions[index]!;
    if (isCallable(kind) === called || !this.binder.world.dialect(module)?.separateFunctions) return index;
    const { openTypes } = this.binder.world.dialect(module)!;
    const list = parent < 0 || openTypes ? module.top.get(name) : module.inside(parent).get(name);
    const meant = list?.find((it) => isCallable(definitions[it]!.kind) === called);
    // A class is called by `new`, Elixir's types are written as calls, Haskell's fields are functions.
    return meant ?? (called && !VALUES.has(kind) ? index : undefined);
  }

  /** Types that a type extends or implements. */
  supertypes({ path, index }: SymbolLocation): readonly GenericLocation[] {
    const module = this.binder.world.module(path);
    if (module === undefined) return [];
    return this.binder.memo.remember(`s ${path}\0${index}`, () => {
      const written = module
        .field(index, "<:")
        .flatMap((it) => this.binder.expressions.read(module, it, index, 1))
        .filter((it) => it.is === "instance");
      return module.supertypes(index).flatMap((site): GenericLocation[] => {
        const { symbols } = this.binder.site(module, site);
        const types = symbols.flatMap((it) => this.typesBehind(it, 0));
        return types.flatMap((type) => {
          const same = written.find((it) => it.path === type.path && it.index === type.index);
          return [same?.env ? { ...type, env: same.env } : type, ...this.handedDown(type)];
        });
      });
    });
  }

  /** A value's type as one of its supertypes, with its type arguments. */
  asBase(place: GenericLocation, base: SymbolLocation, depth = 0): GenericLocation | undefined {
    if (place.path === base.path && place.index === base.index) return place;
    if (depth > MAX_BASES) return undefined;
    for (const it of this.supertypes(place)) {
      const env = this.binder.generics.composed(it.env, place.env);
      const found = this.asBase({ path: it.path, index: it.index, env }, base, depth + 1);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** What a mixed in module extends its users with: by custom its `ClassMethods` (Ruby). */
  private handedDown({ path, index }: SymbolLocation): SymbolLocation[] {
    const module = this.binder.world.module(path);
    if (module === undefined || !this.binder.world.dialect(module)?.moduleTypes) return [];
    return (module.inside(index).get("ClassMethods") ?? []).map((it) => ({ path, index: it }));
  }

  /** The type that a symbol denotes: itself, or the target of an alias or a variable. */
  private typesBehind(place: SymbolLocation, depth: number): SymbolLocation[] {
    const module = this.binder.world.module(place.path);
    const definition = module?.facts.definitions[place.index];
    if (module === undefined || definition === undefined) return [];
    if (this.hasSelf(module, definition.kind)) return [place];
    const values = this.binder.typed.valueOf(place, depth + 1);
    return values.flatMap((it) =>
      it.is === "symbol" || it.is === "instance" ? [{ path: it.path, index: it.index }] : [],
    );
  }

  /** Members of the type that a variable is declared with: an object that is written out implements them. */
  membersOfValue(place: SymbolLocation, name: string): SymbolLocation[] {
    const { world, typed, members } = this.binder;
    const definition = world.module(place.path)?.facts.definitions[place.index];
    if (definition === undefined || !definition.type?.startsWith(":")) return [];
    const found = typed.valueOf(place, 0).flatMap((it) => (it.is === "instance" ? members.of(it, name, 1) : UNKNOWN));
    return found.flatMap((it) => (it.is === "symbol" ? [{ path: it.path, index: it.index }] : []));
  }
}

function isCallable(kind: string): boolean {
  return FUNCTION_KINDS.has(kind) || kind === "macro" || kind === "variant";
}

const VALUES: ReadonlySet<string> = new Set(["var", "const"]);
const TABLES: ReadonlySet<string> = new Set(["var", "const", "field"]);
const MEMBER_FUNCTIONS: ReadonlySet<string> = new Set(["method", "constructor"]);

/** A method at the top of its file or in a namespace, outside its type. */
function isDetached(kind: string, owner: string | undefined): boolean {
  return MEMBER_FUNCTIONS.has(kind) && (owner === undefined || owner === "namespace");
}
