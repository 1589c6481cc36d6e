/** Which name means what at a place of a file: scopes as nested stretches, bindings as names with the stretch they hold in. */
import type { CodeSymbol } from "../model/code.ts";

export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** What a name is bound to: a local, or a symbol of the file. */
export interface Binding extends TextRange {
  /** Where the name does not mean it although it stands inside: what it is made from, its type. */
  readonly except?: readonly TextRange[];
  readonly to: { readonly local: number } | { readonly symbol: number };
}

/** Nested stretches that can be asked for the innermost one around a place. */
export class NestedRanges<S extends TextRange> {
  readonly ranges: readonly S[];
  private readonly parents: Int32Array;

  constructor(stretches: readonly S[]) {
    this.ranges = stretches.toSorted((a, b) => a.start - b.start || b.end - a.end);
    this.parents = new Int32Array(stretches.length);
    const open: number[] = [];
    for (const [at, { start, end }] of this.ranges.entries()) {
      while (open.length > 0 && this.ranges[open.at(-1)!]!.end < end) open.pop();
      while (open.length > 0 && this.ranges[open.at(-1)!]!.end <= start) open.pop();
      this.parents[at] = open.at(-1) ?? -1;
      open.push(at);
    }
  }

  /** Position of the innermost stretch that holds `place` and satisfies the test; -1 when none does. */
  around(place: number, test: (stretch: S) => boolean = always): number {
    let low = 0;
    let high = this.ranges.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.ranges[middle]!.start <= place) low = middle + 1;
      else high = middle;
    }
    for (let at = low - 1; at >= 0; at = this.parents[at]!) {
      const stretch = this.ranges[at]!;
      if (stretch.end > place && test(stretch)) return at;
    }
    return -1;
  }
}

function always(): boolean {
  return true;
}

/** Names and where each binding of them holds. */
export class Bindings {
  private readonly byName = new Map<string, Binding[]>();

  add(name: string, binding: Binding): void {
    const known = this.byName.get(name);
    if (known) known.push(binding);
    else this.byName.set(name, [binding]);
  }

  /** The binding with the smallest stretch around the place. */
  find(name: string, place: number): Binding["to"] | undefined {
    let best: Binding | undefined;
    for (const it of this.byName.get(name) ?? NONE) {
      if (it.start > place || it.end <= place || it.except?.some((not) => holds(not, place))) continue;
      if (best === undefined || it.end - it.start <= best.end - best.start) best = it;
    }
    return best?.to;
  }
}

function holds({ start, end }: TextRange, place: number): boolean {
  return start <= place && place < end;
}

const NONE: readonly Binding[] = [];

/** What belongs to a type is reached through a receiver, not by scope. */
export const MEMBERS: ReadonlySet<string> = new Set(["method", "constructor", "field", "property", "variant"]);
const UNNAMED: ReadonlySet<string> = new Set(["use", "package", "heading"]);
/** Symbols whose inside belongs to them: their functions are members whatever they are called. */
export const TYPES: ReadonlySet<string> = new Set([
  "class",
  "struct",
  "interface",
  "trait",
  "enum",
  "impl",
  "protocol",
  "object",
  "record",
  "union",
  "extension",
  "instance",
  "type",
]);

export function isBoundByScope(symbol: CodeSymbol, parent: CodeSymbol | undefined): boolean {
  if (UNNAMED.has(symbol.kind) || MEMBERS.has(symbol.kind)) return false;
  return parent === undefined || !TYPES.has(parent.kind) || TYPES.has(symbol.kind);
}
