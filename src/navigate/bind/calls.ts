/** What a call gives, what `new` makes, and what a function takes. */

import type { Expression } from "../../model/edges.ts";
import { TYPE_KINDS } from "../../model/kinds.ts";
import type { Binder } from "./binder.ts";
import type { TypeArguments } from "./generics.ts";
import { HOLDERS } from "./known-types.ts";
import type { Module } from "./module.ts";
import { locationKey } from "./qualified.ts";
import type { FunctionTree } from "./types.ts";
import {
  type BoundValue,
  calledOutside,
  distinct,
  FUNCTION_KINDS,
  type GenericLocation,
  MAX_DEPTH,
  OUTSIDE,
  sameValue,
  takenOutside,
  UNKNOWN,
  type Values,
} from "./values.ts";

export class Calls {
  private readonly binder: Binder;

  constructor(binder: Binder) {
    this.binder = binder;
  }

  /** `given`: the arguments of the call. */
  called(value: BoundValue, depth: number, given: ArgumentValues = NONE): Values {
    const { world, members, typed, generics } = this.binder;
    if (depth > MAX_DEPTH) return UNKNOWN;
    if (value.is === "outside") return calledOutside(value);
    if (value.is === "function") {
      const env = this.inferred(value, value.tree, given, depth);
      return generics.substitute(typed.of(world.module(value.path), value.tree.result, depth + 1), env);
    }
    if (value.is === "instance") {
      const called = members.inType(value, "__call__", depth + 1);
      const signatures = called.length > 0 ? UNKNOWN : this.signatures(value, depth);
      if (signatures.length > 0)
        return this.fitting(signatures, given.length).flatMap((it) => this.called(it, depth + 1, given));
      const behind = called.length > 0 ? called : typed.behindAlias(value, depth);
      return this.fitting(behind, given.length).flatMap((it) => this.called(it, depth + 1, given));
    }
    if (value.is === "param")
      return generics.constraintOf(value, depth).flatMap((it) => this.called(it, depth + 1, given));
    if (value.is !== "symbol") return UNKNOWN;
    const module = world.module(value.path);
    const definition = module?.facts.definitions[value.index];
    if (module === undefined || definition === undefined) return UNKNOWN;
    if (TYPE_KINDS.has(definition.kind)) {
      return world.dialect(module)?.callsConstruct ? [{ ...value, is: "instance" }] : UNKNOWN;
    }
    if (definition.kind === "constructor" && definition.parent >= 0)
      return [{ is: "instance", path: value.path, index: definition.parent }];
    if (this.binder.kin.makesType(module, value.index)) return [value];
    if (FUNCTION_KINDS.has(definition.kind)) {
      return typed.resultOf(module, { ...value, env: this.inferredOf(value, given, depth) }, depth);
    }
    // A variable that holds a function of somewhere else: `const get = cache.get`.
    return this.held(value, depth, (it) => this.called(it, depth + 1, given));
  }

  /** Call signatures of an interface. */
  private signatures({ path, index, env }: GenericLocation, depth: number): Values {
    const module = this.binder.world.module(path);
    const written = module?.field(index, "()") ?? [];
    if (written.length === 0) return UNKNOWN;
    const all = written.flatMap((it) => this.binder.expressions.read(module!, it, index, depth + 1));
    return this.binder.generics.substitute(all, env);
  }

  /** Of several signatures those that take so many arguments; all if none does. */
  fitting(values: Values, given: number): Values {
    if (values.length < 2) return values;
    const fitting = values.filter(
      (it) => it.is !== "function" || (it.tree.required <= given && (it.tree.rest || given <= it.tree.params.length)),
    );
    return this.overload(fitting.length > 0 ? fitting : values, given);
  }

  /** The overloads of one function that take just so many arguments; all if none does. */
  private overload(values: Values, given: number): Values {
    const [first] = values;
    if (first?.is !== "symbol") return values;
    const module = this.binder.world.module(first.path);
    if (module === undefined || !this.binder.world.dialect(module)?.literalTypes) return values;
    const { definitions } = module.facts;
    const { name, parent } = definitions[first.index]!;
    const exact = values.filter((it) => {
      if (it.is !== "symbol" || it.path !== first.path) return false;
      const { name: other, parent: around, kind, params = [] } = definitions[it.index]!;
      return FUNCTION_KINDS.has(kind) && name === other && parent === around && params.length === given;
    });
    return exact.length > 0 ? exact : values;
  }

  /** With type arguments as they are written: `create<State>`. */
  withTypes(value: BoundValue, types: readonly Values[], depth: number): Values {
    const { generics } = this.binder;
    if (value.is === "outside" && HOLDERS.has(value.via ?? "")) return [{ ...value, of: types.at(-1) ?? UNKNOWN }];
    if (value.is === "function") {
      const env = generics.withArguments(
        value,
        value.tree.generics.map((it, at) => [it, types[at]]),
        depth,
      );
      return [env === undefined ? value : { ...value, env }];
    }
    if (value.is === "instance") {
      const behind = this.signatures(value, depth);
      const all = behind.length > 0 ? behind : this.binder.typed.behindAlias(value, depth);
      const fitting = all.filter((it) => it.is !== "function" || it.tree.generics.length >= types.length);
      return fitting.length > 0 ? fitting.flatMap((it) => this.withTypes(it, types, depth + 1)) : [value];
    }
    if (value.is !== "symbol" || depth > MAX_DEPTH) return [value];
    if (generics.parametersOf(value).length > 0) {
      const env = generics.argumentsFor(value, types, depth);
      return [{ ...value, ...(env && { env }) }];
    }
    const kind = this.binder.world.module(value.path)?.facts.definitions[value.index]?.kind ?? "";
    if (TYPE_KINDS.has(kind) || FUNCTION_KINDS.has(kind)) return [value];
    const held = this.held(value, depth, (it) => this.withTypes(it, types, depth + 1));
    return held.length > 0 ? held : [value];
  }

  /** What a function's type parameters are by the arguments of a call. */
  private inferredOf(value: GenericLocation, given: ArgumentValues, depth: number): TypeArguments | undefined {
    const { world, generics } = this.binder;
    const locals = generics.parametersOf(value);
    const module = world.module(value.path)!;
    const { params = [] } = module.facts.definitions[value.index]!;
    if (locals.length === 0 || given.length === 0) return value.env;
    const found = new Map<number, Values>();
    for (const [at, argument] of given.entries()) {
      const written = params[at] ?? restParameter(params.at(-1));
      if (!written?.includes("#")) continue;
      const types = this.parameter(module, written, value.index, depth);
      this.infer(types, argument, { path: value.path, locals, found, env: value.env });
    }
    return generics.withArguments(value, [...found], depth);
  }

  private inferred(
    { path, env }: { readonly path: string; readonly env?: TypeArguments | undefined },
    { generics: locals, params }: FunctionTree,
    given: ArgumentValues,
    depth: number,
  ): TypeArguments | undefined {
    const { typed, generics, world } = this.binder;
    if (locals.length === 0 || given.length === 0) return env;
    const found = new Map<number, Values>();
    for (const [at, argument] of given.entries()) {
      const types = params[at] === undefined ? UNKNOWN : typed.of(world.module(path), params[at], depth + 1);
      this.infer(types, argument, { path, locals, found, env });
    }
    return generics.withArguments({ path, env }, [...found], depth);
  }

  /** Holds what a parameter takes against what a call hands it. */
  private infer(types: Values, argument: () => Values, goal: Inference): void {
    if (!types.some((it) => this.names(it, goal, 0))) return;
    const values = argument().flatMap((it) => this.binder.typed.held(it));
    for (const type of types) for (const value of values) this.match(type, value, goal, 0);
  }

  private names(type: BoundValue, goal: Inference, depth: number): boolean {
    if (depth > MAX_NESTED) return false;
    if (type.is === "param") return type.path === goal.path && goal.locals.includes(type.local);
    if (type.is === "outside") return type.of?.some((it) => this.names(it, goal, depth + 1)) === true;
    if (type.is === "function") return true;
    if (type.is === "instance")
      return [...(type.env?.of.values() ?? [])].some((it) => it.some((one) => this.names(one, goal, depth + 1)));
    return false;
  }

  private match(type: BoundValue, value: BoundValue, goal: Inference, depth: number): void {
    const { path, locals, found, env } = goal;
    if (depth > MAX_NESTED || value.is === "unknown") return;
    if (type.is === "param") {
      if (type.path !== path || !locals.includes(type.local)) return;
      // A written type wins over the type of an argument.
      if (env?.of.has(`${path}\0${type.local}`)) return;
      found.set(type.local, distinct([...(found.get(type.local) ?? []), value]));
      return;
    }
    if (type.is === "outside") {
      if (value.is !== "outside" || type.of === undefined || value.of === undefined) return;
      for (const one of type.of) for (const other of value.of) this.match(one, other, goal, depth + 1);
      return;
    }
    if (type.is === "function") {
      // `() => T` takes a function, whose result is a T.
      const { world, typed, generics } = this.binder;
      const result = generics.substitute(typed.of(world.module(type.path), type.tree.result, 1), type.env);
      if (!result.some((it) => this.names(it, goal, depth + 1))) return;
      const results = this.called(value, depth + MAX_DEPTH / 2);
      for (const one of result) for (const other of results) this.match(one, other, goal, depth + 1);
      return;
    }
    if (type.is !== "instance" || type.env === undefined) return;
    const same = value.is === "instance" ? this.binder.kin.asBase(value, type) : undefined;
    for (const [key, one] of same?.env === undefined ? [] : type.env.of)
      for (const its of one) for (const other of same!.env!.of.get(key) ?? []) this.match(its, other, goal, depth + 1);
  }

  /** The type that a function confirms of its argument: `x is T`. */
  confirmed(value: BoundValue, depth: number): Values {
    if (value.is !== "symbol" || depth > MAX_DEPTH) return UNKNOWN;
    const module = this.binder.world.module(value.path);
    const written = module?.field(value.index, "is") ?? [];
    return written.flatMap((it) => this.binder.expressions.read(module!, it, value.index, depth + 1));
  }

  made(value: BoundValue, depth: number): Values {
    if (value.is === "outside")
      return value.of && HOLDERS.has(value.via ?? "") ? [{ is: "outside", of: value.of }] : OUTSIDE;
    if (value.is !== "symbol") return UNKNOWN;
    const module = this.binder.world.module(value.path);
    const definition = module?.facts.definitions[value.index];
    if (definition === undefined || depth > MAX_DEPTH) return UNKNOWN;
    // `new Stack()` of a function whose prototype the file fills.
    const isMaker =
      (module!.hung.size > 0 && definition.kind === "fn") || this.binder.kin.makesType(module!, value.index);
    if (TYPE_KINDS.has(definition.kind) || isMaker) return [{ ...value, is: "instance" }];
    return this.held(value, depth, (it) => this.made(it, depth + 1));
  }

  /** What a function takes as its parameter of that number. */
  taken(value: BoundValue, at: number, depth: number, given: ArgumentValues = NONE): Values {
    const { world, kin } = this.binder;
    if (depth > MAX_DEPTH || value.is === "module" || value.is === "literal" || value.is === "unknown") return UNKNOWN;
    if (value.is === "outside") return takenOutside(value, at);
    if (value.is === "function") return this.takenByType(value, at, depth, given);
    if (value.is === "param")
      return this.binder.generics.constraintOf(value, depth).flatMap((it) => this.taken(it, at, depth + 1, given));
    const module = world.module(value.path);
    const definition = module?.facts.definitions[value.index];
    if (module === undefined || definition === undefined) return UNKNOWN;
    if (value.is === "instance") return this.takenBySignature(value, at, depth, given);
    if (TYPE_KINDS.has(definition.kind)) return this.takenByConstructor(value, at, depth);
    if (!FUNCTION_KINDS.has(definition.kind))
      return this.held(value, depth, (it) => this.taken(it, at, depth + 1, given));
    const taken = kin.withNamesakes(module, value.index).flatMap(({ index }) => {
      const params = module.facts.definitions[index]!.params ?? [];
      const parameter = at + (this.takesSelf(module, index, depth) ? 1 : 0);
      return this.parameter(module, params[parameter] ?? restParameter(params.at(-1)), index, depth);
    });
    return this.putIn(taken, this.inferredOf(value, given, depth));
  }

  /** What a method is called on is its first parameter: `fn add(self: *List, item: Item)` (Zig). */
  private takesSelf(module: Module, index: number, depth: number): boolean {
    const { params, parent } = module.facts.definitions[index]!;
    if (parent < 0 || !this.binder.world.dialect(module)?.builtins) return false;
    const [self] = this.binder.expressions.self(module, index);
    const first = this.parameter(module, params?.[0], index, depth + 1);
    return self?.is === "instance" && first.some((it) => it.is === "instance" && locationKey(it) === locationKey(self));
  }

  /** The argument determines the type of a type parameter, unless that is given. */
  private putIn(types: Values, env: TypeArguments | undefined): Values {
    return this.binder.generics.substitute(types, env).filter((it) => it.is !== "param");
  }

  /** Of what a variable holds. */
  private held(value: BoundValue & GenericLocation, depth: number, ask: (held: BoundValue) => Values): Values {
    return this.binder.typed.valueOf(value, depth).flatMap((it) => (sameValue(it, value) ? UNKNOWN : ask(it)));
  }

  private takenByType(
    value: Extract<BoundValue, { is: "function" }>,
    at: number,
    depth: number,
    given: ArgumentValues,
  ): Values {
    const { path, tree } = value;
    const { params, rest, generics } = tree;
    const env = this.inferred(value, tree, given, depth);
    const last = rest && at >= params.length - 1;
    const module = this.binder.world.module(path);
    const types = this.binder.typed.of(module, last ? params.at(-1) : params[at], depth + 1);
    const taken = this.binder.generics.substitute(last ? elementTypes(types) : types, env);
    // Its own type parameters are determined by the argument.
    return taken.filter((it) => it.is !== "param" || it.path !== path || !generics.includes(it.local));
  }

  private parameter(module: Module, written: Expression | undefined, from: number, depth: number): Values {
    if (written === undefined || written === "") return UNKNOWN;
    const rest = written.startsWith("…");
    const values = this.binder.expressions.read(module, rest ? written.slice(1) : written, from, depth + 1);
    return rest ? elementTypes(values) : values;
  }

  /** Interfaces with call signatures, and aliases of function types. */
  private takenBySignature(value: GenericLocation, at: number, depth: number, given: ArgumentValues): Values {
    const signatures = this.signatures(value, depth);
    if (signatures.length > 0) return signatures.flatMap((it) => this.taken(it, at, depth + 1, given));
    return this.binder.typed.behindAlias(value, depth).flatMap((it) => this.taken(it, at, depth + 1, given));
  }

  private takenByConstructor(value: GenericLocation, at: number, depth: number): Values {
    const { world, members } = this.binder;
    const makers = ["constructor", "__init__"].flatMap((name) => members.inType(value, name, depth + 1));
    // The language passes `self`.
    return makers.flatMap((it) => {
      if (it.is !== "symbol") return UNKNOWN;
      const bound = world.module(it.path)?.facts.definitions[it.index]?.name === "__init__" ? 1 : 0;
      return this.taken(it, at + bound, depth + 1);
    });
  }
}

/** Arguments of a call, read when they are needed. */
type ArgumentValues = readonly (() => Values)[];

const NONE: ArgumentValues = [];
/** Types of arguments that are nested deeper are not inferred from. */
const MAX_NESTED = 4;

interface Inference {
  readonly path: string;
  /** The type parameters that are wanted. */
  readonly locals: readonly number[];
  readonly found: Map<number, Values>;
  /** What is known already. */
  readonly env: TypeArguments | undefined;
}

function elementTypes(values: Values): Values {
  return values.flatMap((it) => (it.is === "outside" ? (it.of ?? UNKNOWN) : UNKNOWN));
}

function restParameter(last: Expression | undefined): Expression | undefined {
  return last?.startsWith("…") ? last : undefined;
}
