/**
 * Reads the facts of a file from the captures of its language's `edges.scm`: imports, uses of names with what they mean
 * by the file's own scopes, and what can be known of the values they are used on. Nothing outside the file is looked at.
 */
import type { Language } from "../languages/define.ts";
import type { CodeSymbol } from "../model/code.ts";
import {
  type Definition,
  EDGE_KINDS,
  type EdgeKind,
  type Expression,
  type Facts,
  type ImportFact,
  type LanguageEdges,
  type RawEdges,
} from "../model/edges.ts";
import { readChain, typeText } from "../text/chain.ts";
import { type Gathered, gather, type Handed, type Literal, type Typed, type Use } from "./gather.ts";
import { Bindings, isBoundByScope, Nest, type Stretch, TYPES } from "./scopes.ts";
import { type Site, sitesOf } from "./sites.ts";

export interface FactSource {
  readonly language: Language;
  readonly text: string;
  readonly lineStarts: readonly number[];
  readonly symbols: readonly CodeSymbol[];
  /** Where each symbol's name stands. */
  readonly places: readonly number[];
  readonly edges: RawEdges;
}

export function factsOf(source: FactSource): Facts | undefined {
  const { edges } = source.language;
  return edges && new FactReader(source, edges).read();
}

interface SymbolStretch extends Stretch {
  readonly index: number;
}

interface ScopeStretch extends Stretch {
  readonly fn: boolean;
}

class FactReader {
  private readonly it: FactSource;
  private readonly edges: LanguageEdges;
  private readonly raw: Gathered;
  private readonly symbols: Nest<SymbolStretch>;
  private readonly scopes: Nest<ScopeStretch>;
  private readonly bindings = new Bindings();
  private readonly symbolAt = new Map<number, number>();
  private readonly localAt = new Set<number>();
  /** Of symbols that only part of the file sees. */
  private readonly scopeOf = new Map<number, number>();
  private readonly expressions = new Map<Expression, number>();
  private readonly literals: Nest<Literal>;
  /** Declared results, by function. */
  private readonly results = new Map<number, Expression>();

  constructor(it: FactSource, edges: LanguageEdges) {
    this.it = it;
    this.edges = edges;
    this.raw = gather(it.edges, it.text, edges);
    const named = it.symbols.flatMap(({ kind, span }, index) =>
      kind === "use" || kind === "package" ? [] : [{ start: span.start, end: span.end, index }],
    );
    this.symbols = new Nest(named);
    this.literals = new Nest(this.raw.literals);
    this.scopes = new Nest([{ start: 0, end: it.text.length + 1, fn: false }, ...this.raw.scopes]);
    for (const [index, place] of it.places.entries()) {
      if (it.symbols[index]!.kind !== "use") this.symbolAt.set(place, index);
    }
  }

  read(): Facts {
    const locals = this.bindLocals();
    this.bindSymbols();
    this.readResults();
    const sites = this.sites();
    const definitions = this.definitions();
    const fields = this.fields();
    const known = locals.map((local) => this.typeOf(local) ?? "");
    const imports = this.raw.imports.map(({ at, ...rest }): ImportFact => ({ ...rest, ...this.placeOf(at) }));
    return {
      definitions,
      imports,
      ...sitesOf(sites),
      expressions: [...this.expressions.keys()],
      locals: known,
      fields,
    };
  }

  /** Numbers the locals that are no symbols, in their order. */
  private bindLocals(): Typed[] {
    const numbers = new Map<number, number>();
    const locals: Typed[] = [];
    for (const local of this.raw.locals) {
      if (this.symbolAt.has(local.at) || this.raw.inImport(local.at)) continue;
      const known = numbers.get(local.at);
      // Several patterns may see one local; the one that says what it is counts.
      if (known !== undefined) {
        if (says(local) > says(locals[known]!)) locals[known] = local;
        continue;
      }
      const scope = this.scopes.stretches[this.scopes.around(local.at)]!;
      numbers.set(local.at, locals.length);
      this.localAt.add(local.at);
      this.bindings.add(local.name, { start: scope.start, end: scope.end, to: { local: locals.length } });
      locals.push(local);
    }
    return locals;
  }

  private bindSymbols(): void {
    const { symbols, places } = this.it;
    for (const [index, symbol] of symbols.entries()) {
      const parent = symbol.parent === undefined ? undefined : symbols[symbol.parent];
      if (!isBoundByScope(symbol, parent) || this.raw.inImport(places[index]!)) continue;
      const { start, end } = symbol.span;
      // What is exported belongs to the file, also where a syntax error puts a scope around it.
      const exported = parent === undefined && symbol.visibilityKeyword === "export";
      const at = exported ? 0 : this.scopes.around(start, (it) => it.start < start || it.end > end);
      const scope = this.scopes.stretches[Math.max(0, at)]!;
      if (at > 0) this.scopeOf.set(index, scope.start);
      this.bindings.add(symbol.name, { start: scope.start, end: scope.end, to: { symbol: index } });
    }
  }

  private sites(): Site[] {
    const sites: Site[] = [];
    for (const use of this.raw.uses.values()) {
      const { at, name, role } = use;
      if (this.symbolAt.has(at) || this.raw.inImport(at)) continue;
      if (role === "ref" && this.localAt.has(at)) continue;
      const bound = role === "ref" ? this.meaning(name, at) : -2;
      if (bound === undefined) continue;
      const receiver = role === "member" ? this.receiver(use) : role === "key" ? this.literalAt(use) : -1;
      sites.push({ name, kind: this.kindOf(use), ...this.placeOf(at), from: this.enclosing(at), bound, receiver });
    }
    for (const { at, name } of this.raw.exported) {
      const bound = this.meaning(name, at);
      if (bound === undefined) continue;
      const kind = EDGE_KINDS.indexOf("references");
      sites.push({ name, kind, ...this.placeOf(at), from: this.enclosing(at), bound, receiver: -1 });
    }
    return sites;
  }

  /** The symbol that a name means here, -1 when none of this file; undefined for locals. */
  private meaning(name: string, at: number): number | undefined {
    const to = this.bindings.find(name, at) ?? this.ofClass(name, at);
    if (to === undefined) return -1;
    return "symbol" in to ? to.symbol : undefined;
  }

  /** Where class bodies are scopes of their own: the member that a name directly in one means. */
  private ofClass(name: string, at: number): { symbol: number } | undefined {
    if (!this.edges.classScope) return undefined;
    const owner = this.enclosing(at);
    const inside = owner >= 0 && TYPES.has(this.it.symbols[owner]!.kind) ? owner : this.it.symbols[owner]?.parent;
    if (inside === undefined || !TYPES.has(this.it.symbols[inside]!.kind)) return undefined;
    // Inside the body of a method the class is not seen; its decorators and default values see it.
    if (
      inside !== owner &&
      this.scopes.around(at, (it) => it.fn && it.start >= this.it.symbols[owner]!.span.start) >= 0
    )
      return undefined;
    const symbol = this.it.symbols.findIndex(
      (it, i) => it.parent === inside && it.name === name && this.it.places[i]! <= at,
    );
    return symbol < 0 ? undefined : { symbol };
  }

  private kindOf({ end, call }: { readonly end: number; readonly call: boolean }): number {
    const kind: EdgeKind = this.raw.heritage.get(end) ?? (call || this.isCalled(end) ? "calls" : "references");
    return EDGE_KINDS.indexOf(kind);
  }

  private isCalled(end: number): boolean {
    const { text } = this.it;
    let at = end;
    while (text[at] === " ") at++;
    if (text.startsWith("?.(", at)) return true;
    if (text[at] === "<") at = afterTypeArguments(text, at);
    return text[at] === "(";
  }

  private enclosing(at: number): number {
    const found = this.symbols.around(at);
    return found < 0 ? -1 : this.symbols.stretches[found]!.index;
  }

  private receiver(use: Use): number {
    const { recv, handed } = use;
    const expression = handed
      ? this.handedTo(handed)
      : recv
        ? this.expressionOf(recv.start, recv.end)
        : this.typeOf(use);
    return this.intern(expression ?? "");
  }

  /** What a call takes where something is handed to it. */
  private handedTo({ to, argument, parameter }: Handed): Expression | undefined {
    const callee = this.expressionOf(to.start, to.end);
    if (callee === undefined) return undefined;
    return [callee, `~${argument}`, ...(parameter === undefined ? [] : [`~${parameter}`])].join("\t");
  }

  /** What the literal must be in which a key stands; -2 when nothing says so. */
  private literalAt({ at, recv }: Use): number {
    // A key beside a receiver is a property that is handed to it: `<Button label="…">`.
    const component = recv && this.expressionOf(recv.start, recv.end);
    if (recv) return component === undefined ? -2 : this.intern(`${component}\t~0`);
    const around = this.literals.around(at, (it) => it.start < at);
    const context = around < 0 ? undefined : this.contextOf(around, 0);
    return context === undefined ? -2 : this.intern(context);
  }

  private contextOf(literal: number, depth: number): Expression | undefined {
    const it = this.literals.stretches[literal]!;
    if (depth > MAX_NESTED) return undefined;
    if (it.type) return this.typeOf(it);
    if (it.handed) return this.handedTo(it.handed);
    if (it.of || it.element) {
      const outer = this.literals.around(it.start, (other) => other.start < it.start);
      const context = outer < 0 ? undefined : this.contextOf(outer, depth + 1);
      return context && `${context}\t${it.of ? `.${this.it.text.slice(it.of.start, it.of.end)}` : "[]"}`;
    }
    if (it.value) return this.typeOf(it);
    return this.declaredResult(it.start);
  }

  private declaredResult(at: number): Expression | undefined {
    const symbol = this.functionOf(at);
    return symbol === undefined ? undefined : this.results.get(symbol);
  }

  private intern(expression: Expression): number {
    const known = this.expressions.get(expression);
    if (known !== undefined) return known;
    this.expressions.set(expression, this.expressions.size);
    return this.expressions.size - 1;
  }

  private expressionOf(start: number, end: number): Expression | undefined {
    const chain = readChain(this.it.text, start, end, this.edges);
    if (chain === undefined) return undefined;
    // Ruby's `@name` is a field of the instance.
    const isField = chain.at >= 0 && /^@\p{L}/u.test(chain.root);
    const plain = chain.at < 0 ? chain.root : this.rootOf(chain.root, chain.at);
    const root = isField ? `this\t.${chain.root.slice(1)}` : plain;
    return [root, ...this.telling(chain.steps)].join("\t");
  }

  /** Steps without methods that hand on what they are called on. */
  private telling(steps: readonly string[]): readonly string[] {
    const { passing = [], maker } = this.edges;
    if (passing.length === 0 && maker === undefined) return steps;
    const isPassing = (step: string | undefined) => step?.[0] === "." && passing.includes(step.slice(1));
    const isMade = (step: string | undefined) => maker !== undefined && step === `.${maker}`;
    const kept = steps.filter(
      (step, i) => !isPassing(step) && !(step === "()" && (isPassing(steps[i - 1]) || isMade(steps[i - 1]))),
    );
    return kept.map((step) => (isMade(step) ? "!" : step));
  }

  private rootOf(name: string, at: number): string {
    const to = this.bindings.find(name, at) ?? this.ofClass(name, at);
    if (to === undefined) return name;
    return "local" in to ? `#${to.local}` : `@${to.symbol}`;
  }

  private readResults(): void {
    for (const typed of this.raw.results) {
      const symbol = this.symbolAt.get(typed.at);
      const type = symbol === undefined ? undefined : this.typeOf(typed);
      if (type) this.results.set(symbol!, type);
    }
  }

  /** What each function takes, by position. */
  private parameters(): Map<number, Expression[]> {
    const params = new Map<number, Expression[]>();
    for (const param of this.raw.params.toSorted((a, b) => a.at - b.at)) {
      const symbol = this.functionOf(param.at);
      if (symbol === undefined) continue;
      const written = this.typeOf(param) ?? "";
      // What a type parameter stands for is told by what is handed over.
      const type = param.type && written.startsWith("#") ? "" : written;
      const known = params.get(symbol) ?? [];
      known.push(param.rest && type !== "" ? `…${type}` : type);
      params.set(symbol, known);
    }
    return params;
  }

  private definitions(): Definition[] {
    const params = this.parameters();
    const types = new Map<number, Expression>();
    const note = (symbol: number | undefined, type: Expression | undefined) => {
      if (symbol !== undefined && type && !types.has(symbol)) types.set(symbol, type);
    };
    for (const [symbol, type] of this.results) note(symbol, type);
    for (const typed of [...this.raw.locals, ...this.raw.fields]) {
      const symbol = this.symbolAt.get(typed.at);
      if (symbol !== undefined) note(symbol, this.typeOf(typed));
    }
    for (const { start, end } of this.raw.returns) note(this.functionOf(start), this.expressionOf(start, end));
    return this.it.symbols.map(({ name, kind, parent }, index) => {
      const type = types.get(index);
      const scope = this.scopeOf.get(index);
      const takes = params.get(index);
      return {
        name,
        kind,
        parent: parent ?? -1,
        ...(type !== undefined && { type }),
        ...(scope !== undefined && { scope }),
        ...(takes?.some((it) => it !== "") && { params: takes }),
      };
    });
  }

  /** The symbol whose own function holds the place: not one that stands around a callback. */
  private functionOf(at: number): number | undefined {
    const symbol = this.enclosing(at);
    if (symbol < 0) return undefined;
    const { start } = this.it.symbols[symbol]!.span;
    const inner = this.scopes.stretches[this.scopes.around(at, (it) => it.fn)];
    if (inner === undefined || inner.start < start) return undefined;
    const outer =
      this.scopes.stretches[
        this.scopes.around(inner.start, (it) => it.fn && it !== inner && it.start <= inner.start && it.end >= inner.end)
      ];
    return outer === undefined || outer.start < start ? symbol : undefined;
  }

  private fields(): Facts["fields"] {
    return this.raw.fields.flatMap((field) => {
      const type = this.typeOf(field);
      const owner = this.typeAround(field.at);
      // A type parameter of a call signature stands for what is handed over.
      if (field.name.startsWith("~") && type?.startsWith("#")) return [];
      return type && owner !== undefined ? [{ owner, name: field.name, type }] : [];
    });
  }

  private typeAround(at: number): number | undefined {
    for (let index = this.enclosing(at); index >= 0; index = this.it.symbols[index]!.parent ?? -1) {
      if (TYPES.has(this.it.symbols[index]!.kind)) return index;
    }
    return undefined;
  }

  private typeOf(typed: Partial<Typed>): Expression | undefined {
    const { type, value, item, of, handed, parameter } = typed;
    if (parameter !== undefined) return this.parameterOf(typed, parameter);
    const { text } = this.it;
    const written = type && this.writtenType(type);
    const base = written
      ? written
      : handed
        ? this.handedTo(handed)
        : value && this.expressionOf(value.start, value.end);
    if (!base) return undefined;
    return [base, ...(item ? ["[]"] : []), ...(of ? [`.${text.slice(of.start, of.end)}`] : [])].join("\t");
  }

  /** A parameter of a type that stands for its constraint is a local; other types are kept as they are written. */
  private writtenType({ start, end }: Stretch): Expression | undefined {
    const written = this.readType(this.it.text.slice(start, end), start);
    const to = /^\w+$/.test(written) ? this.bindings.find(written, start) : undefined;
    if (to !== undefined && "local" in to) return `#${to.local}`;
    // Elsewhere in the file the name may mean another type.
    if (to !== undefined && this.scopeOf.has(to.symbol)) return `@${to.symbol}\t!`;
    return written === "" ? undefined : `:${written}`;
  }

  private parameterOf({ type, value, of }: Partial<Typed>, parameter: number): Expression | undefined {
    const around = of ? this.literals.around(of.start, (it) => it.start < of.start) : -1;
    const key = of && `.${this.it.text.slice(of.start, of.end)}`;
    const literal = around < 0 ? undefined : this.contextOf(around, 0);
    const base = type
      ? this.writtenType(type)
      : of
        ? literal && `${literal}\t${key}`
        : value && this.declaredResult(value.start - 1);
    return base && `${base}\t~${parameter}`;
  }

  /** `Self` is the type around it. */
  private readType(text: string, at: number): string {
    const written = typeText(this.edges.types ? this.edges.types(text) : text);
    const owner = /\bSelf\b/.test(written) ? this.typeAround(at) : undefined;
    if (owner === undefined) return written;
    return written.replace(/\bSelf\b/g, this.it.symbols[owner]!.name.replace(/<.*$/s, ""));
  }

  private placeOf(at: number): { line: number; column: number } {
    const { lineStarts } = this.it;
    let low = 0;
    let high = lineStarts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (lineStarts[middle]! <= at) low = middle + 1;
      else high = middle;
    }
    return { line: low, column: at - lineStarts[low - 1]! };
  }
}

/** Objects in objects; deeper ones are data. */
const MAX_NESTED = 6;

function says({ type, value, of, handed }: Typed): number {
  return (type ? 4 : 0) + (value ? 2 : 0) + (of ? 1 : 0) + (handed ? 1 : 0);
}

/** A longer list of type arguments is a comparison. */
const MAX_TYPE_ARGUMENTS = 200;

function afterTypeArguments(text: string, start: number): number {
  let depth = 0;
  for (let i = start; i < text.length && i < start + MAX_TYPE_ARGUMENTS; i++) {
    const char = text[i];
    if (char === "<") depth++;
    else if (char === ">" && text[i - 1] !== "=" && --depth === 0) return i + 1;
    else if (char === ";") return start;
  }
  return start;
}
