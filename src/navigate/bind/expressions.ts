/** What an expression of a file is: its root, then step by step. */
import type { Expression } from "../../model/edges.ts";
import type { Binder } from "./binder.ts";
import type { Module } from "./module.ts";
import { parseType } from "./types.ts";
import { MAX_DEPTH, OUTSIDE, UNKNOWN, type Value, type Values } from "./values.ts";

export class Expressions {
  private readonly binder: Binder;

  constructor(binder: Binder) {
    this.binder = binder;
  }

  /** `from` is the symbol around it. */
  read(module: Module, written: Expression, from: number, depth: number): Values {
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
    const { kin, memo, typed } = this.binder;
    if (root === "this") return this.self(module, from);
    if (root === "super")
      return kin
        .selves(module, from)
        .slice(0, 1)
        .flatMap((it) => kin.supertypes(it))
        .map((it) => ({ is: "instance", ...it }));
    if (root === "'") return OUTSIDE;
    if (root === "{") return UNKNOWN;
    const rest = root.slice(1);
    if (root[0] === "#") {
      const local = Number(rest);
      return memo.remember(`l ${module.path}\0${local}`, () =>
        this.read(module, module.facts.locals[local] ?? "", from, depth),
      );
    }
    if (root[0] === "@") return [{ is: "symbol", path: module.path, index: Number(rest) }];
    if (root[0] === ":") return typed.of(module, parseType(rest), depth);
    if (root[0] === "%") return this.module(module, rest);
    return this.freeRoot(module, root, from, depth);
  }

  /** `import("m")`, or `=m` for `require("m")`. */
  private module(from: Module, written: string): Values {
    const { world } = this.binder;
    const files = written.startsWith("=")
      ? world.resolve(written.slice(1), from, "required")
      : world.resolve(written, from);
    return files.map((path) => ({ is: "module", path }));
  }

  /** An instance of the type around a symbol. */
  self(module: Module, from: number): Values {
    const innermost = this.binder.kin.selves(module, from).slice(0, 1);
    return innermost.map((it) => ({ is: "instance", path: it.path, index: it.index }));
  }

  /** A free name before a dot: where the language says so, a field of the type around it. */
  private freeRoot(module: Module, name: string, from: number, depth: number): Values {
    const own = this.binder.members.implied(module, name, from, depth + 1);
    return own.length > 0 ? own : this.binder.names.lookUp(module, name);
  }

  /** Of a collection, or of a type that is an alias of one. */
  private elements(value: Value, depth: number): Values {
    if (value.is === "outside") return value.of ?? OUTSIDE;
    if (value.is !== "instance") return UNKNOWN;
    const behind = this.binder.typed.behindAlias(value, depth);
    return behind.flatMap((it) => (it.is === "outside" && it.of ? it.of : UNKNOWN));
  }

  private step(value: Value, step: string, depth: number): Values {
    const { members, calls, typed } = this.binder;
    if (step[0] === ".") return members.of(value, step.slice(1), depth);
    if (step === "()") return calls.called(value, depth);
    if (step === "!") return calls.made(value, depth);
    if (step[0] === "~") return calls.taken(value, Number(step.slice(1)), depth);
    const plain = value.is === "symbol" ? typed.valueOf(value, depth) : [value];
    if (step === "^") return plain.flatMap((it) => (it.is === "outside" && it.of ? it.of : [it]));
    return plain.flatMap((it) => this.elements(it, depth));
  }
}
