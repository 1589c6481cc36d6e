/** Expressions that binding can follow: receivers, types, and expected types of literals. */
import type { Expression } from "../model/edges.ts";
import { endOfBracket, readChain, typeText } from "../text/chain.ts";
import type { ArgumentPosition, Literal, Typed } from "./edge-captures.ts";
import type { FactInput } from "./facts.ts";
import { type FileNames, NestedRanges, type TextRange } from "./file-names.ts";

/** What narrows a union: a type guard, `instanceof`, `in`, `typeof`, the head of a `switch`, and what compares a property. */
const TESTS =
  /\bswitch\s*\(\s*([\w$]+)[^)]*|\b(?:is|assert)\w*\(\s*([\w$]+)|["']\w+["']\s+in\s+([\w$]+)|\btypeof\s+([\w$]+)|\binstanceof\b|[!=]==?/g;
/** A pattern that began with the name took eight times as long over a text. */
const COMPARED = /([\w$]+)[?!]?\.\w+\s*$/;
const CHECKED = /([\w$]+)\s+$/;
const MAX_COMPARED = 120;

function readTests(text: string): Map<string, number[]> {
  const ends = new Map<string, number[]>();
  for (const found of text.matchAll(TESTS)) {
    const before = found[0] === "instanceof" ? CHECKED : /^[!=]/.test(found[0]) ? COMPARED : undefined;
    const name = before
      ? before.exec(text.slice(Math.max(0, found.index - MAX_COMPARED), found.index))?.[1]
      : found.slice(1).find((it) => it !== undefined);
    if (name === undefined) continue;
    const end = found.index + found[0].length;
    const known = ends.get(name);
    if (known) known.push(end);
    else ends.set(name, [end]);
  }
  return ends;
}

/** Literals that are nested deeper are data. */
const MAX_NESTED = 6;

/** The first part of each name in a type. */
const TYPE_NAMES = /(?<![\w$.@:])[\p{L}_$][\p{L}\p{N}_$]*/gu;

/** The type around it: of Rust and Python, of PHP, of TypeScript. */
const SELF_TYPE = /\bSelf\b|^(?:self|static|this)$/;

export class FactExpressions {
  /** Declared results, by function. */
  readonly results: ReadonlyMap<number, Expression>;
  private readonly it: FactInput;
  private readonly names: FileNames;
  private readonly literals: NestedRanges<Literal>;
  private readonly numbers = new Map<Expression, number>();
  /** Ends of the tests that narrow a value's type, by its name; read when first needed. */
  private tests: ReadonlyMap<string, readonly number[]> | undefined;

  constructor(it: FactInput, names: FileNames) {
    this.it = it;
    this.names = names;
    this.literals = new NestedRanges(it.raw.literals);
    this.results = this.readResults();
  }

  /** All expressions in the order of their numbers. */
  all(): Expression[] {
    return [...this.numbers.keys()];
  }

  numberOf(expression: Expression): number {
    const known = this.numbers.get(expression);
    if (known !== undefined) return known;
    this.numbers.set(expression, this.numbers.size);
    return this.numbers.size - 1;
  }

  private readResults(): Map<number, Expression> {
    const results = new Map<number, Expression>();
    for (const typed of this.it.raw.results) {
      const symbol = this.names.symbolAt(typed.at);
      const type = symbol === undefined ? undefined : this.typeOf(typed);
      if (type) results.set(symbol!, type);
    }
    return results;
  }

  /** Reads a range as a chain; undefined when it is none. */
  chainAt(start: number, end: number): Expression | undefined {
    const module = this.moduleAt(start, end);
    if (module !== undefined) return module;
    const chain = readChain(this.it.text, start, end, this.it.edges);
    if (chain === undefined) return undefined;
    const root = chain.at < 0 ? this.scopedRoot(chain.root, start) : this.namedRoot(chain.root, chain.at);
    return chain.steps.length === 0 ? root : [root, ...this.telling(chain.steps)].join("\t");
  }

  /** A module under its full name: `MyApp.Accounts`. */
  private moduleAt(start: number, end: number): string | undefined {
    const { edges, raw, text } = this.it;
    if (!edges.fullName) return undefined;
    const written = text.slice(start, end).replace(/\.$/, "");
    if (!/^[A-Z]\w*(?:\.[A-Z]\w*)*$/.test(written)) return undefined;
    const root = this.rootOf(written, start);
    return root === written ? edges.fullName(written, raw.imports) : root;
  }

  /** `@name` is an instance field in Ruby. */
  private namedRoot(name: string, at: number): string {
    return name[0] === "@" && /^@\p{L}/u.test(name) ? `this\t.${name.slice(1)}` : this.rootOf(name, at);
  }

  private scopedRoot(root: string, at: number): string {
    return root.startsWith(":") ? `:${this.scoped(root.slice(1), at)}` : root;
  }

  private rootOf(name: string, at: number): string {
    const to = this.names.find(name, at);
    if (to === undefined) return name;
    return "local" in to ? `#${to.local}` : `@${to.symbol}`;
  }

  /** Marks a receiver of which an earlier test may have left a part: a literal, or a local behind `if (it.kind === "a")`. */
  narrowed(receiver: Expression, at: number): Expression {
    if (!this.it.edges.literalTypes || receiver === "") return receiver;
    const local = /^#(\d+)/.exec(receiver);
    if (local === null) return receiver.startsWith(":") ? `${receiver}\t?` : receiver;
    const { name, at: declared } = this.names.locals[Number(local[1])]!;
    this.tests ??= readTests(this.it.text);
    return this.tests.get(name)?.some((it) => it > declared && it <= at) ? `${receiver}\t?` : receiver;
  }

  /** Drops methods that return their receiver. */
  private telling(steps: readonly string[]): readonly string[] {
    const { passing = [], maker } = this.it.edges;
    if (passing.length === 0 && maker === undefined) return steps;
    const isPassing = (step: string | undefined) => step?.[0] === "." && passing.includes(step.slice(1));
    const isMade = (step: string | undefined) => maker !== undefined && step === `.${maker}`;
    const kept = steps.filter(
      (step, i) => !isPassing(step) && !(step === "()" && (isPassing(steps[i - 1]) || isMade(steps[i - 1]))),
    );
    return kept.map((step) => (isMade(step) ? "!" : step));
  }

  /** The parameter type of a call at an argument position. */
  handedTo({ to, argument, parameter }: ArgumentPosition): Expression | undefined {
    const callee = this.chainAt(to.start, to.end);
    if (callee === undefined) return undefined;
    return [callee, `~${argument}`, ...(parameter === undefined ? [] : [`~${parameter}`])].join("\t");
  }

  /** The expected type of the literal around a key. */
  literalAround(at: number): Expression | undefined {
    const around = this.literals.around(at, (it) => it.start < at);
    return around < 0 ? undefined : this.contextOf(around, 0);
  }

  private contextOf(literal: number, depth: number): Expression | undefined {
    const it = this.literals.ranges[literal]!;
    if (depth > MAX_NESTED) return undefined;
    if (it.type) return this.typeOf(it);
    if (it.handed) return this.handedTo(it.handed);
    if (it.of || it.element) {
      const outer = this.literals.around(it.start, (other) => other.start < it.start);
      const context = outer < 0 ? undefined : this.contextOf(outer, depth + 1);
      return context && `${context}\t${it.of ? `.${this.it.text.slice(it.of.start, it.of.end)}` : "[]"}`;
    }
    return it.value ? this.typeOf(it) : this.declaredResult(it.start);
  }

  private declaredResult(at: number): Expression | undefined {
    const symbol = this.names.functionOf(at);
    return symbol === undefined ? undefined : this.results.get(symbol);
  }

  /** By declared type, else by the parameter it is passed to, else by value. */
  typeOf(typed: Partial<Typed>): Expression | undefined {
    const { type, value, item, of, handed, parameter } = typed;
    if (parameter !== undefined) return this.parameterOf(typed, parameter);
    const written = type && this.writtenType(type);
    const base = written || (handed ? this.handedTo(handed) : value && this.chainAt(value.start, value.end));
    if (!base) return undefined;
    const one = item ? `${base}\t[]` : base;
    return of ? `${one}\t${this.keyStep(of)}` : one;
  }

  private keyStep({ start, end }: TextRange): string {
    return `.${this.it.text.slice(start, end)}`;
  }

  /** A type parameter is a local that represents its constraint; other types are stored as written. */
  private writtenType({ start, end }: TextRange): Expression | undefined {
    const written = this.readType(this.it.text.slice(start, end), start);
    const to = /^\w+$/.test(written) ? this.names.findByScope(written, start) : undefined;
    if (to !== undefined && "local" in to) return `#${to.local}`;
    return written === "" ? undefined : `:${this.scoped(written, start)}`;
  }

  /** A type that is visible in a part of the file is stored as its symbol: elsewhere the name may mean another type. */
  private scoped(written: string, at: number): string {
    const { scopeOf } = this.names;
    if (scopeOf.size === 0) return written;
    return written.replace(TYPE_NAMES, (name) => {
      const to = this.names.findByScope(name, at);
      return to !== undefined && "symbol" in to && scopeOf.has(to.symbol) ? `@${to.symbol}` : name;
    });
  }

  private parameterOf({ type, value, of }: Partial<Typed>, parameter: number): Expression | undefined {
    const base = type ? this.writtenType(type) : of ? this.underKey(of) : value && this.declaredResult(value.start - 1);
    return base && `${base}\t~${parameter}`;
  }

  private underKey(key: TextRange): Expression | undefined {
    const literal = this.literalAround(key.start);
    return literal && `${literal}\t${this.keyStep(key)}`;
  }

  /** Literal types are stored as the numbers of their members, which are symbols of the file. */
  private withNumbers(text: string, at: number): string {
    let numbered = "";
    let copied = 0;
    for (let open = text.indexOf("{"); open >= 0; open = text.indexOf("{", copied)) {
      const end = endOfBracket(text, open);
      const members = this.names.membersIn(at + open, at + end);
      numbered += `${text.slice(copied, open)}{${members ? `${members.first}-${members.last}` : ""}}`;
      copied = end;
    }
    return numbered + text.slice(copied);
  }

  /** `Self` is the enclosing type. */
  private readType(text: string, at: number): string {
    const { types, literalTypes } = this.it.edges;
    const written = typeText(types ? types(text) : literalTypes ? this.withNumbers(text, at) : text);
    const owner = SELF_TYPE.test(written) ? this.names.typeAround(at) : undefined;
    if (owner === undefined) return written;
    return written.replace(/\bSelf\b|^(?:self|static|this)$/g, this.it.symbols[owner]!.name.replace(/<.*$/s, ""));
  }
}
