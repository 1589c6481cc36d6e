/** Resolves names at the top of a file: own symbols, imports, nearby packages, star imports. */
import type { ImportFact, SymbolLocation } from "../../model/edges.ts";
import type { NamedSymbol } from "../../model/language-edges.ts";
import type { Binder } from "./binder.ts";
import type { Module } from "./module.ts";
import { nameParts } from "./qualified.ts";
import { type BoundValue, isOutside, OUTSIDE, UNKNOWN, type Values, valueKey } from "./values.ts";

export class NameBinder {
  private readonly binder: Binder;

  constructor(binder: Binder) {
    this.binder = binder;
  }

  /** Resolves a name without a receiver at the top of a file. */
  lookUp(module: Module, name: string): Values {
    return this.binder.memo.remember(`n ${module.path}\0${name}`, () => this.lookUpAnew(module, name, new Set()));
  }

  /** A name with its qualifiers, or a symbol of the file by its number. */
  path(module: Module, [first, ...rest]: readonly string[], depth = 1): Values {
    if (rest.length > 0 && this.binder.world.dialect(module)?.namespaces) {
      const name = rest.pop()!;
      const full = this.byQualifiedName({ module: [first, ...rest].join("."), name });
      return full.length > 0 ? full : this.inNamespace(module, [first, ...rest].join("\\"), name);
    }
    const symbol = /^@(\d+)$/.exec(first!);
    let values: Values = symbol
      ? [{ is: "symbol", path: module.path, index: Number(symbol[1]) }]
      : this.lookUp(module, first!);
    for (const part of rest) values = values.flatMap((value) => this.binder.members.of(value, part, depth));
    const isFound = rest.length !== 1 || values.some((it) => it.is === "symbol");
    const qualified = isFound ? UNKNOWN : this.ofTarget(module, first!, rest[0]!);
    return qualified.length > 0 ? qualified : values;
  }

  /** `Shop.Order` is the name Order of the target Shop (Swift). */
  private ofTarget(module: Module, target: string, name: string): Values {
    const { world } = this.binder;
    if (!world.dialect(module)?.targets) return UNKNOWN;
    const files = filesOf(world.resolve(target, module));
    const isTop = ({ path, kind, inner }: NamedSymbol) =>
      files.has(path) && !inner && kind !== "method" && !BLOCKS.has(kind);
    return files.size === 0
      ? UNKNOWN
      : world.named(name).flatMap((it) => (isTop(it) ? [{ is: "symbol", path: it.path, index: it.index }] : []));
  }

  /** A name with its namespace as written: from the root, of an import, or inside the file's own. */
  inNamespace(module: Module, written: string, name: string): Values {
    const [first = "", ...rest] = written.split("\\");
    const imported = first === "" ? undefined : module.imported.get(first)?.[0];
    const base = imported ? [imported.module, imported.name] : first === "" ? [] : [module.home, first];
    const found = this.byQualifiedName({ module: [...base, ...rest].filter(Boolean).join("."), name });
    return found.length > 0 ? found : OUTSIDE;
  }

  /** `seen`: lookups under way, so that cyclic exports end. */
  lookUpAnew(module: Module, name: string, seen: Set<string>): Values {
    const imported = module.imported.get(name);
    const own = (module.top.get(name) ?? []).map((index): BoundValue => ({ is: "symbol", path: module.path, index }));
    if (imported !== undefined) return [...own, ...imported.flatMap((fact) => this.importValue(module, fact, seen))];
    // An `extension` names the type that it adds to, which may be in another file.
    const isBlock = (it: BoundValue) => it.is === "symbol" && this.isBlock(it);
    if (own.some((it) => !isBlock(it))) return own;
    const found = this.nearest(module, name);
    if (own.length > 0) return found.some((it) => !isBlock(it)) ? found : own;
    const near = found.length > 0 ? found : this.ofImportedValues(module, name);
    const dot =
      near.length === 0 && /^[A-Z]/.test(name) && this.binder.world.dialect(module)?.fullName
        ? name.lastIndexOf(".")
        : -1;
    if (dot > 0) {
      const outer = this.lookUp(module, name.slice(0, dot));
      return outer.flatMap((it) => this.binder.members.of(it, name.slice(dot + 1), 1));
    }
    return near.length > 0 ? near : this.fromModules(module, name, seen);
  }

  private isBlock({ path, index }: SymbolLocation): boolean {
    return BLOCKS.has(this.binder.world.module(path)?.facts.definitions[index]?.kind ?? "");
  }

  /** A name of a module that is taken in whole, or a module of that name. */
  private fromModules(module: Module, name: string, seen: Set<string>): Values {
    const { world, exports } = this.binder;
    let open = false;
    for (const fact of module.starred) {
      const files = world.resolve(fact.module, module);
      const values = files.flatMap((path) => exports.of(path, name, seen));
      if (values.length > 0 && !isOutside(values)) return values;
      open ||= files.length === 0;
    }
    const { moduleNames, dynamic } = world.dialect(module) ?? {};
    if (moduleNames) {
      const listed = this.ofStarredTypes(module, name);
      if (listed.length > 0) return listed;
      const files = world.resolve(name, module);
      if (files.length > 0) return files.map((path) => ({ is: "module", path }));
    }
    const { near } = world.dialect(module) ?? {};
    // `case RED:` in Java names a member of the enum that is switched on.
    const mayBe = ({ global, kind }: NamedSymbol) => global === "perhaps" || (near !== undefined && kind === "variant");
    const isCertain = !world.isCut(name) && !world.named(name).some(mayBe);
    return !isCertain || dynamic?.test(name) || (open && module.starred.length > 0)
      ? UNKNOWN
      : [{ is: "outside", via: name, builtIn: true }];
  }

  private ofStarredTypes(module: Module, name: string): Values {
    for (const fact of module.starred) {
      if (this.binder.world.resolve(fact.module, module).length > 0) continue;
      const found = this.ofStarredType(module, fact, name);
      if (found.length > 0) return found;
    }
    return UNKNOWN;
  }

  /** `import parser._` takes the members of an object or a value, which only a function of the file may see (Scala). */
  private ofImportedValues(module: Module, name: string): Values {
    if (!this.binder.world.dialect(module)?.near) return UNKNOWN;
    for (const fact of module.starred) {
      if (this.binder.world.resolve(fact.module, module).length > 0) continue;
      const parts = fact.module.split(".");
      const own =
        parts.length === 1 ? module.facts.definitions.flatMap((it, i) => (it.name === parts[0] ? [i] : [])) : [];
      const owners: Values =
        own.length > 0 ? own.map((index) => ({ is: "symbol", path: module.path, index })) : this.path(module, parts);
      const members = owners.map((it) =>
        it.is === "symbol" ? this.binder.members.of(it, name, 1).filter(({ is }) => is === "symbol") : UNKNOWN,
      );
      const [first = UNKNOWN, ...others] = members.filter((it) => it.length > 0);
      // Two functions may each have an object of that name.
      if (others.some((it) => it.map(valueKey).join() !== first.map(valueKey).join())) return UNKNOWN;
      if (first.length > 0) return first;
    }
    return UNKNOWN;
  }

  /** `use Kind::*` takes the members of a type, or of a module in the file. */
  ofStarredType(module: Module, fact: ImportFact, name: string): Values {
    const parts = fact.module.split("::");
    if (parts[0] === name) return UNKNOWN;
    const types = this.path(module, parts).filter((it) => it.is === "symbol");
    return types.flatMap((it) => this.binder.members.of(it, name, 1)).filter((it) => it.is === "symbol");
  }

  /** For languages with packages: the symbols of the name nearest to the file, if any is visible. */
  private nearest(module: Module, name: string): Values {
    const { near } = this.binder.world.dialect(module) ?? {};
    if (near === undefined) return this.globals(module, name);
    const imports = [...module.facts.imports, ...this.binder.world.sharedImports(module)];
    const reach = (path: string) => this.reach(module, imports, path);
    const user = { path: module.path, home: module.home, imports, reach };
    let best = 0;
    let found: NamedSymbol[] = [];
    const all = this.binder.world.named(name);
    // An extension is of the type's name, but the type is what is meant.
    const types = all.filter(({ kind }) => !BLOCKS.has(kind));
    for (const symbol of types.length > 0 ? types : all) {
      const rank = symbol.inner || symbol.kind === "method" ? 0 : near(symbol, user);
      if (rank === 0 || rank < best) continue;
      if (rank > best) found = [];
      best = rank;
      found.push(symbol);
    }
    // Parts of one type share a qualified name; two qualified names are ambiguous.
    const names = new Set(found.map(({ qualifiedName }) => nameParts(qualifiedName).join(".")));
    return names.size > 1 ? UNKNOWN : found.map(({ path, index }) => ({ is: "symbol", path, index }));
  }

  private reach(module: Module, imports: readonly ImportFact[], path: string): "own" | "imported" | undefined {
    const { world } = this.binder;
    if (filesOf(world.resolve("", module)).has(path)) return "own";
    return imports.some((it) => filesOf(world.resolve(it.module, module)).has(path)) ? "imported" : undefined;
  }

  private globals(module: Module, name: string): Values {
    const { world } = this.binder;
    if (world.dialect(module)?.isGlobal === undefined) return UNKNOWN;
    const found = world.named(name).filter((it) => it.global === true);
    return found.map(({ path, index }) => ({ is: "symbol", path, index }));
  }

  /** What an import of the file means. */
  imported(module: Module, fact: ImportFact): Values {
    return this.binder.memo.remember(`i ${module.path}\0${fact.line}\0${fact.column}\0${fact.name}`, () =>
      this.importValue(module, fact, new Set()),
    );
  }

  importValue(module: Module, fact: ImportFact, seen: Set<string>): Values {
    const { world, exports } = this.binder;
    const { name } = fact;
    const isNamed = name !== "*" && name !== "";
    if (isNamed && world.dialect(module)?.near) {
      const found = this.byQualifiedName(fact);
      if (found.length > 0) return found;
    }
    const files = world.resolve(fact.module, module, fact.required && "required");
    if (files.length === 0) {
      // A folder without `__init__` is a package all the same.
      const inner = isNamed ? this.submodule(module, fact) : UNKNOWN;
      if (inner.length > 0) return inner;
      const listed = isNamed && world.dialect(module)?.moduleNames ? this.ofStarredType(module, fact, name) : UNKNOWN;
      return listed.length > 0 ? listed : OUTSIDE;
    }
    if (!isNamed) return files.map((path) => ({ is: "module", path }));
    const found = files.flatMap((path) => exports.of(path, name, seen));
    if (found.length > 0 && !isOutside(found)) return found;
    const inner = this.submodule(module, fact);
    if (inner.length > 0) return inner;
    // `const { open } = require("./pool")` of a module whose one value has the member.
    if (fact.required && name !== "=") {
      const one = files.flatMap((path) => exports.of(path, "=", seen));
      const members = one.flatMap((it) => (it.is === "module" ? UNKNOWN : this.binder.members.of(it, name, 1)));
      if (members.length > 0) return members;
    }
    return name === "=" ? files.map((path) => ({ is: "module", path })) : found;
  }

  private submodule(module: Module, fact: ImportFact): Values {
    const { world } = this.binder;
    const submodule = world.dialect(module)?.resolver.submodule;
    const files = submodule ? world.resolve(submodule(fact.module, fact.name), module) : [];
    return files.map((path) => ({ is: "module", path }));
  }

  /** A name behind a chain of plain names, which is its package. */
  ofPackage(module: Module, written: string, name: string): Values {
    if (!this.binder.world.dialect(module)?.near || !PLAIN_CHAIN.test(written)) return UNKNOWN;
    const found = this.byQualifiedName({ module: written.replaceAll("\t", ""), name });
    return found.length > 0 ? found : this.ofTarget(module, written, name);
  }

  /** An import that names a symbol by its package. */
  private byQualifiedName(fact: Pick<ImportFact, "module" | "name">): Values {
    // Elixir's modules have their full names.
    const written = fact.name === fact.module ? fact.name : `${fact.module}.${fact.name}`;
    const found = this.binder.world.qualifiedAs(nameParts(written).join("."), fact.name);
    return found.map(({ path, index }) => ({ is: "symbol", path, index }));
  }
}

const PLAIN_CHAIN = /^[\p{L}_$][\p{L}\p{N}_$]*(?:\t\.[\p{L}_$][\p{L}\p{N}_$]*)*$/u;

const BLOCKS: ReadonlySet<string> = new Set(["extension", "impl"]);

const fileSets = new WeakMap<readonly string[], ReadonlySet<string>>();

/** Of a resolved module: the resolver gives the same list for every file. */
function filesOf(list: readonly string[]): ReadonlySet<string> {
  const known = fileSets.get(list) ?? new Set(list);
  fileSets.set(list, known);
  return known;
}
