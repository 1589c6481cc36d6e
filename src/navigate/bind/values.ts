/** What an expression may be: a definition, a value of a type, a module, or something that the view does not hold. */

import type { Expression, SymbolLocation } from "../../model/edges.ts";
import { TYPE_KINDS } from "../../model/kinds.ts";
import type { Binder } from "./binder.ts";
import type { TypeArguments } from "./generics.ts";
import type { Module } from "./module.ts";
import { type FunctionTree, parseType, type TypeTree } from "./types.ts";

export type BoundValue =
  | ({ readonly is: "symbol" } & GenericLocation)
  | ({ readonly is: "instance" } & GenericLocation)
  | { readonly is: "module"; readonly path: string }
  /** Of a literal type: its members are symbols `first` to `last` of the file. */
  | {
      readonly is: "literal";
      readonly path: string;
      readonly first: number;
      readonly last: number;
      readonly env?: TypeArguments;
    }
  /** Of a type parameter for which nothing was put in; `part`: of a value that is something known as well. */
  | { readonly is: "param"; readonly path: string; readonly local: number; readonly part?: true }
  /** One alternative of a union that could not be read, beside others that could. */
  | { readonly is: "unknown" }
  /** Of a function type that is written in the file. */
  | { readonly is: "function"; readonly path: string; readonly tree: FunctionTree; readonly env?: TypeArguments }
  /**
   * Of a library or of the language itself. `of`: its elements, or what it promises. `via`: the method that was just
   * taken from it, or the global function that it is. `builtIn`: a literal, a value of a built-in type, or a global: its
   * methods give no value of the view, except for those that hand on what they were given. `keyed`: each of its members
   * is one of its elements.
   */
  | {
      readonly is: "outside";
      readonly of?: Values;
      readonly via?: string;
      readonly builtIn?: true;
      readonly keyed?: true;
    };

/** A symbol of a generic type or function, and the arguments of the type parameters around it. */
export interface GenericLocation extends SymbolLocation {
  readonly env?: TypeArguments | undefined;
  /** What an inherited method was taken from, if the method gives that back: `return this`. */
  readonly self?: BoundValue | undefined;
}

const NONE_GIVEN: readonly never[] = [];

/** Steps from one expression to the next before nothing is known any more: `a = b`, `b = c()`, … */
export const MAX_DEPTH = 24;

/** Alternatives; none: nothing is known. */
export type Values = readonly BoundValue[];

export const UNKNOWN: Values = [];
export const OUTSIDE: Values = [{ is: "outside" }];
export const BUILT_IN: Values = [{ is: "outside", builtIn: true }];

export function isOutside(values: Values): boolean {
  return values.length > 0 && values.every((it) => it.is === "outside");
}

/** More alternatives than this are not distinguished: what is known of the first ones decides. */
const MAX_ALTERNATIVES = 32;

/** Each alternative once: the overloads of a function mostly give the same type. */
export function distinct(values: Values): Values {
  if (values.length < 2) return values;
  const seen = new Set<string>();
  const kept: BoundValue[] = [];
  for (const value of values) {
    const key = valueKey(value);
    if (key !== undefined && seen.has(key)) continue;
    if (key !== undefined) seen.add(key);
    kept.push(value);
    if (kept.length === MAX_ALTERNATIVES) break;
  }
  return kept;
}

/** Undefined if only the value itself is equal to it. */
export function valueKey(value: BoundValue): string | undefined {
  if (value.is === "module") return `m ${value.path}`;
  if (value.is === "unknown") return "?";
  if (value.is === "param") return `<${value.path}\0${value.local}`;
  if (value.is === "function") return `f ${value.path}\0${numberOf(value.tree)} ${value.env?.key ?? ""}`;
  if (value.is !== "outside") {
    const at = value.is === "literal" ? value.first : value.index;
    const self = "self" in value && value.self ? ` of ${valueKey(value.self)}` : "";
    return `${value.is} ${value.path}\0${at} ${value.env?.key ?? ""}${self}`;
  }
  const of = value.of?.map(valueKey);
  const kind = value.keyed ? "k" : "o";
  return of?.includes(undefined) ? undefined : `${kind} ${value.via ?? ""} (${of?.join() ?? "-"})`;
}

const numbers = new WeakMap<FunctionTree, number>();
let given = 0;

/** Tells the function types of this process apart. */
function numberOf(tree: FunctionTree): number {
  const known = numbers.get(tree) ?? given++;
  numbers.set(tree, known);
  return known;
}

/** A variable that is defined by itself has no known type. */
export function sameValue(a: BoundValue, b: BoundValue): boolean {
  return a.is === "symbol" && b.is === "symbol" && a.path === b.path && a.index === b.index;
}

/** Kinds whose inside has a self. */
export const SELF_KINDS: ReadonlySet<string> = new Set([...TYPE_KINDS, "impl", "extension"]);
export const FUNCTION_KINDS: ReadonlySet<string> = new Set(["fn", "method", "constructor"]);
/** Kinds that are reached through a receiver. */
export const MEMBER_KINDS: ReadonlySet<string> = new Set(["method", "constructor", "field", "property", "variant"]);

/** Methods of collections that give one of their elements, and those that give such a collection again. */
const GIVE_ELEMENT: ReadonlySet<string> = new Set([
  "at",
  "find",
  "findLast",
  "pop",
  "shift",
  "get",
  "next",
  "popleft",
  "setdefault",
  "popitem",
  "first",
  "last",
]);
const GIVE_SAME: ReadonlySet<string> = new Set([
  "filter",
  "slice",
  "concat",
  "reverse",
  "toReversed",
  "sort",
  "toSorted",
  "values",
  "copy",
  "splice",
  "items",
  "keys",
]);

/** Methods of collections that hand their elements to a function. */
const HAND_ELEMENTS: ReadonlySet<string> = new Set([
  "map",
  "forEach",
  "filter",
  "find",
  "findLast",
  "findIndex",
  "some",
  "every",
  "flatMap",
  "sort",
  "toSorted",
  "then",
]);
/** Said of a function that takes what it holds. */
export const HANDED = "~";

/** Methods of collections that take elements, from which parameter on. */
const TAKE_ELEMENTS: ReadonlyMap<string, number> = new Map([
  ["push", 0],
  ["unshift", 0],
  ["add", 0],
  ["append", 0],
  ["set", 1],
]);

/** What something outside takes as a parameter: only of functions that are given elements, or take some, something is known. */
export function takenOutside({ of, via }: Extract<BoundValue, { is: "outside" }>, at: number): Values {
  if (of === undefined || via === undefined) return UNKNOWN;
  if (via === HANDED) return of;
  const first = TAKE_ELEMENTS.get(via);
  if (first !== undefined) return at >= first ? of : UNKNOWN;
  return HAND_ELEMENTS.has(via) ? [{ is: "outside", of, via: HANDED }] : UNKNOWN;
}

const PASS_ON: ReadonlySet<string> = new Set([
  "call",
  "apply",
  "bind",
  "assign",
  "create",
  "freeze",
  "all",
  "race",
  "reduce",
  "parse",
  "cast",
  "resolve",
  "fn",
  ..."getattr next max min copy deepcopy sorted reversed enumerate zip structuredClone partial".split(" "),
]);

/** What a method of something outside gives. */
export function calledOutside(value: Extract<BoundValue, { is: "outside" }>): Values {
  const { of, via, builtIn } = value;
  // What these give is what they were given.
  if (via !== undefined && PASS_ON.has(via)) return UNKNOWN;
  const isElement = via !== undefined && GIVE_ELEMENT.has(via);
  // A library may give what it was given, too.
  if (of === undefined) return builtIn && !isElement ? BUILT_IN : UNKNOWN;
  if (isElement) return of;
  return via !== undefined && GIVE_SAME.has(via) ? [{ is: "outside", of }] : UNKNOWN;
}

export class Expressions {
  private readonly binder: Binder;

  constructor(binder: Binder) {
    this.binder = binder;
  }

  /** `from` is the symbol around it; `self` is what `this` means, if not that symbol's type. */
  read(module: Module, written: Expression, from: number, depth: number, self?: BoundValue): Values {
    if (depth > MAX_DEPTH || written === "") return UNKNOWN;
    const [root, ...steps] = written.split("\t") as [string, ...string[]];
    const { calls } = this.binder;
    let values = self && root === "this" ? [self] : distinct(this.root(module, root, from, depth + 1));
    for (const [i, step] of steps.entries()) {
      if (values.length === 0) return UNKNOWN;
      if (step[0] === "&") {
        values = this.tested(values, step.slice(1), module, from, depth);
        continue;
      }
      const given = this.given(module, step, from, depth);
      const types = step[0] === "<" ? this.typesGiven(module, step.slice(1), depth) : NONE_GIVEN;
      const fitting = step.startsWith("()") ? calls.fitting(values, given.length) : values;
      values = distinct(
        fitting.flatMap((value) =>
          step[0] === "<"
            ? calls.withTypes(value, types, depth + 1)
            : step.startsWith("()")
              ? calls.called(value, depth + 1, given)
              : step[0] === "~"
                ? calls.taken(value, Number.parseInt(step.slice(1), 10), depth + 1, given)
                : this.step(value, step, depth + 1),
        ),
      );
      if (values.length > 1 && step[0] === ".")
        values = this.asUsed(values, steps[i + 1]?.startsWith("()") === true || steps[i + 1]?.[0] === "<");
      if (values.every((it) => it.is === "unknown")) return UNKNOWN;
    }
    return values;
  }

  /** Of a field and a method of one name, a call means the method. */
  asUsed(values: Values, called: boolean): Values {
    const isFunction = (value: BoundValue) => {
      if (value.is !== "symbol") return value.is === "function";
      const definition = this.binder.world.module(value.path)?.facts.definitions[value.index];
      return definition !== undefined && FUNCTION_KINDS.has(definition.kind);
    };
    const meant = values.filter((it) => isFunction(it) === called);
    return meant.length > 0 ? meant : values;
  }

  private root(module: Module, root: string, from: number, depth: number): Values {
    const { kin, memo, typed } = this.binder;
    if (root === "this") return this.self(module, from);
    // A module in Rust.
    if (root === "super" && !this.binder.world.dialect(module)?.moduleNames)
      return kin
        .selves(module, from)
        .slice(0, 1)
        .flatMap((it) => kin.supertypes(it))
        .map((it) => ({ is: "instance", ...it }));
    if (root[0] === "\\") return this.binder.names.inNamespace(module, "", root.slice(1));
    if (root === "'") return BUILT_IN;
    if (root === "{") return this.literal(module, from);
    const rest = root.slice(1);
    if (root[0] === "#") {
      const local = Number(rest);
      if (module.facts.locals[local]?.[0] === "<") return [{ is: "param", path: module.path, local }];
      return memo.remember(`l ${module.path}\0${local}`, () =>
        this.read(module, module.facts.locals[local] ?? "", from, depth),
      );
    }
    if (root[0] === "@") return [{ is: "symbol", path: module.path, index: Number(rest) }];
    if (root[0] === ":") {
      const tree = parseType(rest);
      const inner = this.innerType(module, tree, from, depth);
      return inner.length > 0 ? inner : typed.of(module, tree, depth);
    }
    if (root[0] === "%") return this.module(module, rest);
    return this.freeRoot(module, root, from, depth);
  }

  /** A type inside the class around a place, or inside a base of it, which the file itself does not know. */
  private innerType(module: Module, tree: TypeTree | undefined, from: number, depth: number): Values {
    const { world, kin, members, typed } = this.binder;
    if (!world.dialect(module)?.implicitSelf || tree?.is !== "name" || tree.parts.length > 1) return UNKNOWN;
    const name = tree.parts[0]!;
    if (!kin.typesNamed(module, name).some((it) => it.owner !== "")) return UNKNOWN;
    return members.implied(module, name, from, depth + 1).flatMap((it): Values => {
      if (it.is !== "symbol") return UNKNOWN;
      const kind = world.module(it.path)?.facts.definitions[it.index]?.kind;
      return kind !== undefined && TYPE_KINDS.has(kind) ? typed.instanceOf(it, module, tree, depth) : UNKNOWN;
    });
  }

  /** `import("m")`, or `=m` for `require("m")`. */
  private module(from: Module, written: string): Values {
    const { world } = this.binder;
    const files = written.startsWith("=")
      ? world.resolve(written.slice(1), from, "required")
      : world.resolve(written, from);
    return files.map((path) => ({ is: "module", path }));
  }

  /** An object literal: its members are those of the symbol that is written so. */
  private literal(module: Module, from: number): Values {
    const kind = module.facts.definitions[from]?.kind;
    if (kind === undefined || (TYPE_KINDS.has(kind) && kind !== "type")) return UNKNOWN;
    const { definitions } = module.facts;
    const isMember = (index: number) =>
      definitions[index]!.kind === "property" || definitions[index]!.kind === "method";
    for (const inside of module.inside(from).values())
      if (inside.some(isMember)) return [{ is: "instance", path: module.path, index: from }];
    return UNKNOWN;
  }

  /** An instance of the type around a symbol. */
  self(module: Module, from: number): Values {
    const innermost = this.binder.kin.selves(module, from).slice(0, 1);
    // A file is a type (Zig).
    if (innermost.length === 0 && this.binder.world.dialect(module)?.builtins)
      return [{ is: "module", path: module.path }];
    return innermost.map((it) => ({ is: "instance", path: it.path, index: it.index }));
  }

  /** A free name before a dot: a field of the enclosing type, if the language allows it. */
  private freeRoot(module: Module, name: string, from: number, depth: number): Values {
    const own = this.binder.members.implied(module, name, from, depth + 1);
    if (own.length > 0) return own;
    const found = this.binder.names.lookUp(module, name);
    // `const helpers = exports`.
    const isOwn = name === "exports" && isOutside(found) && this.binder.world.dialect(module)?.literalTypes;
    return isOwn ? [{ is: "module", path: module.path }] : found;
  }

  /** Of a collection, or of a type that is an alias of one. */
  private elements(value: BoundValue, depth: number): Values {
    if (value.is === "outside") return value.of ?? UNKNOWN;
    if (value.is !== "instance") return UNKNOWN;
    const module = this.binder.world.module(value.path);
    const { prototypes, implicitSelf } = (module && this.binder.world.dialect(module)) ?? {};
    // A pointer is read as what it points to; C has no other operator.
    if (prototypes && !implicitSelf) return [value];
    const behind = this.binder.typed.behindAlias(value, depth);
    return behind.flatMap((it) => (it.is === "outside" && it.of ? it.of : UNKNOWN));
  }

  /** What a promise gives; `{ … } & Promise<T>` gives a T, and a type that could not be read may, too. */
  private awaited(value: BoundValue, depth: number): Values {
    if (value.is === "outside") return value.of ?? [value];
    if (value.is !== "instance") return [value];
    const module = this.binder.world.module(value.path);
    const { kind, type } = module?.facts.definitions[value.index] ?? {};
    if (kind !== "type") return [value];
    if (type === undefined) return UNKNOWN;
    const tree = type.startsWith(":") ? parseType(type.slice(1)) : undefined;
    const parts = tree?.is === "either" || tree?.is === "both" ? tree.of : [tree];
    const promise = parts.find((it) => it?.is === "name" && /^Promise(?:Like)?$/.test(it.parts.at(-1)!));
    if (promise?.is !== "name") return [value];
    return this.binder.generics.substitute(this.binder.typed.of(module, promise.args[0], depth + 1), value.env);
  }

  /** What a test has left of a value. */
  private tested(values: Values, test: string, module: Module, from: number, depth: number): Values {
    const { typed, calls, members } = this.binder;
    const written = /^!?(\d+)$/.exec(test);
    if (written === null) {
      const [, has, compared, to] = /^(?:\.(.+)|([^']+)'(.*)')$/s.exec(test) ?? [];
      const parts = typed.alternatives(values, 0);
      if (parts.length < 2) return values;
      const kept = parts.filter((it) => {
        const found = members.of(it, has ?? compared!, depth + 1);
        return has === undefined ? this.mayEqual(it, found, to!) : found.length > 0;
      });
      return kept.length > 0 ? kept : values;
    }
    const named = this.read(module, module.facts.expressions[Number(written[1])] ?? "", from, depth + 1);
    const confirmed =
      test[0] === "!"
        ? named.flatMap((it) => calls.made(it, depth + 1))
        : named.flatMap((it) => calls.confirmed(it, depth + 1));
    const types = typed.alternatives(confirmed, 0).filter((it) => it.is === "instance");
    if (types.length === 0) return values;
    const parts = typed.alternatives(values, 0);
    const kept = parts.filter((it) => it.is === "instance" && types.some((type) => this.binder.kin.asBase(it, type)));
    return kept.length > 0 ? kept : types;
  }

  /** A part of a union whose property is a literal is the one that the literal names. */
  private mayEqual(part: BoundValue, found: Values, to: string): boolean {
    if (part.is !== "instance" && part.is !== "literal") return true;
    const declared = found.flatMap((it) =>
      it.is === "symbol" ? (this.binder.world.module(it.path)?.facts.definitions[it.index]?.type ?? "") : "",
    );
    if (declared.length === 0) return false;
    return declared.some((it) => !/^:[^A-Z#@]*["']/.test(it) || it.includes(`"${to}"`) || it.includes(`'${to}'`));
  }

  /** Arguments of a call; one is read only when a type parameter depends on it. */
  private given(module: Module, step: string, from: number, depth: number): readonly (() => Values)[] {
    const written = step.startsWith("()") ? step.slice(2) : step[0] === "~" ? (step.split(":")[1] ?? "") : "";
    if (written === "") return NONE_GIVEN;
    return written.split(",").map((it) => () => {
      const argument = it === "_" ? "" : (module.facts.expressions[Number(it)] ?? "");
      return argument === "" ? UNKNOWN : this.read(module, argument, from, depth + 1);
    });
  }

  private typesGiven(module: Module, written: string, depth: number): readonly Values[] {
    const tree = parseType(`_<${written}>`);
    return tree?.is === "name" ? tree.args.map((it) => this.binder.typed.of(module, it, depth + 1)) : [];
  }

  private step(value: BoundValue, step: string, depth: number): Values {
    const { members, calls, typed, generics } = this.binder;
    if (value.is === "unknown") return [value];
    if (value.is === "param")
      return generics.constraintOf(value, depth).flatMap((it) => this.step(it, step, depth + 1));
    if (step[0] === ".") return members.of(value, step.slice(1), depth);
    if (step === "!") return calls.made(value, depth);
    const plain = value.is === "symbol" ? typed.valueOf(value, depth) : [value];
    if (step === "^") return plain.flatMap((it) => this.awaited(it, depth));
    return plain.flatMap((it) => this.elements(it, depth));
  }
}
