/** What a call gives, what `new` makes, and what a function takes. */
import type { Expression, SymbolLocation } from "../../model/edges.ts";
import type { Binder } from "./binder.ts";
import type { Module } from "./module.ts";
import {
  type BoundValue,
  calledOutside,
  FUNCTION_KINDS,
  MAX_DEPTH,
  OUTSIDE,
  sameValue,
  TYPE_KINDS,
  takenOutside,
  UNKNOWN,
  type Values,
} from "./values.ts";

export class Calls {
  private readonly binder: Binder;

  constructor(binder: Binder) {
    this.binder = binder;
  }

  called(value: BoundValue, depth: number): Values {
    const { world, members, typed } = this.binder;
    if (depth > MAX_DEPTH) return UNKNOWN;
    if (value.is === "outside") return calledOutside(value);
    if (value.is === "function") return typed.of(world.module(value.path), value.tree.result, depth + 1);
    if (value.is === "instance") {
      const called = members.inType(value, "__call__", depth + 1);
      const signature = world.module(value.path)?.field(value.index, "()")[0];
      if (called.length === 0 && signature !== undefined)
        return this.binder.expressions.read(world.module(value.path)!, signature, value.index, depth + 1);
      const behind = called.length > 0 ? called : typed.behindAlias(value, depth);
      return behind.flatMap((it) => this.called(it, depth + 1));
    }
    if (value.is !== "symbol") return UNKNOWN;
    const module = world.module(value.path);
    const definition = module?.facts.definitions[value.index];
    if (module === undefined || definition === undefined) return UNKNOWN;
    if (TYPE_KINDS.has(definition.kind)) {
      return world.dialect(module)?.callsConstruct ? [{ ...value, is: "instance" }] : UNKNOWN;
    }
    if (definition.kind === "constructor" && definition.parent >= 0)
      return [{ is: "instance", path: value.path, index: definition.parent }];
    if (FUNCTION_KINDS.has(definition.kind)) return typed.typeOf(module, value.index, depth);
    // A variable that holds a function of somewhere else: `const get = cache.get`.
    return this.held(value, depth, (it) => this.called(it, depth + 1));
  }

  made(value: BoundValue, depth: number): Values {
    if (value.is === "outside") return OUTSIDE;
    if (value.is !== "symbol") return UNKNOWN;
    const definition = this.binder.world.module(value.path)?.facts.definitions[value.index];
    if (definition === undefined || depth > MAX_DEPTH) return UNKNOWN;
    if (TYPE_KINDS.has(definition.kind)) return [{ ...value, is: "instance" }];
    return this.held(value, depth, (it) => this.made(it, depth + 1));
  }

  /** What a function takes as its parameter of that number. */
  taken(value: BoundValue, at: number, depth: number): Values {
    const { world, kin } = this.binder;
    if (depth > MAX_DEPTH || value.is === "module" || value.is === "literal" || value.is === "unknown") return UNKNOWN;
    if (value.is === "outside") return takenOutside(value);
    if (value.is === "function") return this.takenByType(value, at, depth);
    const module = world.module(value.path);
    const definition = module?.facts.definitions[value.index];
    if (module === undefined || definition === undefined) return UNKNOWN;
    if (value.is === "instance") return this.takenBySignature(module, value, at, depth);
    if (TYPE_KINDS.has(definition.kind)) return this.takenByConstructor(value, at, depth);
    if (!FUNCTION_KINDS.has(definition.kind)) return this.held(value, depth, (it) => this.taken(it, at, depth + 1));
    return kin.withNamesakes(module, value.index).flatMap(({ index }) => {
      const params = module.facts.definitions[index]!.params ?? [];
      return this.parameter(module, params[at] ?? restParameter(params.at(-1)), index, depth);
    });
  }

  /** Of what a variable holds. */
  private held(value: BoundValue & SymbolLocation, depth: number, ask: (held: BoundValue) => Values): Values {
    return this.binder.typed.valueOf(value, depth).flatMap((it) => (sameValue(it, value) ? UNKNOWN : ask(it)));
  }

  private takenByType({ path, tree }: Extract<BoundValue, { is: "function" }>, at: number, depth: number): Values {
    const { params, rest } = tree;
    const last = rest && at >= params.length - 1;
    const module = this.binder.world.module(path);
    const types = this.binder.typed.of(module, last ? params.at(-1) : params[at], depth + 1);
    return last ? elementTypes(types) : types;
  }

  private parameter(module: Module, written: Expression | undefined, from: number, depth: number): Values {
    if (written === undefined || written === "") return UNKNOWN;
    const rest = written.startsWith("…");
    const values = this.binder.expressions.read(module, rest ? written.slice(1) : written, from, depth + 1);
    return rest ? elementTypes(values) : values;
  }

  /** Interfaces with call signatures, and aliases of function types. */
  private takenBySignature(module: Module, value: SymbolLocation, at: number, depth: number): Values {
    const signatures = module.field(value.index, `~${at}`);
    if (signatures.length > 0) return signatures.flatMap((it) => this.parameter(module, it, value.index, depth));
    return this.binder.typed.behindAlias(value, depth).flatMap((it) => this.taken(it, at, depth + 1));
  }

  private takenByConstructor(value: SymbolLocation, at: number, depth: number): Values {
    const { world, members } = this.binder;
    const makers = ["constructor", "__init__"].flatMap((name) => members.inType(value, name, depth + 1));
    // `self` is handed over by the language.
    return makers.flatMap((it) => {
      if (it.is !== "symbol") return UNKNOWN;
      const bound = world.module(it.path)?.facts.definitions[it.index]?.name === "__init__" ? 1 : 0;
      return this.taken(it, at + bound, depth + 1);
    });
  }
}

function elementTypes(values: Values): Values {
  return values.flatMap((it) => (it.is === "outside" ? (it.of ?? UNKNOWN) : UNKNOWN));
}

function restParameter(last: Expression | undefined): Expression | undefined {
  return last?.startsWith("…") ? last : undefined;
}
