/**
 * Says what a name means inside a view: by the file's own scopes, by its imports, by what is known of its receiver.
 * Where nothing is known it says so; a guess would look exactly like the truth. Each part answers one kind of question
 * and asks the others through the binder.
 */
import type { Resolution, SymbolLocation } from "../../model/edges.ts";
import { Calls } from "./calls.ts";
import { Exports } from "./exports.ts";
import { Expressions } from "./expressions.ts";
import { Kin } from "./kin.ts";
import { Members } from "./members.ts";
import { Memo } from "./memo.ts";
import type { Module } from "./module.ts";
import { Names } from "./names.ts";
import { Prototypes } from "./prototypes.ts";
import { TypedValues } from "./typed-values.ts";
import { isOutside, type Values } from "./values.ts";
import type { World } from "./world.ts";

export interface Bound {
  /** Symbols that the site means; none when `outside` or unknown. */
  readonly symbols: readonly SymbolLocation[];
  readonly resolution: Resolution;
  /** It certainly means nothing of this view. */
  readonly outside: boolean;
}

const NOTHING: Bound = { symbols: [], resolution: "name_only", outside: false };
const ELSEWHERE: Bound = { ...NOTHING, outside: true };

export class Binder {
  readonly world: World;
  readonly memo: Memo;
  readonly names: Names;
  readonly exports: Exports;
  readonly expressions: Expressions;
  readonly calls: Calls;
  readonly members: Members;
  readonly typed: TypedValues;
  readonly kin: Kin;
  readonly prototypes: Prototypes;

  constructor(world: World) {
    this.world = world;
    this.memo = new Memo(world);
    this.names = new Names(this);
    this.exports = new Exports(this);
    this.expressions = new Expressions(this);
    this.calls = new Calls(this);
    this.members = new Members(this);
    this.typed = new TypedValues(this);
    this.kin = new Kin(this);
    this.prototypes = new Prototypes(world);
  }

  /** What site `i` of the module means. */
  site(module: Module, i: number): Bound {
    const { sites, names, expressions } = module.facts;
    const bound = sites.bound[i]!;
    if (bound >= 0) return { symbols: this.kin.withNamesakes(module, bound), resolution: "exact", outside: false };
    const name = names[sites.names[i]!]!;
    const receiver = sites.receivers[i]!;
    if (receiver === -2) return NOTHING;
    if (receiver === -1) return this.free(module, name, sites.from[i]!);
    const written = expressions[receiver]!;
    if (written === "") return NOTHING;
    const on = this.expressions.read(module, written, sites.from[i]!, 0);
    const members = on.flatMap((value) => this.members.of(value, name, 0));
    return boundAs(members, on.some((it) => it.is === "module") ? "import" : "receiver");
  }

  /** A name that stands alone: a member of the type around it where the language says so, else what the file knows. */
  private free(module: Module, name: string, from: number): Bound {
    const own = boundAs(this.members.implied(module, name, from, 0), "receiver");
    return own.symbols.length > 0 ? own : boundAs(this.names.lookUp(module, name), "import");
  }
}

function boundAs(values: Values, resolution: Resolution): Bound {
  const symbols = values.flatMap((it) => (it.is === "symbol" ? [{ path: it.path, index: it.index }] : []));
  if (symbols.length > 0) return { symbols, resolution, outside: false };
  return isOutside(values) || values.some((it) => it.is === "module") ? ELSEWHERE : NOTHING;
}
