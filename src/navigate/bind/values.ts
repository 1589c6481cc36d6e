/** What an expression may be: a definition, a value of a type, a module, or something that the view does not hold. */
import type { SymbolLocation } from "../../model/edges.ts";
import type { FunctionTree } from "./types.ts";

export type Value =
  | ({ readonly is: "symbol" } & SymbolLocation)
  | ({ readonly is: "instance" } & SymbolLocation)
  | { readonly is: "module"; readonly path: string }
  /** Of a function type that is written in the file. */
  | { readonly is: "function"; readonly path: string; readonly tree: FunctionTree }
  /**
   * Of a library or of the language itself. `of`: its elements, or what it promises. `via`: the method that was just
   * taken from it.
   */
  | { readonly is: "outside"; readonly of?: Values; readonly via?: string };

/** Steps from one expression to the next before nothing is known any more: `a = b`, `b = c()`, … */
export const MAX_DEPTH = 24;

/** Alternatives; none: nothing is known. */
export type Values = readonly Value[];

export const UNKNOWN: Values = [];
export const OUTSIDE: Values = [{ is: "outside" }];

export function isOutside(values: Values): boolean {
  return values.length > 0 && values.every((it) => it.is === "outside");
}

/** A variable whose value is said to be itself is known no better. */
export function sameValue(a: Value, b: Value): boolean {
  return a.is === "symbol" && b.is === "symbol" && a.path === b.path && a.index === b.index;
}

/** Kinds whose symbols are types. */
export const TYPE_KINDS: ReadonlySet<string> = new Set([
  "class",
  "struct",
  "interface",
  "trait",
  "enum",
  "protocol",
  "object",
  "record",
  "union",
  "type",
]);
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
const HANDED = "~";

/** What something outside takes as a parameter: only of functions that are given elements something is known. */
export function takenOutside({ of, via }: Extract<Value, { is: "outside" }>): Values {
  if (of === undefined || via === undefined) return UNKNOWN;
  if (via === HANDED) return of;
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
]);

/** What a method of something outside gives. */
export function calledOutside(value: Extract<Value, { is: "outside" }>): Values {
  const { of, via } = value;
  // What these give is what they were given.
  if (via !== undefined && PASS_ON.has(via)) return UNKNOWN;
  if (of === undefined || via === undefined) return OUTSIDE;
  if (GIVE_ELEMENT.has(via)) return of;
  return GIVE_SAME.has(via) ? [{ is: "outside", of }] : OUTSIDE;
}
