/** Expressions that binding can follow: receivers, types, and expected types of literals. */
import type { Expression } from "../model/edges.ts";
import { afterTypeArguments, argumentRanges, endOfBracket, readChain, typeText } from "../text/member-chain.ts";
import type { ArgumentPosition, Literal, TypedName } from "./edge-captures.ts";
import type { FactInput } from "./facts.ts";
import { type FileNames, NestedRanges, type TextRange } from "./file-names.ts";
import { type NameTest, nameTests } from "./narrowing.ts";

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

type ResolvedName = ReturnType<FileNames["find"]>;

function sameBinding(a: ResolvedName, b: ResolvedName): boolean {
  if (a === undefined || b === undefined) return a === b;
  return "local" in a ? "local" in b && a.local === b.local : "symbol" in b && a.symbol === b.symbol;
}

/** Literals that are nested deeper are data. */
const MAX_NESTED = 6;

/** The type around it: of Rust and Python, of PHP, of TypeScript. */
const SELF_TYPE = /\bSelf\b|^(?:self|static|this)$/;

/** Of Python, Swift and Rust, of PHP, of TypeScript. */
const RECEIVER_TYPE = /^[?:\s]*(?:Self|static|this)\s*$/;

const PROMISE = /^:Promise(?:Like)?</;

/** They name the type that they add to. */
const BLOCKS: ReadonlySet<string> = new Set(["impl", "extension"]);

/** The beginning of a literal that is looked through for a property that tells its type. */
const MAX_HEAD = 200;
const DISTINGUISHING = /(?:^|,)\s*(\w+)\s*:\s*(["'])([\w:./-]*)\2\s*(?:,|$)/;

/** Calls with longer arguments are not inferred from. */
const MAX_ARGUMENTS = 2_000;
/** Literals tell nothing about a type parameter. */
const PLAIN_VALUE = /^['{]$/;

/** Python's annotations that leave the type to the value. */
const OF_VALUE = /^:(?:\w+\.)?(?:Final|ClassVar)$/;

export class FactExpressions {
  /** Declared results, by function. */
  readonly results: ReadonlyMap<number, Expression>;
  private readonly it: FactInput;
  private readonly names: FileNames;
  private readonly literals: NestedRanges<Literal>;
  private readonly numbers = new Map<Expression, number>();
  /** Of calls, by the start of their arguments: a chain is read again for each of its members. */
  private readonly arguments = new Map<number, string>();
  private nameTests: ReadonlyMap<string, readonly NameTest[]> | undefined;
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
    if (root === "") return undefined;
    if (chain.steps.length === 0) return root;
    const steps = this.it.edges.literalTypes
      ? chain.steps.map((step) => this.withArguments(step))
      : this.telling(chain.steps);
    return [root, ...steps].join("\t");
  }

  /** Arguments of a call, and type arguments. */
  private withArguments(step: string): string {
    // A tagged template is a call without ranges.
    if ((step[0] !== "(" && step[0] !== "<") || step === "()") return step;
    const [start, end] = step.slice(1).split("-").map(Number) as [number, number];
    if (step[0] === "<") return `<${this.scoped(this.readType(this.it.text.slice(start, end), start), start)}`;
    return `()${this.argumentsIn(start, end)}`;
  }

  /** Asked for each parameter of a callback, whose body may be half of the file. */
  private argumentsAfter(open: number): string {
    return this.arguments.get(open + 1) ?? this.argumentsIn(open + 1, endOfBracket(this.it.text, open) - 1);
  }

  private argumentsIn(start: number, end: number): string {
    let known = this.arguments.get(start);
    if (known === undefined) {
      known = this.readArguments(start, end);
      this.arguments.set(start, known);
    }
    return known;
  }

  private readArguments(start: number, end: number): string {
    const ranges = argumentRanges(this.it.text, start, end);
    if (end - start > MAX_ARGUMENTS) return ranges.map(() => "_").join();
    return ranges
      .map((it) => {
        const written = this.chainAt(it.start, it.end);
        return written === undefined || PLAIN_VALUE.test(written) ? "_" : this.numberOf(written);
      })
      .join(",");
  }

  /** What a local is, as `Facts.locals` has it. */
  localOf(local: TypedName): Expression {
    if (!local.generic) return this.typeOf(local) ?? "";
    const constraint = local.type && this.writtenType(local.type);
    const preset = local.value && this.writtenType(local.value);
    return `<${constraint ?? ""}${preset ? `\n${preset}` : ""}`;
  }

  /** A supertype with its type arguments. */
  baseType(start: number, end: number): Expression | undefined {
    const word = /^extends\s+/.exec(this.it.text.slice(start, start + 20))?.[0].length ?? 0;
    return this.writtenType({ start: start + word, end });
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
    if (root === "this" && this.it.edges.literalTypes)
      return this.declaredThis(at) ?? (this.names.selfAt(at) || this.thisOfLiteral(at));
    return root.startsWith(":") ? `:${this.scoped(root.slice(1), at)}` : root;
  }

  /** `this` as a parameter of the function, unless a function or a class in it has its own. */
  private declaredThis(at: number): Expression | undefined {
    const to = this.names.findByScope("this", at);
    if (to === undefined || !("local" in to)) return undefined;
    const declared = this.names.locals[to.local]!.at;
    const owner = this.names.typeAround(at);
    const isOuter = owner === undefined || this.it.symbols[owner]!.span.start < declared;
    return isOuter && this.names.functionWithThis(at).start < declared ? `#${to.local}` : undefined;
  }

  /** `this` in a method of a literal whose type is written. */
  private thisOfLiteral(at: number): Expression {
    const own = this.names.functionWithThis(at);
    const literal = this.literals.ranges[this.literals.around(own.start, (it) => it.start < own.start)];
    const isInside = literal !== undefined && this.names.functionWithThis(own.start, own).start < literal.start;
    return (isInside && literal.type && this.typeOf(literal)) || "";
  }

  private rootOf(name: string, at: number): string {
    const to = this.names.find(name, at);
    const root = to === undefined ? name : "local" in to ? `#${to.local}` : `@${to.symbol}`;
    const steps = this.stepsOfTests(name, at);
    return steps.length === 0 ? root : [root, ...steps].join("\t");
  }

  /** What tests around a place say of a name, the outermost first. */
  private stepsOfTests(name: string, at: number): string[] {
    const { raw, text, edges } = this.it;
    if (!edges.literalTypes || raw.tests.length === 0) return [];
    this.nameTests ??= nameTests(text, raw.tests, (place) => this.names.endOfScope(place));
    const tests = this.nameTests.get(name);
    if (tests === undefined) return [];
    const held = tests.filter(
      ({ range, at: tested }) =>
        range.start <= at && at < range.end && sameBinding(this.names.find(name, tested), this.names.find(name, at)),
    );
    const steps = held.toSorted((a, b) => a.at - b.at).map((it) => this.stepOfTest(it));
    return [...new Set(steps)].filter((it) => it !== "");
  }

  private stepOfTest({ step, guard, made }: NameTest): string {
    if (step !== undefined) return step;
    const chain = this.chainAt(guard!.start, guard!.end);
    return chain === undefined ? "" : `&${made ? "!" : ""}${this.numberOf(chain)}`;
  }

  /** Marks a receiver of which an earlier test may have left a part: a literal, or a local behind `if (it.kind === "a")`. */
  narrowed(receiver: Expression, at: number): Expression {
    if (!this.it.edges.literalTypes || receiver === "") return receiver;
    if (receiver[0] === ":") return `${receiver}\t?`;
    const local = receiver[0] === "#" ? /^#(\d+)/.exec(receiver) : null;
    if (local === null) return receiver;
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
    const { literalTypes } = this.it.edges;
    const end = literalTypes && this.it.text[to.end] === "<" ? afterTypeArguments(this.it.text, to.end) : to.end;
    // The grammar reads `await f<T>(x)` as a call of `await f`.
    const word = literalTypes ? (/^await\s+/.exec(this.it.text.slice(to.start, to.start + 20))?.[0].length ?? 0) : 0;
    const callee = this.chainAt(to.start + word, end);
    if (callee === undefined) return undefined;
    if (parameter === undefined) return `${callee}\t~${argument}`;
    const others = literalTypes ? this.argumentsAfter(this.it.text.indexOf("(", end)) : "";
    const given = /\d/.test(others) ? `:${others}` : "";
    return `${callee}\t~${argument}${given}\t~${parameter}`;
  }

  /** The expected type of the literal around a key. */
  literalAround(at: number): Expression | undefined {
    const around = this.literals.around(at, (it) => it.start < at);
    return around < 0 ? undefined : this.distinguished(around, this.contextOf(around, 0));
  }

  /** `kind: "circle"` in a literal tells which part of a union it is. */
  private distinguished(literal: number, context: Expression | undefined): Expression | undefined {
    if (!context || !this.it.edges.literalTypes) return context;
    const { start, end } = this.literals.ranges[literal]!;
    const head = /^[^{([`]*/.exec(this.it.text.slice(start + 1, Math.min(end - 1, start + MAX_HEAD)))![0];
    const [, key, , value] = DISTINGUISHING.exec(head) ?? [];
    return key === undefined ? context : `${context}\t&${key}'${value}'`;
  }

  private contextOf(literal: number, depth: number): Expression | undefined {
    const it = this.literals.ranges[literal]!;
    if (depth > MAX_NESTED) return undefined;
    if (it.type) return this.typeOf(it);
    if (it.handed) {
      const taken = this.handedTo(it.handed);
      return taken && it.returned ? `${taken}\t()` : taken;
    }
    if (it.of || it.element) {
      const outer = this.literals.around(it.start, (other) => other.start < it.start);
      const context = outer < 0 ? undefined : this.contextOf(outer, depth + 1);
      return context && `${context}\t${it.of ? `.${this.it.text.slice(it.of.start, it.of.end)}` : "[]"}`;
    }
    if (it.value) return this.typeOf(it);
    return it.returned ? this.declaredResult(it.start) : undefined;
  }

  /** An async function returns what its promise gives. */
  private declaredResult(at: number): Expression | undefined {
    const symbol = this.names.functionOf(at);
    const result = symbol === undefined ? undefined : this.results.get(symbol);
    return result && PROMISE.test(result) ? `${result}\t^` : result;
  }

  /** By declared type, else by the parameter it is passed to, else by value. */
  typeOf(typed: Partial<TypedName>): Expression | undefined {
    const { type, value, item, of, handed, parameter } = typed;
    if (parameter !== undefined) return this.parameterOf(typed, parameter);
    const written = type && this.writtenType(type);
    const base =
      (value && written && OF_VALUE.test(written) ? undefined : written) ||
      (handed ? this.handedTo(handed) : value && this.chainAt(value.start, value.end));
    if (!base) return undefined;
    const one = item && !written ? `${base}\t[]` : base;
    return of ? `${one}\t${this.keyStep(of)}` : one;
  }

  private keyStep({ start, end }: TextRange): string {
    return `.${this.it.text.slice(start, end)}`;
  }

  /** A type parameter is a local that represents its constraint; other types are stored as written. */
  private writtenType({ start, end }: TextRange): Expression | undefined {
    if (this.isReceiverType(start, end)) return "this";
    const written = this.readType(this.it.text.slice(start, end), start);
    const to = /^\w+$/.test(written) ? this.names.findByScope(written, start) : undefined;
    if (to !== undefined && "local" in to) return `#${to.local}`;
    return written === "" ? undefined : `:${this.scoped(written, start)}`;
  }

  /** A type that is visible in a part of the file is stored as its symbol: elsewhere the name may mean another type. */
  private scoped(written: string, at: number): string {
    const { scopeOf, hasGenerics, hasNested, locals } = this.names;
    if (scopeOf.size === 0 && !hasGenerics && !hasNested) return written;
    // The first part of each name.
    return written.replace(/(?<![\w$.@#]|::)[\p{L}_$][\p{L}\p{N}_$]*/gu, (name) => {
      const to = this.names.findByScope(name, at);
      if (to === undefined) return name;
      if ("local" in to) return locals[to.local]!.generic ? `#${to.local}` : name;
      return scopeOf.has(to.symbol) || this.names.isNested(to.symbol) ? `@${to.symbol}` : name;
    });
  }

  private parameterOf({ at, type, value, of }: Partial<TypedName>, parameter: number): Expression | undefined {
    const named = type ?? value;
    const base = type ? this.writtenType(type) : value ? this.functionGiven(value, at!) : of && this.underKey(of);
    if (!base) return undefined;
    return named && of ? `${base}\t~${parameter}\t${this.keyStep(of)}` : `${base}\t~${parameter}`;
  }

  /** The type of a function that is assigned to what is before it, is a member of a literal, or is returned. */
  private functionGiven({ start, end }: TextRange, at: number): Expression | undefined {
    if (end > at) return this.declaredResult(start - 1);
    const isKey = /^\s*[:(]/.test(this.it.text.slice(end, at));
    return isKey ? this.underKey({ start, end }) : this.chainAt(start, end);
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

  /** The type of what a method is called on, which may be a subtype of the type around it. */
  private isReceiverType(start: number, end: number): boolean {
    const owner = RECEIVER_TYPE.test(this.it.text.slice(start, end)) ? this.names.typeAround(start) : undefined;
    return owner !== undefined && !BLOCKS.has(this.it.symbols[owner]!.kind);
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
