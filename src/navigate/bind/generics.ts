/** What type parameters are where a generic type or function is used. */

import type { SymbolLocation } from "../../model/edges.ts";
import { TYPE_KINDS } from "../../model/kinds.ts";
import type { Binder } from "./binder.ts";
import { type BoundValue, type GenericLocation, UNKNOWN, type Values, valueKey } from "./values.ts";

export interface TypeArguments {
  readonly key: string;
  /** By path and number of the type parameter. */
  readonly of: ReadonlyMap<string, Values>;
  /** Files of the type parameters. */
  readonly paths: ReadonlySet<string>;
}

/** Types that are nested deeper are not distinguished: a type may contain itself. */
const MAX_KEY = 1_500;

export class Generics {
  private readonly binder: Binder;

  constructor(binder: Binder) {
    this.binder = binder;
  }

  /** Type parameters of a definition, in order. */
  parametersOf({ path, index }: SymbolLocation): readonly number[] {
    const written = this.binder.world.module(path)?.field(index, "<") ?? [];
    return written.length === 0 ? NONE : written.map((it) => Number(it.slice(1)));
  }

  /** Arguments of a definition; what is not given is the parameter's default. */
  argumentsFor(place: GenericLocation, given: readonly Values[], depth: number): TypeArguments | undefined {
    const module = this.binder.world.module(place.path);
    if (module === undefined) return place.env;
    const lists = this.binder.kin.withNamesakes(module, place.index).map((it) => this.parametersOf(it));
    return this.withArguments(
      place,
      lists.flatMap((it) => it.map((local, at) => [local, given[at]] as const)),
      depth,
    );
  }

  /** Of the type parameters of a function type. */
  withArguments(
    { path, env }: { readonly path: string; readonly env?: TypeArguments | undefined },
    given: readonly (readonly [local: number, values: Values | undefined])[],
    depth: number,
  ): TypeArguments | undefined {
    const found = new Map<string, Values>();
    for (const [local, values] of given) {
      const known = values !== undefined && values.length > 0 ? values : this.preset(path, local, depth);
      if (known.length > 0) found.set(keyOf(path, local), known);
    }
    return merged(env, found);
  }

  private preset(path: string, local: number, depth: number): Values {
    const module = this.binder.world.module(path);
    const preset = module?.facts.locals[local]?.split("\n")[1];
    return preset ? this.binder.expressions.read(module!, preset, -1, depth + 1) : UNKNOWN;
  }

  /** What a type parameter must be. */
  constraintOf({ path, local }: Extract<BoundValue, { is: "param" }>, depth: number): Values {
    const module = this.binder.world.module(path);
    const constraint = module?.facts.locals[local]?.slice(1).split("\n")[0];
    if (!constraint) return UNKNOWN;
    return this.binder.memo.remember(`< ${path}\0${local}`, () =>
      this.binder.expressions.read(module!, constraint, -1, depth + 1),
    );
  }

  /** Puts arguments in for type parameters. */
  substitute(values: Values, env: TypeArguments | undefined): Values {
    if (env === undefined || values.length === 0) return values;
    return values.flatMap((it) => this.substituteIn(it, env));
  }

  private substituteIn(value: BoundValue, env: TypeArguments): Values {
    if (value.is === "param") return env.of.get(keyOf(value.path, value.local)) ?? [value];
    if (value.is === "outside") return value.of ? [{ ...value, of: this.substitute(value.of, env) }] : [value];
    if (value.is === "module" || value.is === "unknown") return [value];
    if (value.env === undefined && (!env.paths.has(value.path) || this.isType(value))) return [value];
    return [{ ...value, env: this.composed(value.env, env) ?? env }];
  }

  /** A type without arguments is the same wherever it is used; a type around it may be generic only for a literal. */
  private isType(value: BoundValue): boolean {
    if (value.is !== "instance") return false;
    const kind = this.binder.world.module(value.path)?.facts.definitions[value.index]?.kind;
    return kind !== undefined && TYPE_KINDS.has(kind);
  }

  /** Arguments that name type parameters of the place where they are written. */
  composed(own: TypeArguments | undefined, env: TypeArguments | undefined): TypeArguments | undefined {
    if (own === undefined || env === undefined) return own ?? env;
    const found = new Map<string, Values>();
    for (const [key, values] of own.of) found.set(key, this.substitute(values, env));
    return merged(env, found);
  }
}

const NONE: readonly number[] = [];

function keyOf(path: string, local: number): string {
  return `${path}\0${local}`;
}

/** More than can be distinguished is dropped: then the constraints count. */
function merged(env: TypeArguments | undefined, found: ReadonlyMap<string, Values>): TypeArguments | undefined {
  if (found.size === 0) return env;
  const of = new Map([...(env?.of ?? []), ...found]);
  let key = "";
  const paths = new Set<string>();
  for (const [name, values] of of) {
    paths.add(name.slice(0, name.indexOf("\0")));
    key += `${name}=${values.map((it) => valueKey(it) ?? "f").join("|")};`;
  }
  return key.length > MAX_KEY ? env : { key, of, paths };
}
