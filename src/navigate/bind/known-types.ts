/** The values of a written type, and of a symbol used as a value. */

import type { SymbolLocation } from "../../model/edges.ts";
import { TYPE_KINDS } from "../../model/kinds.ts";
import type { Binder } from "./binder.ts";
import type { Module } from "./module.ts";
import { isUnread, type NameTree, parseType, type TypeTree } from "./types.ts";
import {
  type BoundValue,
  BUILT_IN,
  distinct,
  FUNCTION_KINDS,
  type GenericLocation,
  HANDED,
  isOutside,
  MAX_DEPTH,
  OUTSIDE,
  UNKNOWN,
  type Values,
  valueKey,
} from "./values.ts";

/** Types that are known by their names alone: of the languages, of their libraries, of how they hold others. */
function words(text: string): string[] {
  return text.split(" ");
}

/** Types that are transparent for their argument. */
const TRANSPARENT: ReadonlySet<string> = new Set([
  "Partial",
  "Required",
  "Readonly",
  "Pick",
  "Omit",
  "NonNullable",
  "Awaited",
  "Optional",
  "Union",
  "ClassVar",
  "Final",
  "Annotated",
  "InstanceType",
  "NoInfer",
  "PropsWithChildren",
  "PropsWithRef",
  ...words(
    "NonNull ManuallyDrop MaybeUninit UnsafeCell OnceCell Ref RefMut MutexGuard Box Arc Rc RefCell Cell Mutex RwLock Option Result Cow Pin shared_ptr unique_ptr weak_ptr optional Lazy Nullable",
  ),
]);
/** Types that hold values of their last argument; which other types have arguments does not matter here. */
export const HOLDERS: ReadonlySet<string> = new Set([
  "Promise",
  "PromiseLike",
  "Array",
  "ReadonlyArray",
  "Set",
  "ReadonlySet",
  "Map",
  "ReadonlyMap",
  "WeakMap",
  "Iterable",
  "Record",
  "list",
  "List",
  "set",
  "frozenset",
  "tuple",
  "Tuple",
  "dict",
  "Dict",
  "Sequence",
  "MutableSequence",
  "Mapping",
  "MutableMapping",
  "Collection",
  "Awaitable",
  "defaultdict",
  "DefaultDict",
  "deque",
  "Deque",
  "OrderedDict",
  "WeakSet",
  "AsyncIterable",
  ...words("Vec VecDeque HashMap BTreeMap HashSet BTreeSet ArrayList LinkedList IEnumerable IList ICollection"),
  ...words("IReadOnlyList IReadOnlyCollection Dictionary IDictionary Queue Stack vector map unordered_map deque Seq"),
  ...words("IndexedSeq Vector MutableList MutableMap MutableSet Stream Flow Task ValueTask Future CompletableFuture"),
]);
/** Types that give values of their first argument. */
const GIVERS: ReadonlySet<string> = new Set([
  "Iterator",
  "IterableIterator",
  "Generator",
  "AsyncIterator",
  "AsyncGenerator",
  "AsyncIterableIterator",
]);
/** Types of functions that take their first argument. */
const TAKERS: ReadonlySet<string> = new Set(["FC", "FunctionComponent", "VFC", "ComponentType", "SFC", "Dispatch"]);
/** Python's word for a class as a value. */
const CLASS_VALUES: ReadonlySet<string> = new Set(["Type", "type"]);
/** Types of the languages themselves: surely not defined in the view. */
const BUILT_IN_TYPES: ReadonlySet<string> = new Set([
  "string",
  "number",
  "boolean",
  "bigint",
  "symbol",
  "void",
  "undefined",
  "null",
  "never",
  "object",
  "Date",
  "RegExp",
  "Error",
  "Function",
  "Buffer",
  "Uint8Array",
  "ArrayBuffer",
  "URL",
  "URLSearchParams",
  "Headers",
  "AbortSignal",
  "AbortController",
  "NodeJS",
  "Object",
  "String",
  "Number",
  "Boolean",
  "Symbol",
  "BigInt",
  "str",
  "int",
  "float",
  "bool",
  "bytes",
  "bytearray",
  "complex",
  "None",
  "range",
  "Path",
  "datetime",
  "Exception",
  "BaseException",
]);

/** Unions of unions that are taken apart. */
const MAX_ALIASES = 4;

export class TypedValues {
  private readonly binder: Binder;

  constructor(binder: Binder) {
    this.binder = binder;
  }

  of(module: Module | undefined, tree: TypeTree | undefined, depth: number): Values {
    if (module === undefined || tree === undefined || depth > MAX_DEPTH) return UNKNOWN;
    if (tree.is === "function") return [{ is: "function", path: module.path, tree }];
    if (tree.is === "list") return [{ is: "outside", of: this.of(module, tree.of, depth + 1) }];
    if (tree.is === "literal") return [{ is: "literal", path: module.path, first: tree.first, last: tree.last }];
    if (tree.is === "either") {
      const all = tree.of.map((it) => this.of(module, it, depth + 1));
      return alternatives(all, this.binder.world.dialect(module)?.literalTypes === true);
    }
    if (tree.is === "both")
      return alternatives(tree.of.map((it) => this.of(module, it, depth + 1))).map((it) =>
        it.is === "param" ? { ...it, part: true } : it,
      );
    const param = tree.parts[0]![0] === "#" && Number(tree.parts[0]!.slice(1));
    if (param !== false) return [{ is: "param", path: module.path, local: param }];
    if (tree.is === "typeof") return this.binder.names.path(module, tree.parts, depth + 1);
    return this.ofName(module, tree, depth);
  }

  private ofName(module: Module, tree: NameTree, depth: number): Values {
    const name = tree.parts.at(-1)!;
    const known = this.binder.names.path(module, tree.parts, depth + 1);
    const mine = known.filter((it) => it.is === "symbol" || it.is === "module");
    // A file may be a type (Zig).
    if (mine.length > 0)
      return mine.flatMap((it) => (it.is === "symbol" ? this.instancesOf(it, depth, this.given(module, tree)) : [it]));
    const held = tree.args.length > 0 ? this.ofArguments(module, tree, name, depth) : undefined;
    if (held !== undefined) return held;
    // A type that is not known may give what it holds.
    const mayBeOurs = (it: TypeTree) =>
      isUnread(it) || this.of(module, it, depth + 1).some((value) => value.is !== "outside");
    if (tree.args.some(mayBeOurs)) return UNKNOWN;
    // A name that no import brought may be a parameter of the type around it.
    const imported = module.imported.has(tree.parts[0]!);
    if (BUILT_IN_TYPES.has(name)) return BUILT_IN;
    return HOLDERS.has(name) || (imported && isOutside(known)) ? OUTSIDE : UNKNOWN;
  }

  /** The values of a well-known generic type; undefined for any other. */
  private ofArguments(module: Module, { args }: NameTree, name: string, depth: number): Values | undefined {
    const argument = (at: number) => this.of(module, args.at(at), depth + 1);
    if (name === "Union") return alternatives(args.map((it) => this.of(module, it, depth + 1)));
    if (TRANSPARENT.has(name)) return argument(0);
    if (name === "Record") return [{ is: "outside", of: argument(-1), keyed: true }];
    if (HOLDERS.has(name)) return [{ is: "outside", of: argument(-1) }];
    if (TAKERS.has(name)) return [{ is: "outside", of: argument(0), via: HANDED }];
    if (name === "ReturnType") return argument(0).flatMap((it) => this.binder.calls.called(it, depth + 1));
    if (GIVERS.has(name)) return [{ is: "outside", of: argument(0) }];
    if (CLASS_VALUES.has(name)) return argument(0).map((it) => (it.is === "instance" ? { ...it, is: "symbol" } : it));
    return undefined;
  }

  /** A value of a type that was found by its place, with the type arguments that are written. */
  instanceOf(place: GenericLocation, module: Module, tree: NameTree, depth: number): Values {
    return this.instancesOf(place, depth, this.given(module, tree));
  }

  /** Type arguments as they are written. */
  private given(module: Module, { args }: NameTree): (depth: number) => Values[] {
    return (depth) => args.map((it) => this.of(module, it, depth + 1));
  }

  private instancesOf(place: GenericLocation, depth: number, given: (depth: number) => Values[]): Values {
    const module = this.binder.world.module(place.path);
    const definition = module?.facts.definitions[place.index];
    if (module === undefined || definition === undefined) return UNKNOWN;
    if (this.binder.kin.makesType(module, place.index)) return [{ ...place, is: "instance" }];
    if (TYPE_KINDS.has(definition.kind)) {
      const { path, index } = place;
      const isGeneric = this.binder.generics.parametersOf(place).length > 0;
      const env = isGeneric ? this.binder.generics.argumentsFor(place, given(depth), depth) : place.env;
      return [{ is: "instance", path, index, ...(env && { env }) }];
    }
    // A variable may hold a class or a type (Python's `Alias = Union[…]`, Zig's `Self = @This()`).
    const isSelf = this.binder.world.dialect(module)?.builtins && definition.type === "this";
    return this.valueOf(place, depth + 1).flatMap((it): Values => {
      if (it.is === "symbol") return [{ ...it, is: "instance" }];
      return it.is === "module" || (isSelf && it.is === "instance") ? [it] : UNKNOWN;
    });
  }

  /** What a symbol holds when it is used as a value: a variable's type, a getter's result. */
  valueOf(place: GenericLocation, depth: number): Values {
    const module = this.binder.world.module(place.path);
    const definition = module?.facts.definitions[place.index];
    if (module === undefined || definition === undefined || depth > MAX_DEPTH) return UNKNOWN;
    if (TYPE_KINDS.has(definition.kind)) return [{ ...place, is: "symbol" }];
    if (definition.kind === "variant") return this.binder.expressions.self(module, definition.parent);
    return this.resultOf(module, place, depth);
  }

  /** What a call of a function gives, or what a variable holds, with the type arguments of the place. */
  resultOf(module: Module, { index, env, self }: GenericLocation, depth: number): Values {
    return this.binder.generics.substitute(this.typeOf(module, index, depth, self), env);
  }

  /** The value of a symbol that is passed: a function itself, of a variable what it holds. */
  held(value: BoundValue): Values {
    if (value.is !== "symbol") return [value];
    const kind = this.binder.world.module(value.path)?.facts.definitions[value.index]?.kind ?? "";
    return FUNCTION_KINDS.has(kind) ? [value] : this.valueOf(value, 1);
  }

  /** A symbol's declared type, what it is made from, or what a call of it gives. */
  private typeOf(module: Module, index: number, depth: number, self?: BoundValue): Values {
    return this.binder.memo.remember(`t ${module.path}\0${index}${self ? `\0${valueKey(self)}` : ""}`, () => {
      const { type, name, parent } = module.facts.definitions[index]!;
      const { expressions } = this.binder;
      const declared = type === undefined ? UNKNOWN : expressions.read(module, type, index, depth + 1, self);
      if (declared.length > 0 || parent < 0) return declared;
      // A field that is first set to nothing is set to a value elsewhere.
      for (const field of module.field(parent, name)) {
        const values = field === type ? UNKNOWN : expressions.read(module, field, parent, depth + 1);
        if (values.length > 0) return values;
      }
      return UNKNOWN;
    });
  }

  /** The parts of unions, also of those behind aliases. */
  alternatives(values: Values, depth: number): Values {
    if (depth > MAX_ALIASES) return values;
    const all = values.flatMap((value): Values => {
      if (value.is === "param") {
        const constraint = this.binder.generics.constraintOf(value, 0);
        if (constraint.length > 0) return this.alternatives(constraint, depth + 1);
        return value.part ? [] : [{ is: "unknown" }];
      }
      if (value.is === "symbol") {
        const held = this.valueOf(value, 0).filter((it) => it.is !== "symbol");
        return held.length > 0 ? this.alternatives(held, depth + 1) : [value];
      }
      return value.is === "instance" && this.isUnion(value)
        ? this.alternatives(this.behindAlias(value, 0), depth + 1)
        : [value];
    });
    return distinct(all);
  }

  private isUnion({ path, index }: SymbolLocation): boolean {
    const type = this.binder.world.module(path)?.facts.definitions[index]?.type;
    return type?.startsWith(":") === true && parseType(type.slice(1))?.is === "either";
  }

  /** The target of a type alias. */
  behindAlias({ path, index, env }: GenericLocation, depth: number): Values {
    const module = this.binder.world.module(path);
    const definition = module?.facts.definitions[index];
    if (module === undefined || definition?.kind !== "type" || definition.type === undefined) return UNKNOWN;
    return this.binder.generics.substitute(
      this.binder.expressions.read(module, definition.type, index, depth + 1),
      env,
    );
  }
}

/** `undefined` and `None` in a union have no members. One that is not known is counted if `open`. */
function alternatives(all: readonly Values[], open = false): Values {
  if (all.some((values) => values.length === 0)) {
    const known = all.flat().filter((it) => it.is !== "outside");
    return open && known.length > 0 ? [...known, { is: "unknown" }] : known;
  }
  const inside = all.flat().filter((it) => it.is !== "outside" || it.of !== undefined);
  return inside.length > 0 ? inside : all.flat();
}
