/** What others get from a file: its own symbols, what it exports under a name, what it re-exports from other modules. */
import type { Binder } from "./binder.ts";
import type { Module } from "./module.ts";
import { type BoundValue, isOutside, UNKNOWN, type Values } from "./values.ts";

export class Exports {
  private readonly binder: Binder;

  constructor(binder: Binder) {
    this.binder = binder;
  }

  /** What others get from a file under a name; cycles of re-exports end. */
  of(path: string, name: string, seen: Set<string>): Values {
    const key = `${path}\0${name}`;
    if (seen.has(key)) return UNKNOWN;
    if (seen.size === 0)
      return this.binder.memo.remember(`e ${key}`, () => this.exportAnew(path, name, new Set([key])));
    seen.add(key);
    return this.exportAnew(path, name, seen);
  }

  private exportAnew(path: string, name: string, seen: Set<string>): Values {
    const module = this.binder.world.module(path);
    if (module === undefined) return UNKNOWN;
    const own = module.top.get(name);
    const values: BoundValue[] = (own ?? []).map((index) => ({ is: "symbol", path, index }));
    for (const fact of module.exported.get(name) ?? []) {
      if (fact.module !== "") values.push(...this.binder.names.importValue(module, fact, seen));
      else if (fact.name !== name || own === undefined)
        values.push(...this.binder.names.lookUpAnew(module, fact.name, seen));
    }
    if (values.length > 0) return values;
    if (name === "default" || name === "=") {
      const other = name === "=" ? "default" : "=";
      if (module.exported.has(other)) return this.of(path, other, seen);
    }
    return name === "=" ? UNKNOWN : this.handedOn(module, name, seen);
  }

  private handedOn(module: Module, name: string, seen: Set<string>): Values {
    const { world, names } = this.binder;
    // Of Rust's globs one of several is compiled; elsewhere the first that has the name counts.
    const isOneOfMany = world.dialect(module)?.moduleNames;
    const all: BoundValue[] = [];
    for (const fact of name === "default" ? [] : module.handedOn) {
      const files = world.resolve(fact.module, module);
      const values = files.flatMap((path) => this.of(path, name, seen));
      if (files.length === 0 && isOneOfMany) values.push(...names.ofStarredType(module, fact, name));
      if (values.length === 0 || isOutside(values)) continue;
      if (!isOneOfMany) return values;
      all.push(...values);
    }
    return all;
  }

  /** What `module.name` is, where `module` is the file as a whole. */
  memberOf(path: string, name: string): Values {
    const { world, members } = this.binder;
    const module = world.module(path);
    // The table that the file gives back, before the file's own locals.
    const table = module && world.dialect(module)?.tables ? this.ofValue(module, name) : UNKNOWN;
    if (table.some((it) => it.is === "symbol")) return table;
    const found = this.of(path, name, new Set());
    if (module === undefined || (found.length > 0 && !isOutside(found))) return found;
    const { resolver, moduleNames } = world.dialect(module) ?? {};
    const around = moduleNames ? world.resolve(name === "super" ? name : `self::${name}`, module) : [];
    if (around.length > 0) return around.map((it) => ({ is: "module", path: it }));
    const inner = resolver?.submodule ? world.resolve(resolver.submodule(".", name), module) : [];
    if (inner.length > 0 && /(^|\/)__init__\.pyi?$/.test(path)) return inner.map((it) => ({ is: "module", path: it }));
    // `const helpers = exports; helpers.read = function …`
    for (const [owner, [index]] of module.hung.has(name) ? module.top : [])
      if (module.facts.definitions[index!]!.type === "exports") {
        const hung = members.hung(module, index!, name);
        if (hung.length > 0 && owner !== name) return hung;
      }
    // `module.exports = new App()`: the module's one value has the member.
    const one = this.ofValue(module, name);
    return one.length > 0 ? one : found;
  }

  private ofValue(module: Module, name: string): Values {
    const one = module.exported.has("=") ? this.of(module.path, "=", new Set()) : UNKNOWN;
    return one.flatMap((it) => (it.is === "module" ? UNKNOWN : this.binder.members.of(it, name, 1)));
  }
}
