/**
 * Resolves a name inside a view: by the file's own scopes, its imports, and the type of its receiver. Unknown names
 * are reported as such, never guessed. Each part resolves one kind of name and reaches the others through the binder.
 */
import { EDGE_KINDS, type Resolution, type SymbolLocation } from "../../model/edges.ts";
import { TYPE_KINDS } from "../../model/kinds.ts";
import type { NamedSymbol } from "../../model/language-edges.ts";
import { Calls } from "./calls.ts";
import { Exports } from "./exports.ts";
import { Generics } from "./generics.ts";
import { TypedValues } from "./known-types.ts";
import { MemberBinder } from "./members.ts";
import type { Module } from "./module.ts";
import { NameBinder } from "./names.ts";
import { locationKey } from "./qualified.ts";
import { TypeRelatives } from "./type-relatives.ts";
import { Expressions, FUNCTION_KINDS, isOutside, type Values } from "./values.ts";
import type { BindingWorld } from "./world.ts";

export interface Bound {
  /** Symbols that the site means; none when `outside` or unknown. */
  readonly symbols: readonly SymbolLocation[];
  readonly resolution: Resolution;
  /** It certainly means nothing of this view. */
  readonly outside: boolean;
  /** It is a member of a library's value, which may be an object of this view all the same. */
  readonly library?: boolean;
  /** It may mean other symbols, too: a part of the receiver's type could not be read. */
  readonly open?: boolean;
}

const NOTHING: Bound = { symbols: [], resolution: "name_only", outside: false };
const ELSEWHERE: Bound = { ...NOTHING, outside: true };

export class Binder {
  readonly world: BindingWorld;
  readonly memo: Memo;
  readonly names: NameBinder;
  readonly exports: Exports;
  readonly expressions: Expressions;
  readonly calls: Calls;
  readonly generics: Generics;
  readonly members: MemberBinder;
  readonly typed: TypedValues;
  readonly kin: TypeRelatives;
  readonly prototypes: Prototypes;

  constructor(world: BindingWorld) {
    this.world = world;
    this.memo = new Memo(world);
    this.names = new NameBinder(this);
    this.exports = new Exports(this);
    this.expressions = new Expressions(this);
    this.calls = new Calls(this);
    this.generics = new Generics(this);
    this.members = new MemberBinder(this);
    this.typed = new TypedValues(this);
    this.kin = new TypeRelatives(this);
    this.prototypes = new Prototypes(world);
  }

  /** Sites of one name and one key mean the same; undefined where a compiler tells what each of them means. */
  siteKey(module: Module, i: number): string | undefined {
    if (this.world.compiler(module.path) !== undefined) return undefined;
    const { bound, receivers, kinds, from } = module.facts.sites;
    return `${bound[i]} ${receivers[i]} ${kinds[i] === CALLS} ${from[i]}`;
  }

  /** What site `i` of the module means. */
  site(module: Module, i: number): Bound {
    const { sites, names, expressions } = module.facts;
    const told = this.world.compiler(module.path)?.meantAt(sites.lines[i]!, sites.columns[i]!);
    if (told !== undefined) return told.length === 0 ? ELSEWHERE : boundTo(told);
    const defined = sites.bound[i]!;
    const isCall = sites.kinds[i] === CALLS;
    const own = defined >= 0 ? this.kin.meantBy(module, defined, isCall) : undefined;
    if (own !== undefined) return { symbols: this.kin.withNamesakes(module, own), resolution: "exact", outside: false };
    const name = names[sites.names[i]!]!;
    const receiver = sites.receivers[i]!;
    if (receiver === -2) return NOTHING;
    if (receiver === -1) return this.free(module, name, sites.from[i]!, isCall);
    const isNarrowed = expressions[receiver]!.endsWith(NARROWED);
    const written = isNarrowed ? expressions[receiver]!.slice(0, -NARROWED.length) : expressions[receiver]!;
    if (written === "") return NOTHING;
    if (written[0] === "\\" && !written.includes("\t"))
      return boundAs(this.names.inNamespace(module, written.slice(1), name), "import");
    const on = this.expressions.read(module, written, sites.from[i]!, 0);
    const members = on.flatMap((value) => this.members.of(value, name, 0));
    const used = this.expressions.asUsed(members, isCall);
    const bound = boundAs(used, on.some((it) => it.is === "module") ? "import" : "receiver");
    const isLibrary =
      bound.outside && !module.imported.has(written) && used.some((it) => it.is === "outside" && !it.builtIn);
    const found = isLibrary ? { ...bound, library: true } : bound;
    const full = found.symbols.length === 0 ? this.names.ofPackage(module, written, name) : [];
    if (full.length > 0) return boundAs(this.expressions.asUsed(full, isCall), "import");
    if (this.world.dialect(module)?.literalTypes !== true || found.symbols.length === 0) return found;
    const parts = this.typed.alternatives(on, 0);
    const open = parts.some((it) => it.is === "unknown");
    const isPart = found.symbols.length > 1 && (isNarrowed || this.isOneOfMany(found.symbols, parts, name));
    return open || isPart ? { ...found, resolution: "name_only", open } : found;
  }

  /**
   * A member that some parts of a union have and others lack means that of the part to which the flow has narrowed the value.
   * Of the literal types that overloads take, the arguments tell which one is meant.
   */
  private isOneOfMany(symbols: readonly SymbolLocation[], parts: Values, name: string): boolean {
    if (parts.some((it) => it.is !== "outside" && this.members.of(it, name, 0).length === 0)) return true;
    const owners = symbols.map(({ path, index }) => {
      const { definitions = [] } = this.world.module(path)?.facts ?? {};
      return {
        path,
        index: definitions[index]?.parent ?? -1,
        definition: definitions[definitions[index]?.parent ?? -1],
      };
    });
    const [first] = owners;
    const isFunction = first?.definition !== undefined && FUNCTION_KINDS.has(first.definition.kind);
    return (
      isFunction &&
      owners.some((it) => it.index !== first.index) &&
      owners.every((it) => it.path === first.path && it.definition?.name === first.definition?.name)
    );
  }

  /** A name without a receiver: a member of the enclosing type if the language allows it, else a name of the file. */
  private free(module: Module, name: string, from: number, isCall: boolean): Bound {
    const own = boundAs(this.members.implied(module, name, from, 0), "receiver");
    if (own.symbols.length > 0) return own;
    const [named = NOTHING] = this.memo.remember(`b ${module.path}\0${name}\0${isCall}`, () => {
      const values = this.names.lookUp(module, name);
      // `const open = require("./open")` is a constant and the function: a call means both.
      return [boundAs(module.imported.has(name) ? values : this.expressions.asUsed(values, isCall), "import")];
    });
    // A macro's names are those of the place that uses the macro.
    return named.outside && module.facts.definitions[from]?.kind === "macro" ? NOTHING : named;
  }
}

function boundTo(symbols: readonly SymbolLocation[]): Bound {
  return { symbols, resolution: "compiler", outside: false };
}

const NARROWED = "\t?";
const CALLS = EDGE_KINDS.indexOf("calls");

function boundAs(values: Values, resolution: Resolution): Bound {
  const symbols = distinctSymbols(values);
  if (symbols.length > 0) return { symbols, resolution, outside: false };
  return isOutside(values) || values.some((it) => it.is === "module") ? ELSEWHERE : NOTHING;
}

/** One symbol with two sets of type arguments is one. */
function distinctSymbols(values: Values): SymbolLocation[] {
  const found = new Map<string, SymbolLocation>();
  for (const value of values) {
    if (value.is === "symbol") found.set(locationKey(value), { path: value.path, index: value.index });
  }
  return [...found.values()];
}

class Memo {
  private readonly world: BindingWorld;
  private readonly making = new Set<string>();
  private readonly circles = new Set<string>();
  /** Answers that depend on one that is being made; dropped when that one is known. */
  private readonly circular = new Map<string, readonly unknown[]>();
  /** Answers that lack a file, until the next round has read it. */
  private readonly incomplete = new Map<string, readonly unknown[]>();
  private round = 0;

  constructor(world: BindingWorld) {
    this.world = world;
  }

  /** An answer that is needed to make itself is none. Each is made once, however many paths lead to it. */
  remember<T extends readonly unknown[]>(key: string, make: () => T): T {
    if (this.round !== this.world.round) {
      this.round = this.world.round;
      this.incomplete.clear();
    }
    const known = this.world.memo.get(key) ?? this.circular.get(key);
    if (known !== undefined) return known as T;
    const lacking = this.incomplete.get(key);
    if (lacking !== undefined) {
      // What is made from it lacks the file, too.
      this.world.misses++;
      return lacking as T;
    }
    if (this.making.has(key)) {
      this.circles.add(key);
      return NO_VALUE as unknown as T;
    }
    this.making.add(key);
    const { misses } = this.world;
    const made = make();
    this.making.delete(key);
    if (this.circles.delete(key) && this.circles.size === 0) this.circular.clear();
    if (this.circles.size > 0) this.circular.set(key, made);
    else if (this.world.misses === misses) this.world.memo.set(key, made);
    else this.incomplete.set(key, made);
    return made;
  }
}

const NO_VALUE: readonly unknown[] = [];

class Prototypes {
  private readonly world: BindingWorld;

  constructor(world: BindingWorld) {
    this.world = world;
  }

  /** Every declaration and definition of a function; two definitions that no header declares are two functions. */
  of({ path, index }: SymbolLocation): readonly NamedSymbol[] {
    const module = this.world.module(path);
    const definition = module?.facts.definitions[index];
    if (module === undefined || definition === undefined || !this.world.dialect(module)?.prototypes) return [];
    if (definition.kind === "type" && definition.type === `:${definition.name}`) return this.tagged(definition.name);
    if (definition.kind === "var") return this.external(definition.name, path);
    if (definition.kind === "namespace") return this.reopened(definition.name, { path, index });
    const all = this.world.named(definition.name).filter((it) => FUNCTION_KINDS.has(it.kind));
    const self = this.world.namedAt(definition.name, { path, index });
    if (self === undefined || !FUNCTION_KINDS.has(self.kind)) return [];
    if (self.owner !== "") return all.filter((it) => isOfSameType(it, self));
    const alike = all.filter((it) => it.owner === "" && it.space === self.space);
    return this.isShared(alike, self) ? alike.filter((it) => !it.local) : alike.filter((it) => it.path === path);
  }

  /** `typedef struct options options;` in a header: the struct's definition in another file. */
  private tagged(name: string): readonly NamedSymbol[] {
    return this.world.named(name).filter((it) => TYPE_KINDS.has(it.kind) && it.owner === "");
  }

  /** A global variable that a header declares is one, wherever it is defined. */
  private external(name: string, path: string): readonly NamedSymbol[] {
    const all = this.world.named(name).filter((it) => it.kind === "var" && it.owner === "" && !it.local && !it.inner);
    const isShared = all.some((it) => HEADER.test(it.path)) && all.some((it) => it.path === path);
    return isShared ? all : [];
  }

  /** Every file may add to a namespace. */
  private reopened(name: string, { path, index }: SymbolLocation): readonly NamedSymbol[] {
    const all = this.world.named(name).filter((it) => it.kind === "namespace");
    const space = all.find((it) => it.path === path && it.index === index)?.space;
    return all.filter((it) => it.space === space);
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

/** A definition may be outside the namespaces and types of its declaration. */
function isOfSameType(a: NamedSymbol, b: NamedSymbol): boolean {
  if (a.space !== "" && b.space !== "") return a.space === b.space && a.owner === b.owner;
  return lastPart(a.owner) === lastPart(b.owner) && lastPart(a.owner) !== "";
}

function lastPart(owner: string): string {
  return owner.slice(owner.lastIndexOf(":") + 1);
}
