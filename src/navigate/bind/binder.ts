/**
 * Says what a name means inside a view: by the file's own scopes, by its imports, by what is known of its receiver.
 * Where nothing is known it says so; a guess would look exactly like the truth.
 */
import type { Expression, ImportFact, NamedSymbol, Resolution, SymbolPlace } from "../../model/edges.ts";
import type { Module } from "./module.ts";
import { BUILT_IN, CLASS_VALUES, GIVERS, HOLDERS, parseType, TRANSPARENT, type TypeTree } from "./types.ts";
import {
  calledOutside,
  FUNCTION_KINDS,
  isOutside,
  OUTSIDE,
  TYPE_KINDS,
  takenOutside,
  UNKNOWN,
  type Value,
  type Values,
} from "./values.ts";
import type { World } from "./world.ts";

/** Steps from one expression to the next before nothing is known any more: `a = b`, `b = c()`, … */
const MAX_DEPTH = 24;

export interface Bound {
  /** Symbols that the site means; none when `outside` or unknown. */
  readonly symbols: readonly SymbolPlace[];
  readonly resolution: Resolution;
  /** It certainly means nothing of this view. */
  readonly outside: boolean;
}

const NOTHING: Bound = { symbols: [], resolution: "name_only", outside: false };
const ELSEWHERE: Bound = { ...NOTHING, outside: true };

export class Binder {
  private readonly world: World;
  private readonly making = new Set<string>();
  private readonly circles = new Set<string>();

  constructor(world: World) {
    this.world = world;
  }

  /** What site `i` of the module means. */
  site(module: Module, i: number): Bound {
    const { sites, names, expressions } = module.facts;
    const bound = sites.bound[i]!;
    if (bound >= 0) return { symbols: this.withNamesakes(module, bound), resolution: "exact", outside: false };
    const name = names[sites.names[i]!]!;
    const receiver = sites.receivers[i]!;
    if (receiver === -2) return NOTHING;
    if (receiver === -1) return this.free(module, name, sites.from[i]!);
    const written = expressions[receiver]!;
    if (written === "") return NOTHING;
    const on = this.expression(module, written, sites.from[i]!, 0);
    const members = on.flatMap((value) => this.member(value, name, 0));
    return boundAs(members, on.some((it) => it.is === "module") ? "import" : "receiver");
  }

  /** A name that stands alone: a member of the type around it where the language says so, else what the file knows. */
  private free(module: Module, name: string, from: number): Bound {
    const own = boundAs(this.implied(module, name, from, 0), "receiver");
    return own.symbols.length > 0 ? own : boundAs(this.lookUp(module, name), "import");
  }

  /** Members of the types around a place that need no receiver. A constructor is not called by its name alone. */
  private implied(module: Module, name: string, from: number, depth: number): Values {
    if (!this.world.dialect(module)?.implicitSelf) return UNKNOWN;
    for (const type of this.selves(module, from)) {
      const own = this.memberOf(type, name, depth, new Set()).filter((it) => !this.isConstructor(it));
      if (own.length > 0) return own;
    }
    return UNKNOWN;
  }

  private isConstructor(value: Value): boolean {
    if (value.is !== "symbol") return false;
    return this.world.module(value.path)?.facts.definitions[value.index]?.kind === "constructor";
  }

  /** The types around a symbol, innermost first. */
  private selves(module: Module, from: number): SymbolPlace[] {
    const types: SymbolPlace[] = [];
    for (let at = from; at >= 0; at = module.facts.definitions[at]!.parent) {
      if (SELF_KINDS.has(module.facts.definitions[at]!.kind)) types.push({ path: module.path, index: at });
    }
    const detached = types.length === 0 && from >= 0 ? this.ownerOf(module, from) : undefined;
    return detached === undefined ? types : [detached];
  }

  /** The type that a method belongs to without standing in it. */
  private ownerOf(module: Module, index: number): SymbolPlace | undefined {
    const { name, kind } = module.facts.definitions[index]!;
    if (kind !== "method" || !this.world.dialect(module)?.detachedMembers) return undefined;
    const self = this.world.named(name).find((it) => it.path === module.path && it.index === index);
    const owner = self && partsOf(self.qualifiedName).at(-2);
    return owner === undefined ? undefined : this.lookUp(module, owner).find((it) => it.is === "symbol");
  }

  /** What an import of the file means. */
  imported(module: Module, fact: ImportFact): Values {
    return this.remember(`i ${module.path}\0${fact.line}\0${fact.column}\0${fact.name}`, () =>
      this.importValue(module, fact, new Set()),
    );
  }

  /** Symbols of one name and one owner: overloads, redefinitions, a type and a value that share a name. */
  withNamesakes(module: Module, index: number): SymbolPlace[] {
    const { definitions } = module.facts;
    const { name, parent, scope } = definitions[index]!;
    // Two scopes of one file may each have a symbol of the name.
    if (parent < 0 && scope !== undefined) {
      const alike = definitions.flatMap((it, i) =>
        it.name === name && it.parent < 0 && it.scope === scope ? [i] : [],
      );
      return alike.map((it) => ({ path: module.path, index: it }));
    }
    const list = parent < 0 ? module.top.get(name) : module.inside(parent).get(name);
    const same = (list ?? []).filter((it) => definitions[it]!.scope === scope);
    return (same.length > 0 ? same : [index]).map((it) => ({ path: module.path, index: it }));
  }

  /** Where a function is declared in one file and defined in another, all of these; two definitions are two functions. */
  prototypesOf({ path, index }: SymbolPlace): readonly NamedSymbol[] {
    const module = this.world.module(path);
    const definition = module?.facts.definitions[index];
    if (module === undefined || definition === undefined || !this.world.dialect(module)?.prototypes) return [];
    const all = this.world.named(definition.name);
    const self = all.find((it) => it.path === path && it.index === index);
    if (self === undefined || !FUNCTION_KINDS.has(self.kind)) return [];
    const alike = all.filter((it) => FUNCTION_KINDS.has(it.kind) && ownerName(it) === ownerName(self));
    return alike.filter((it) => !it.declaration).length > 1 ? [] : alike;
  }

  /** The one definition behind a prototype; anything else is itself. */
  definitionOf(place: SymbolPlace): SymbolPlace {
    const found = this.prototypesOf(place).find((it) => !it.declaration);
    return found === undefined ? place : { path: found.path, index: found.index };
  }

  /** Types that a type extends or implements. */
  supertypes({ path, index }: SymbolPlace): readonly SymbolPlace[] {
    const module = this.world.module(path);
    if (module === undefined) return [];
    return this.remember(`s ${path}\0${index}`, () =>
      module.supertypes(index).flatMap((site) => {
        const { symbols } = this.site(module, site);
        return symbols.flatMap((it) => this.typesBehind(it, 0));
      }),
    );
  }

  /** Members of the type that a variable is declared with: an object that is written out implements them. */
  membersOfValue(place: SymbolPlace, name: string): SymbolPlace[] {
    const definition = this.world.module(place.path)?.facts.definitions[place.index];
    if (definition === undefined || !definition.type?.startsWith(":")) return [];
    const members = this.valueOf(place, 0).flatMap((it) => (it.is === "instance" ? this.member(it, name, 1) : UNKNOWN));
    return members.flatMap((it) => (it.is === "symbol" ? [{ path: it.path, index: it.index }] : []));
  }

  /** A symbol that stands for a type: itself, or what an alias or a variable names. */
  private typesBehind(place: SymbolPlace, depth: number): SymbolPlace[] {
    const definition = this.world.module(place.path)?.facts.definitions[place.index];
    if (definition === undefined) return [];
    if (TYPE_KINDS.has(definition.kind) && definition.kind !== "type") return [place];
    if (definition.kind === "type") return [place];
    const values = this.valueOf(place, depth + 1);
    return values.flatMap((it) =>
      it.is === "symbol" || it.is === "instance" ? [{ path: it.path, index: it.index }] : [],
    );
  }

  /** The meaning of a name that stands alone at the top of a file. */
  lookUp(module: Module, name: string): Values {
    return this.remember(`n ${module.path}\0${name}`, () => this.lookUpAnew(module, name, new Set()));
  }

  private lookUpAnew(module: Module, name: string, seen: Set<string>): Values {
    const imported = module.imported.get(name);
    const own = module.top.get(name);
    if (own !== undefined && imported === undefined)
      return own.map((index) => ({ is: "symbol", path: module.path, index }));
    if (imported !== undefined) {
      const values = imported.flatMap((fact) => this.importValue(module, fact, seen));
      return own === undefined
        ? values
        : [...own.map((index): Value => ({ is: "symbol", path: module.path, index })), ...values];
    }
    const near = this.nearest(module, name);
    if (near.length > 0) return near;
    let open = false;
    for (const fact of module.starred) {
      const files = this.world.resolve(fact.module, module);
      const values = files.flatMap((path) => this.exportOf(path, name, seen));
      if (values.length > 0 && !isOutside(values)) return values;
      open ||= files.length === 0;
    }
    if (this.world.dialect(module)?.moduleNames) {
      const files = this.world.resolve(name, module);
      if (files.length > 0) return files.map((path) => ({ is: "module", path }));
    }
    return open && module.starred.length > 0 ? UNKNOWN : OUTSIDE;
  }

  /** Where names live in packages: the symbols of the name that are nearest to the file, if any can be meant. */
  private nearest(module: Module, name: string): Values {
    const { near } = this.world.dialect(module) ?? {};
    if (near === undefined) return UNKNOWN;
    const user = { path: module.path, home: module.home, imports: module.facts.imports };
    let best = 0;
    let found: NamedSymbol[] = [];
    for (const symbol of this.world.named(name)) {
      const rank = symbol.inner || symbol.kind === "method" ? 0 : near(symbol, user);
      if (rank === 0 || rank < best) continue;
      if (rank > best) found = [];
      best = rank;
      found.push(symbol);
    }
    // Parts of one type bear one name; two names are a question.
    const names = new Set(found.map(({ qualifiedName }) => partsOf(qualifiedName).join(".")));
    return names.size > 1 ? UNKNOWN : found.map(({ path, index }) => ({ is: "symbol", path, index }));
  }

  /** An import that names a symbol by its package. */
  private byQualifiedName(fact: ImportFact): Values {
    const wanted = partsOf(`${fact.module}.${fact.name}`).join(".");
    const found = this.world.named(fact.name).filter((it) => partsOf(it.qualifiedName).join(".") === wanted);
    return found.map(({ path, index }) => ({ is: "symbol", path, index }));
  }

  private importValue(module: Module, fact: ImportFact, seen: Set<string>): Values {
    const { name } = fact;
    if (this.world.dialect(module)?.near && name !== "*" && name !== "") {
      const found = this.byQualifiedName(fact);
      if (found.length > 0) return found;
    }
    const files = this.world.resolve(fact.module, module);
    const submodule = this.world.dialect(module)?.resolver.submodule;
    if (files.length === 0) {
      // A folder without `__init__` is a package all the same.
      const inner =
        submodule && name !== "" && name !== "*" ? this.world.resolve(submodule(fact.module, name), module) : [];
      return inner.length > 0 ? inner.map((path) => ({ is: "module", path })) : OUTSIDE;
    }
    if (name === "*" || name === "") return files.map((path) => ({ is: "module", path }));
    const found = files.flatMap((path) => this.exportOf(path, name, seen));
    if (found.length > 0 && !isOutside(found)) return found;
    const inner = submodule ? this.world.resolve(submodule(fact.module, name), module) : [];
    if (inner.length > 0) return inner.map((path) => ({ is: "module", path }));
    if (name === "=") return files.map((path) => ({ is: "module", path }));
    return found;
  }

  /** What others get from a file under a name; cycles of re-exports end. */
  exportOf(path: string, name: string, seen: Set<string>): Values {
    const key = `${path}\0${name}`;
    if (seen.has(key)) return UNKNOWN;
    if (seen.size === 0) return this.remember(`e ${key}`, () => this.exportAnew(path, name, new Set([key])));
    seen.add(key);
    return this.exportAnew(path, name, seen);
  }

  private exportAnew(path: string, name: string, seen: Set<string>): Values {
    const module = this.world.module(path);
    if (module === undefined) return UNKNOWN;
    const own = module.top.get(name);
    const said = module.exported.get(name) ?? [];
    const values: Value[] = (own ?? []).map((index) => ({ is: "symbol", path, index }));
    for (const fact of said) {
      if (fact.module !== "") values.push(...this.importValue(module, fact, seen));
      else if (fact.name !== name || own === undefined) values.push(...this.lookUpAnew(module, fact.name, seen));
    }
    if (values.length > 0) return values;
    if (name === "default" || name === "=") {
      const other = name === "=" ? "default" : "=";
      if (module.exported.has(other)) return this.exportOf(path, other, seen);
    }
    return name === "=" ? UNKNOWN : this.handedOn(module, name, seen);
  }

  private handedOn(module: Module, name: string, seen: Set<string>): Values {
    for (const fact of name === "default" ? [] : module.handedOn) {
      const files = this.world.resolve(fact.module, module);
      const values = files.flatMap((path) => this.exportOf(path, name, seen));
      if (values.length > 0 && !isOutside(values)) return values;
    }
    return UNKNOWN;
  }

  /** What an expression of a file is; `from` is the symbol around it. */
  expression(module: Module, written: Expression, from: number, depth: number): Values {
    if (depth > MAX_DEPTH || written === "") return UNKNOWN;
    const [root, ...steps] = written.split("\t") as [string, ...string[]];
    let values = this.root(module, root, from, depth + 1);
    for (const step of steps) {
      if (values.length === 0) return UNKNOWN;
      values = values.flatMap((value) => this.step(value, step, depth + 1));
    }
    return values;
  }

  private root(module: Module, root: string, from: number, depth: number): Values {
    if (root === "this") return this.self(module, from).map((it) => ({ is: "instance", ...it }));
    if (root === "super")
      return this.self(module, from)
        .flatMap((it) => this.supertypes(it))
        .map((it) => ({ is: "instance", ...it }));
    if (root === "'") return OUTSIDE;
    if (root === "{") return UNKNOWN;
    const rest = root.slice(1);
    if (root[0] === "#") {
      const local = Number(rest);
      return this.remember(`l ${module.path}\0${local}`, () =>
        this.expression(module, module.facts.locals[local] ?? "", from, depth),
      );
    }
    if (root[0] === "@") return [{ is: "symbol", path: module.path, index: Number(rest) }];
    if (root[0] === ":") return this.typed(module, parseType(rest), depth);
    if (root[0] === "%") return this.world.resolve(rest, module).map((path) => ({ is: "module", path }));
    return this.freeRoot(module, root, from, depth);
  }

  /** A free name before a dot: where the language says so, a field of the type around it. */
  private freeRoot(module: Module, name: string, from: number, depth: number): Values {
    const own = this.implied(module, name, from, depth + 1);
    if (own.length > 0) return own;
    return this.lookUp(module, name);
  }

  /** The type around a symbol. */
  private self(module: Module, from: number): SymbolPlace[] {
    for (let at = from; at >= 0; at = module.facts.definitions[at]!.parent) {
      if (SELF_KINDS.has(module.facts.definitions[at]!.kind)) return [{ path: module.path, index: at }];
    }
    const owner = from >= 0 ? this.ownerOf(module, from) : undefined;
    return owner === undefined ? [] : [owner];
  }

  private step(value: Value, step: string, depth: number): Values {
    if (step[0] === ".") return this.member(value, step.slice(1), depth);
    if (step === "()") return this.called(value, depth);
    if (step === "!") return this.made(value, depth);
    if (step[0] === "~") return this.taken(value, Number(step.slice(1)), depth);
    const plain = value.is === "symbol" ? this.valueOf(value, depth) : [value];
    if (step === "^") return plain.flatMap((it) => (it.is === "outside" && it.of ? it.of : [it]));
    return plain.flatMap((it) => (it.is === "outside" ? (it.of ?? OUTSIDE) : UNKNOWN));
  }

  private called(value: Value, depth: number): Values {
    if (depth > MAX_DEPTH) return UNKNOWN;
    if (value.is === "outside") return calledOutside(value);
    if (value.is === "function") return this.typed(this.world.module(value.path), value.tree.result, depth + 1);
    if (value.is === "instance") {
      const called = this.memberOf(value, "__call__", depth + 1, new Set());
      const behind = called.length > 0 ? called : this.behindAlias(value, depth);
      return behind.flatMap((it) => this.called(it, depth + 1));
    }
    if (value.is !== "symbol") return UNKNOWN;
    const module = this.world.module(value.path);
    const definition = module?.facts.definitions[value.index];
    if (module === undefined || definition === undefined) return UNKNOWN;
    if (TYPE_KINDS.has(definition.kind)) {
      return this.world.dialect(module)?.callsConstruct ? [{ ...value, is: "instance" }] : UNKNOWN;
    }
    if (FUNCTION_KINDS.has(definition.kind)) return this.typeOf(module, value.index, depth);
    // A variable that holds a function of somewhere else: `const get = cache.get`.
    return this.valueOf(value, depth).flatMap((it) => (sameValue(it, value) ? UNKNOWN : this.called(it, depth + 1)));
  }

  private made(value: Value, depth: number): Values {
    if (value.is === "outside") return OUTSIDE;
    if (value.is !== "symbol") return UNKNOWN;
    const definition = this.world.module(value.path)?.facts.definitions[value.index];
    if (definition === undefined || depth > MAX_DEPTH) return UNKNOWN;
    if (TYPE_KINDS.has(definition.kind)) return [{ ...value, is: "instance" }];
    return this.valueOf(value, depth).flatMap((it) => (sameValue(it, value) ? UNKNOWN : this.made(it, depth + 1)));
  }

  /** What a function takes as its parameter of that number. */
  private taken(value: Value, at: number, depth: number): Values {
    if (depth > MAX_DEPTH || value.is === "module") return UNKNOWN;
    if (value.is === "outside") return takenOutside(value);
    if (value.is === "function") {
      const { params, rest } = value.tree;
      const last = rest && at >= params.length - 1;
      const types = this.typed(this.world.module(value.path), last ? params.at(-1) : params[at], depth + 1);
      return last ? elementsOf(types) : types;
    }
    const module = this.world.module(value.path);
    const definition = module?.facts.definitions[value.index];
    if (module === undefined || definition === undefined) return UNKNOWN;
    if (value.is === "instance") return this.takenBySignature(module, value, at, depth);
    if (TYPE_KINDS.has(definition.kind)) return this.takenByConstructor(value, at, depth);
    if (!FUNCTION_KINDS.has(definition.kind)) {
      return this.valueOf(value, depth).flatMap((it) =>
        sameValue(it, value) ? UNKNOWN : this.taken(it, at, depth + 1),
      );
    }
    return this.withNamesakes(module, value.index).flatMap(({ index }) => {
      const params = module.facts.definitions[index]!.params ?? [];
      return this.parameter(module, params[at] ?? restOf(params.at(-1)), index, depth);
    });
  }

  private parameter(module: Module, written: Expression | undefined, from: number, depth: number): Values {
    if (written === undefined || written === "") return UNKNOWN;
    const rest = written.startsWith("…");
    const values = this.expression(module, rest ? written.slice(1) : written, from, depth + 1);
    return rest ? elementsOf(values) : values;
  }

  /** Interfaces say what calling them takes; aliases stand for a function's type. */
  private takenBySignature(module: Module, value: SymbolPlace, at: number, depth: number): Values {
    const signatures = module.field(value.index, `~${at}`);
    if (signatures.length > 0) return signatures.flatMap((it) => this.parameter(module, it, value.index, depth));
    return this.behindAlias(value, depth).flatMap((it) => this.taken(it, at, depth + 1));
  }

  private takenByConstructor(value: SymbolPlace, at: number, depth: number): Values {
    const makers = ["constructor", "__init__"].flatMap((name) => this.memberOf(value, name, depth + 1, new Set()));
    // `self` is handed over by the language.
    return makers.flatMap((it) => {
      if (it.is !== "symbol") return UNKNOWN;
      const bound = this.world.module(it.path)?.facts.definitions[it.index]?.name === "__init__" ? 1 : 0;
      return this.taken(it, at + bound, depth + 1);
    });
  }

  private behindAlias({ path, index }: SymbolPlace, depth: number): Values {
    const module = this.world.module(path);
    const definition = module?.facts.definitions[index];
    if (module === undefined || definition?.kind !== "type" || definition.type === undefined) return UNKNOWN;
    return this.expression(module, definition.type, index, depth + 1);
  }

  /** What is under a name in a value. */
  member(value: Value, name: string, depth: number): Values {
    if (depth > MAX_DEPTH) return UNKNOWN;
    if (value.is === "outside") return [{ is: "outside", ...(value.of && { of: value.of }), via: name }];
    if (value.is === "module") return this.ofModule(value.path, name);
    if (value.is === "function") return OUTSIDE;
    const module = this.world.module(value.path);
    const definition = module?.facts.definitions[value.index];
    if (module === undefined || definition === undefined) return UNKNOWN;
    const found = this.memberOf(value, name, depth, new Set());
    if (found.length > 0 || value.is === "instance") return found;
    if (TYPE_KINDS.has(definition.kind)) return UNKNOWN;
    return this.valueOf(value, depth).flatMap((it) =>
      sameValue(it, value) ? UNKNOWN : this.member(it, name, depth + 1),
    );
  }

  private ofModule(path: string, name: string): Values {
    const found = this.exportOf(path, name, new Set());
    const module = this.world.module(path);
    if (module === undefined || (found.length > 0 && !isOutside(found))) return found;
    const { resolver } = this.world.dialect(module) ?? {};
    const inner = resolver?.submodule ? this.world.resolve(resolver.submodule(".", name), module) : [];
    if (inner.length > 0 && /(^|\/)__init__\.pyi?$/.test(path)) return inner.map((it) => ({ is: "module", path: it }));
    // `module.exports = new App()`: the module's one value has the member.
    const one = module.exported.has("=") ? this.exportOf(path, "=", new Set()) : UNKNOWN;
    return one.length > 0 ? one.flatMap((it) => (it.is === "module" ? UNKNOWN : this.member(it, name, 1))) : found;
  }

  /** A member of a type or of what stands inside a symbol, its supertypes' included. */
  private memberOf(place: SymbolPlace, name: string, depth: number, seen: Set<string>): Values {
    const key = `${place.path}\0${place.index}`;
    const module = this.world.module(place.path);
    if (module === undefined || seen.has(key) || depth > MAX_DEPTH) return UNKNOWN;
    seen.add(key);
    for (const twin of this.withNamesakes(module, place.index)) {
      const own = module.inside(twin.index).get(name);
      if (own !== undefined) return own.map((index) => ({ is: "symbol", path: module.path, index }));
      for (const field of module.field(twin.index, name)) {
        const values = this.expression(module, field, twin.index, depth + 1);
        if (values.length > 0) return values;
      }
    }
    for (const twin of this.withNamesakes(module, place.index)) {
      for (const base of this.supertypes(twin)) {
        const found = this.memberOf(base, name, depth + 1, seen);
        if (found.length > 0) return found;
      }
    }
    const detached = this.detached(module, place, name);
    return detached.length > 0 ? detached : this.ofAlias(module, place.index, name, depth, seen);
  }

  /** Members that stand outside their type, in whatever file: of Go's package, Rust's `impl`, Swift's extension. */
  private detached(module: Module, place: SymbolPlace, name: string): Values {
    if (!this.world.dialect(module)?.detachedMembers) return UNKNOWN;
    const owner = bareName(module.facts.definitions[place.index]!.name);
    const types = this.world.named(owner).filter((it) => it.language === module.language && TYPE_KINDS.has(it.kind));
    const isNear = (path: string) => path === place.path || folderOf(path) === folderOf(place.path);
    const found = this.world.named(name).filter((it) => {
      if (it.language !== module.language || bareName(partsOf(it.qualifiedName).at(-2) ?? "") !== owner) return false;
      return types.length <= 1 || isNear(it.path);
    });
    return found.map(({ path, index }) => ({ is: "symbol", path, index }));
  }

  private ofAlias(module: Module, index: number, name: string, depth: number, seen: Set<string>): Values {
    const { kind, type } = module.facts.definitions[index]!;
    if (kind !== "type" || type === undefined) return UNKNOWN;
    return this.expression(module, type, index, depth + 1).flatMap((it) =>
      it.is === "instance" ? this.memberOf(it, name, depth + 1, seen) : UNKNOWN,
    );
  }

  /** What a symbol holds when it is used as a value: a variable's type, a getter's result. */
  private valueOf(place: SymbolPlace, depth: number): Values {
    const module = this.world.module(place.path);
    const definition = module?.facts.definitions[place.index];
    if (module === undefined || definition === undefined || depth > MAX_DEPTH) return UNKNOWN;
    if (TYPE_KINDS.has(definition.kind)) return [{ is: "symbol", ...place }];
    if (definition.kind === "variant")
      return this.self(module, definition.parent).map((it) => ({ is: "instance", ...it }));
    return this.typeOf(module, place.index, depth);
  }

  private typeOf(module: Module, index: number, depth: number): Values {
    return this.remember(`t ${module.path}\0${index}`, () => {
      const { type } = module.facts.definitions[index]!;
      return type === undefined ? UNKNOWN : this.expression(module, type, index, depth + 1);
    });
  }

  private typed(module: Module | undefined, tree: TypeTree | undefined, depth: number): Values {
    if (module === undefined || tree === undefined || depth > MAX_DEPTH) return UNKNOWN;
    if (tree.is === "function") return [{ is: "function", path: module.path, tree }];
    if (tree.is === "list") return [{ is: "outside", of: this.typed(module, tree.of, depth + 1) }];
    if (tree.is === "either") return this.alternatives(tree.of.map((it) => this.typed(module, it, depth + 1)));
    if (tree.is === "typeof") return this.named(module, tree.parts);
    const name = tree.parts.at(-1)!;
    const argument = (at: number) => this.typed(module, tree.args.at(at), depth + 1);
    const known = this.named(module, tree.parts);
    const mine = known.filter((it) => it.is === "symbol" || it.is === "module");
    if (mine.length > 0) return mine.flatMap((it) => (it.is === "symbol" ? this.instancesOf(it, depth) : UNKNOWN));
    if (tree.args.length > 0) {
      if (name === "Union") return this.alternatives(tree.args.map((it) => this.typed(module, it, depth + 1)));
      if (TRANSPARENT.has(name)) return argument(0);
      if (HOLDERS.has(name)) return [{ is: "outside", of: argument(-1) }];
      if (GIVERS.has(name)) return [{ is: "outside", of: argument(0) }];
      if (CLASS_VALUES.has(name)) return argument(0).map((it) => (it.is === "instance" ? { ...it, is: "symbol" } : it));
    }
    // A name that no import brought may be a parameter of the type around it.
    const imported = module.imported.has(tree.parts[0]!);
    return BUILT_IN.has(name) || HOLDERS.has(name) || (imported && isOutside(known)) ? OUTSIDE : UNKNOWN;
  }

  /** `undefined` and `None` beside a type say nothing about its members. */
  private alternatives(all: readonly Values[]): Values {
    if (all.some((values) => values.length === 0)) {
      const known = all.flat().filter((it) => it.is !== "outside");
      return known;
    }
    const inside = all.flat().filter((it) => it.is !== "outside" || it.of !== undefined);
    return inside.length > 0 ? inside : all.flat();
  }

  private instancesOf(place: SymbolPlace, depth: number): Values {
    const definition = this.world.module(place.path)?.facts.definitions[place.index];
    if (definition === undefined) return UNKNOWN;
    if (TYPE_KINDS.has(definition.kind)) return [{ is: "instance", path: place.path, index: place.index }];
    // A variable may hold a class, or stand for a type (Python's `Alias = Union[…]`).
    return this.valueOf(place, depth + 1).flatMap(
      (it): Values => (it.is === "symbol" ? [{ ...it, is: "instance" }] : UNKNOWN),
    );
  }

  private named(module: Module, [first, ...rest]: readonly string[]): Values {
    let values = this.lookUp(module, first!);
    for (const part of rest) values = values.flatMap((value) => this.member(value, part, 1));
    return values;
  }

  /** Answers that were made while a file was missing, or inside a circle that is not closed yet, are not kept. */
  private remember<T extends readonly unknown[]>(key: string, make: () => T): T {
    const known = this.world.memo.get(key);
    if (known !== undefined) return known as T;
    if (this.making.has(key)) {
      this.circles.add(key);
      return UNKNOWN as unknown as T;
    }
    this.making.add(key);
    const { misses } = this.world;
    const made = make();
    this.making.delete(key);
    this.circles.delete(key);
    if (this.world.misses === misses && this.circles.size === 0) this.world.memo.set(key, made);
    return made;
  }
}

/** Kinds whose inside has a self. */
const SELF_KINDS: ReadonlySet<string> = new Set([...TYPE_KINDS, "impl", "extension"]);

function partsOf(qualifiedName: string): string[] {
  return qualifiedName.split(/::|[.\\/]/).filter((part) => part !== "");
}

/** The type that a qualified name says its method belongs to; functions have none that all files agree on. */
function ownerName({ qualifiedName, kind }: NamedSymbol): string {
  return kind === "method" ? (partsOf(qualifiedName).at(-2) ?? "") : "";
}

function bareName(name: string): string {
  return name.replace(/<.*$/s, "").trim();
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

function elementsOf(values: Values): Values {
  return values.flatMap((it) => (it.is === "outside" ? (it.of ?? UNKNOWN) : UNKNOWN));
}

function restOf(last: Expression | undefined): Expression | undefined {
  return last?.startsWith("…") ? last : undefined;
}

function sameValue(a: Value, b: Value): boolean {
  return a.is === "symbol" && b.is === "symbol" && a.path === b.path && a.index === b.index;
}

function boundAs(values: Values, resolution: Resolution): Bound {
  const symbols = values.flatMap((it) => (it.is === "symbol" ? [{ path: it.path, index: it.index }] : []));
  if (symbols.length > 0) return { symbols, resolution, outside: false };
  return isOutside(values) || values.some((it) => it.is === "module") ? ELSEWHERE : NOTHING;
}
