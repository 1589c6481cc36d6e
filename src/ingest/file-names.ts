/** Resolves names inside a file: which symbol or local a name means at a position, and which symbol encloses it. */
import type { CodeSymbol } from "../model/code.ts";
import { TYPE_KINDS } from "../model/kinds.ts";
import { afterTypeArguments } from "../text/member-chain.ts";
import { attributesEnd } from "./definition-text.ts";
import type { TypedName } from "./edge-captures.ts";
import type { FactInput } from "./facts.ts";

interface SymbolRange extends TextRange {
  readonly index: number;
}

interface ScopeRange extends TextRange {
  readonly fn: boolean;
}

export class FileNames {
  /** Locals that are not symbols, in order. */
  readonly locals: readonly TypedName[];
  /** Start of the scope of each symbol that is visible in a part of the file only. */
  readonly scopeOf = new Map<number, number>();
  /** Some of the locals are type parameters. */
  hasGenerics = false;
  /** Some types are inside of others. */
  hasNested = false;
  private readonly it: FactInput;
  private readonly symbols: NestedRanges<SymbolRange>;
  private readonly scopes: NestedRanges<ScopeRange>;
  private readonly bindings = new Bindings();
  private readonly heads = new Map<number, number>();
  private readonly symbolsAt = new Map<number, number>();
  private readonly localsAt = new Map<number, number>();
  /** Parameters of constructors that are properties. */
  private readonly promoted = new Set<number>();

  constructor(it: FactInput) {
    this.it = it;
    const named = it.symbols.flatMap(({ kind, span }, index) =>
      kind === "use" || kind === "package" ? [] : [{ start: span.start, end: span.end, index }],
    );
    this.symbols = new NestedRanges(named);
    this.scopes = new NestedRanges([{ start: 0, end: it.text.length + 1, fn: false }, ...it.raw.scopes]);
    for (const [index, place] of it.places.entries()) {
      if (!this.isNamedAfter(it.symbols[index]!)) this.symbolsAt.set(place, index);
    }
    this.locals = this.bindLocals();
    this.bindSymbols();
  }

  /** The symbol whose name is at a position. */
  symbolAt(place: number): number | undefined {
    return this.symbolsAt.get(place);
  }

  isLocalAt(place: number): boolean {
    return this.localsAt.has(place);
  }

  private bindLocals(): TypedName[] {
    const locals: TypedName[] = [];
    for (const local of this.it.raw.locals) {
      if (this.symbolsAt.has(local.at) || this.it.raw.inImport(local.at)) continue;
      const known = this.localsAt.get(local.at);
      // Several patterns may match one local; keep the one with the most evidence.
      if (known !== undefined) {
        if (countEvidence(local) > countEvidence(locals[known]!)) locals[known] = local;
        continue;
      }
      // A function that begins with its own name is known around it.
      const isAround = this.it.edges.openTypes ? (it: ScopeRange) => it.start === 0 || it.start < local.at : undefined;
      const scope = this.scopes.ranges[this.scopes.around(local.at, isAround)]!;
      this.localsAt.set(local.at, locals.length);
      const except = this.notSeenIn(local);
      const { start, end } = scope;
      this.bindings.add(local.name, { start, end, to: { local: locals.length }, ...(except && { except }) });
      this.hasGenerics ||= local.generic;
      locals.push(local);
    }
    return locals;
  }

  /** A parameter is not visible in its own type (`item item`) and, in lexical languages, a local not in its own value. */
  private notSeenIn({ type, value, name }: TypedName): readonly TextRange[] | undefined {
    const unseen = [type, this.it.edges.lexical ? value : undefined].filter((it) => it !== undefined);
    const isNamed = unseen.some(({ start, end }) => this.it.text.slice(start, end).includes(name));
    return isNamed ? unseen : undefined;
  }

  private bindSymbols(): void {
    const { symbols, places, raw } = this.it;
    const unseen = new Map(
      this.it.edges.lexical ? raw.locals.map((local) => [local.at, this.notSeenIn(local)] as const) : [],
    );
    for (const [index, symbol] of symbols.entries()) {
      const parent = symbol.parent === undefined ? undefined : symbols[symbol.parent];
      if (this.isListed(symbol, parent)) {
        this.bindListed(index);
        continue;
      }
      // What other files add to a global is looked up with it.
      if (this.isNamedAfter(symbol) || this.it.edges.isGlobal?.(index, symbols, "")) continue;
      if (this.isPromoted(symbol, index)) {
        const { start, end } = this.scopes.ranges[this.scopes.around(places[index]!)]!;
        this.bindings.add(symbol.name, { start, end, to: { symbol: index } });
        this.promoted.add(index);
        continue;
      }
      const { openTypes, fullName } = this.it.edges;
      // Functions of Elixir's `defimpl` are called by their names alone.
      const isOpen =
        (openTypes === true && parent?.kind !== "instance" && !UNNAMED.has(symbol.kind)) ||
        (fullName !== undefined && symbol.kind === "fn");
      if (!(isOpen || isBoundByScope(symbol, parent)) || raw.inImport(places[index]!)) continue;
      const isNested = isTypeIn(parent, symbol);
      this.hasNested ||= isNested;
      // Methods that C++ defines outside of their class find its types through the class.
      if (isNested && ((this.it.edges.prototypes && this.it.edges.implicitSelf) || this.isNestedTwice(symbol))) {
        this.bindings.add(symbol.name, { start: parent.span.start, end: parent.span.end, to: { symbol: index } });
        continue;
      }
      // Clauses of one function may be made in loops, each with a block of its own (Elixir).
      if (parent !== undefined && fullName !== undefined && FUNCTIONS.has(symbol.kind)) {
        this.bindings.add(symbol.name, { start: parent.span.start, end: parent.span.end, to: { symbol: index } });
        continue;
      }
      const { start, end } = symbol.span;
      // An exported symbol belongs to the file, even if a syntax error puts a scope around it.
      const exported = parent === undefined && symbol.visibilityKeyword === "export";
      const at = exported ? 0 : this.scopes.around(start, (it) => it.start < start || it.end > end);
      const scope = this.scopes.ranges[Math.max(0, at)]!;
      if (at > 0) this.scopeOf.set(index, scope.start);
      const except = unseen.get(places[index]!);
      const to = { symbol: index };
      this.bindings.add(symbol.name, { start: scope.start, end: scope.end, to, ...(except && { except }) });
    }
  }

  /** A parameter of a constructor that is a property of the class: its name alone means it, too. */
  private isPromoted({ kind, parent }: CodeSymbol, index: number): boolean {
    const { symbols, places } = this.it;
    if (kind !== "property" || parent === undefined) return false;
    return (
      this.symbols.around(places[index]!, (it) => {
        const around = symbols[it.index]!;
        return around.kind === "constructor" && around.parent === parent;
      }) >= 0
    );
  }

  /** Whether a symbol is a type inside of another. */
  isNested(index: number): boolean {
    const symbol = this.it.symbols[index]!;
    return isTypeIn(symbol.parent === undefined ? undefined : this.it.symbols[symbol.parent], symbol);
  }

  /** Whether types of the file each have a type of that name: it is known only inside its own. */
  private isNestedTwice({ name, parent }: CodeSymbol): boolean {
    const { symbols } = this.it;
    return symbols.some(
      (it) =>
        it.name === name &&
        it.parent !== parent &&
        isTypeIn(it.parent === undefined ? undefined : symbols[it.parent], it),
    );
  }

  /** `impl Order`, Zig's `test Order` and RSpec's `describe Order` use the name of another definition. */
  private isNamedAfter({ kind }: CodeSymbol): boolean {
    return NAMED_AFTER.has(kind);
  }

  private isListed({ kind }: CodeSymbol, parent: CodeSymbol | undefined): boolean {
    return (
      this.it.edges.openEnums !== undefined && kind === "variant" && (parent === undefined || parent.kind === "enum")
    );
  }

  /** Variants of a C enum are names of the scope around it, except for `enum class`. */
  private bindListed(index: number): void {
    const { symbols, text } = this.it;
    const { name, parent } = symbols[index]!;
    const list = parent === undefined ? undefined : symbols[parent]!;
    const outer = list?.parent === undefined ? undefined : symbols[list.parent]!;
    if (outer !== undefined && TYPES.has(outer.kind) && this.it.edges.openEnums === true) return;
    if (list && /^enum\s+(?:class|struct)\b/.test(text.slice(list.span.start, list.span.end))) {
      this.scopeOf.set(index, list.span.start);
      return;
    }
    this.bindings.add(name, { start: 0, end: text.length, to: { symbol: index } });
  }

  /** The binding of a name at a position; undefined when this file has none. */
  find(name: string, at: number): Binding["to"] | undefined {
    return this.bindings.find(name, at) ?? this.ofClass(name, at);
  }

  /** Like `find` but by scopes only: members of a class are not visible as types in its body. */
  findByScope(name: string, at: number): Binding["to"] | undefined {
    return this.bindings.find(name, at);
  }

  /** Whether the name is in the value that a symbol of it is given, which does not see it yet. */
  isHiddenSymbol(name: string, at: number): boolean {
    return this.bindings.hides(name, at);
  }

  /** The symbol that a name means, -1 when it is none of this file; undefined for locals. */
  meaning(name: string, at: number): number | undefined {
    const to = this.find(name, at);
    if (to === undefined) return -1;
    return "symbol" in to ? to.symbol : undefined;
  }

  /** In languages with class scopes: the member that a name in the class body means. */
  private ofClass(name: string, at: number): { symbol: number } | undefined {
    if (!this.it.edges.classScope) return undefined;
    const { symbols, places } = this.it;
    const owner = this.enclosing(at);
    const inside = owner >= 0 && TYPES.has(symbols[owner]!.kind) ? owner : symbols[owner]?.parent;
    if (inside === undefined || !TYPES.has(symbols[inside]!.kind)) return undefined;
    // The class scope is visible in decorators and default values of a method but not in its body.
    if (inside !== owner && this.scopes.around(at, (it) => it.fn && it.start >= symbols[owner]!.span.start) >= 0)
      return undefined;
    // `self.x` names a member that is no name of the class scope.
    const isNamed = (it: CodeSymbol, i: number) => it.name === name && this.it.text[places[i]! - 1] !== ".";
    const symbol = symbols.findIndex((it, i) => it.parent === inside && places[i]! <= at && isNamed(it, i));
    return symbol < 0 ? undefined : { symbol };
  }

  /** The innermost symbol around a position; -1 at the top level. A decorator belongs to what is around the symbol. */
  enclosing(at: number, except?: ReadonlySet<number>): number {
    const found = this.symbols.around(at, (it) => at >= this.headOf(it) && !except?.has(it.index));
    return found < 0 ? -1 : this.symbols.ranges[found]!.index;
  }

  /** Where a symbol begins after its decorators. */
  private headOf({ start, index }: SymbolRange): number {
    if (this.it.text[start] !== "@") return start;
    let head = this.heads.get(index);
    if (head === undefined) {
      head = attributesEnd(this.it.text, start, this.it.places[index]!);
      this.heads.set(index, head);
    }
    return head;
  }

  /** The symbol whose own function contains the position, not one around a callback. */
  functionOf(at: number): number | undefined {
    const symbol = this.enclosing(at, this.promoted);
    if (symbol < 0) return undefined;
    const { start } = this.it.symbols[symbol]!.span;
    const inner = this.scopes.ranges[this.scopes.around(at, (it) => it.fn)];
    if (inner === undefined || inner.start < start) return undefined;
    const isAround = (it: ScopeRange) => it.fn && it !== inner && it.start <= inner.start && it.end >= inner.end;
    const outer = this.scopes.ranges[this.scopes.around(inner.start, isAround)];
    return outer === undefined || outer.start < start ? symbol : undefined;
  }

  /** The innermost function around a position that is no arrow function; the file if there is none. */
  functionWithThis(at: number, inside?: TextRange): ScopeRange {
    const { text } = this.it;
    const isAround = (it: ScopeRange) =>
      it.fn &&
      (!inside || (it !== inside && it.start <= inside.start && it.end >= inside.end)) &&
      !ARROW.test(text.slice(it.start, it.start + HEAD_LENGTH));
    return this.scopes.ranges[Math.max(0, this.scopes.around(at, isAround))]!;
  }

  /** What `this` is: of the type around it, of the literal `@3`; "" in a function that has its own, unless a caller passes it. */
  selfAt(at: number): string {
    const { symbols, text } = this.it;
    const own = this.functionWithThis(at);
    const symbol = symbols[this.enclosing(own.start)];
    if (!own.fn || symbol === undefined) return "this";
    const parent = symbol.parent === undefined ? undefined : symbols[symbol.parent]!.kind;
    const isInner = this.functionWithThis(own.start, own).start >= symbol.span.start;
    if (isInner || (symbol.kind === "fn" && parent !== undefined))
      return HANDED_THIS.test(text.slice(own.end, own.end + HEAD_LENGTH)) ? "this" : "";
    return symbol.kind === "method" && parent !== undefined && !TYPES.has(parent) ? `@${symbol.parent}` : "this";
  }

  /** The symbols that are members of the literal type in a range, from the first to the last. */
  membersIn(start: number, end: number): { readonly first: number; readonly last: number } | undefined {
    const { ranges } = this.symbols;
    const { symbols } = this.it;
    let at = this.symbols.after(start);
    const first = ranges[at];
    if (first === undefined || first.start >= end) return undefined;
    const { parent } = symbols[first.index]!;
    let last = first.index;
    for (; at < ranges.length && ranges[at]!.start < end; at++)
      if (symbols[ranges[at]!.index]!.parent === parent) last = ranges[at]!.index;
    return { first: first.index, last };
  }

  /** Where the innermost scope around a position ends. */
  endOfScope(at: number): number {
    return this.scopes.ranges[
      Math.max(
        0,
        this.scopes.around(at, (it) => it.start < at),
      )
    ]!.end;
  }

  /** The symbol whose own type parameter is at a position; undefined for those of a function type that is written in it. */
  ownerOfGeneric(at: number): number | undefined {
    const index = this.enclosing(at);
    if (index < 0) return undefined;
    const { text, symbols, places } = this.it;
    const from = places[index]! + symbols[index]!.name.length;
    const head = (symbols[index]!.kind === "type" ? TYPE_HEAD : HEAD).exec(text.slice(from, at));
    return head !== null && afterTypeArguments(text, from + head[0].length - 1) > at ? index : undefined;
  }

  /** The innermost type around a position. */
  typeAround(at: number): number | undefined {
    for (let index = this.enclosing(at); index >= 0; index = this.it.symbols[index]!.parent ?? -1) {
      if (TYPES.has(this.it.symbols[index]!.kind)) return index;
    }
    return undefined;
  }
}

/** The head of an arrow function of ECMAScript: a function or a method begins with its word or its name. */
const ARROW = /^(?:async\s*)?(?:[(<]|[\w$]+\s*=>)/;
const HEAD_LENGTH = 80;
/** Behind a function: `.bind(this)`, or the last argument of `forEach`. */
const HANDED_THIS = /^\s*\)?\s*(?:\.bind\(\s*this\b|,\s*this\s*\))/;

/** From a name to its type parameters; a function may be the value of a constant. */
const TYPE_HEAD = /^\s*</;
const HEAD = /^\??\s*(?:(?::[^=;{]*)?=\s*(?:async\s*)?(?:function\s*\w*\s*)?)?</;

function countEvidence({ type, value, of, handed }: TypedName): number {
  return (type ? 4 : 0) + (value ? 2 : 0) + (of ? 1 : 0) + (handed ? 1 : 0);
}

export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** A name that is bound to a local or a symbol inside a range. */
interface Binding extends TextRange {
  /** Ranges inside it where the name is not bound: its own type and value. */
  readonly except?: readonly TextRange[];
  readonly to: { readonly local: number } | { readonly symbol: number };
}

/** Nested ranges with a look-up of the innermost one around a position. */
export class NestedRanges<S extends TextRange> {
  readonly ranges: readonly S[];
  private readonly parents: Int32Array;

  constructor(ranges: readonly S[]) {
    this.ranges = ranges.toSorted((a, b) => a.start - b.start || b.end - a.end);
    this.parents = new Int32Array(ranges.length);
    const open: number[] = [];
    for (const [at, { start, end }] of this.ranges.entries()) {
      while (open.length > 0 && this.ranges[open.at(-1)!]!.end < end) open.pop();
      while (open.length > 0 && this.ranges[open.at(-1)!]!.end <= start) open.pop();
      this.parents[at] = open.at(-1) ?? -1;
      open.push(at);
    }
  }

  /** Index of the first range that starts after `place`. */
  after(place: number): number {
    let low = 0;
    let high = this.ranges.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.ranges[middle]!.start <= place) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Index of the innermost range that contains `place` and passes the test; -1 if there is none. */
  around(place: number, test: (range: S) => boolean = always): number {
    for (let at = this.after(place) - 1; at >= 0; at = this.parents[at]!) {
      const range = this.ranges[at]!;
      if (range.end > place && test(range)) return at;
    }
    return -1;
  }
}

function always(): boolean {
  return true;
}

/** Bindings by name. */
class Bindings {
  private readonly byName = new Map<string, Binding[]>();

  add(name: string, binding: Binding): void {
    const known = this.byName.get(name);
    if (known) known.push(binding);
    else this.byName.set(name, [binding]);
  }

  /** The binding with the smallest range around the position. */
  find(name: string, place: number): Binding["to"] | undefined {
    let best: Binding | undefined;
    for (const it of this.byName.get(name) ?? NONE) {
      if (it.start > place || it.end <= place || it.except?.some((not) => holds(not, place))) continue;
      if (best === undefined || it.end - it.start <= best.end - best.start) best = it;
    }
    return best?.to;
  }

  hides(name: string, place: number): boolean {
    const hidden = (this.byName.get(name) ?? NONE).filter((it) => it.except?.some((not) => holds(not, place)));
    return hidden.some(({ to }) => "symbol" in to);
  }
}

function holds({ start, end }: TextRange, place: number): boolean {
  return start <= place && place < end;
}

const NONE: readonly Binding[] = [];

/** What has no name of its own: the name of an `impl` is a use of the type. */
const NAMED_AFTER: ReadonlySet<string> = new Set(["use", "impl", "extension", "instance", "test"]);
/** Members of a type are resolved through a receiver, not by scope. */
const MEMBERS: ReadonlySet<string> = new Set(["method", "constructor", "field", "property", "variant"]);
const FUNCTIONS: ReadonlySet<string> = new Set(["fn", "macro"]);
const UNNAMED: ReadonlySet<string> = new Set(["use", "package", "heading", "test"]);
/** Kinds whose functions are members. */
const TYPES: ReadonlySet<string> = new Set([...TYPE_KINDS, "impl", "extension", "instance"]);

function isTypeIn(parent: CodeSymbol | undefined, { kind }: CodeSymbol): parent is CodeSymbol {
  return parent !== undefined && TYPES.has(parent.kind) && TYPES.has(kind) && !NAMED_AFTER.has(kind);
}

function isBoundByScope(symbol: CodeSymbol, parent: CodeSymbol | undefined): boolean {
  if (UNNAMED.has(symbol.kind) || MEMBERS.has(symbol.kind)) return false;
  // An associated type is reached through its type: `Self::Item`.
  if (parent?.kind === "impl" && symbol.kind === "type") return false;
  return parent === undefined || !TYPES.has(parent.kind) || TYPES.has(symbol.kind);
}
