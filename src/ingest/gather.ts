/**
 * Sorts the captures of an `edges.scm` into what they speak of, one entry for each place of the text.
 *
 * There is an entry for every name of every file, so entries have all their properties, in one order, also those of which
 * nothing is known: objects of many shapes took twice the time to make and to read, and seconds to compile for.
 */
import { EDGE_ROLES, type EdgeKind, type EdgeRole, type ImportItem, type RawEdges } from "../model/edges.ts";
import type { LanguageEdges } from "../model/language-edges.ts";
import type { Stretch } from "./scopes.ts";

/** A name with what is written about its value. */
export interface Typed {
  readonly at: number;
  readonly name: string;
  readonly type: Stretch | undefined;
  readonly value: Stretch | undefined;
  /** One of the value's elements. */
  readonly item: boolean;
  /** The key that is taken out of the value. */
  readonly of: Stretch | undefined;
  /** It is a parameter of a function that is handed to a call: the call, and which of its arguments' parameters. */
  readonly handed: Handed | undefined;
  /** It is this parameter of a function that has the type, stands under the key or is returned. */
  readonly parameter: number | undefined;
}

/** A place in the arguments of a call. */
export interface Handed {
  readonly to: Stretch;
  readonly argument: number;
  /** Of the function that is handed over. */
  readonly parameter: number | undefined;
}

/** An object or array that is written out, and what says what it must be. */
export interface Literal extends Stretch, Pick<Typed, "type" | "value" | "of" | "handed"> {
  readonly element: boolean;
}

export interface Use {
  readonly at: number;
  readonly end: number;
  readonly name: string;
  readonly role: "ref" | "member" | "key";
  readonly call: boolean;
  /** It is given a value in brackets, which is no call: a field in C++'s list of initialisers. */
  readonly set: boolean;
  readonly recv: Stretch | undefined;
  readonly type: Stretch | undefined;
  readonly handed: Handed | undefined;
}

export interface Gathered {
  readonly uses: ReadonlyMap<number, Use>;
  /** Names that a statement exports from this very file. */
  readonly exported: readonly { readonly at: number; readonly name: string }[];
  readonly heritage: ReadonlyMap<number, EdgeKind>;
  readonly scopes: readonly (Stretch & { readonly fn: boolean })[];
  readonly locals: readonly Typed[];
  readonly fields: readonly Typed[];
  readonly results: readonly Typed[];
  readonly params: readonly (Typed & { readonly rest: boolean })[];
  readonly literals: readonly Literal[];
  readonly returns: readonly Stretch[];
  readonly imports: readonly ImportItem[];
  inImport(place: number): boolean;
}

export function gather(raw: RawEdges, text: string, edges: LanguageEdges): Gathered {
  const uses = new Map<number, Use>();
  const heritage = new Map<number, EdgeKind>();
  const scopes: (Stretch & { fn: boolean })[] = [];
  const [locals, fields, results]: [Typed[], Typed[], Typed[]] = [[], [], []];
  const returns: Stretch[] = [];
  const statements: Stretch[] = [];
  const defaults: ImportItem[] = [];
  const name = ({ start, end }: Stretch) => text.slice(start, end);
  const params: (Typed & { rest: boolean })[] = [];
  const literals: Literal[] = [];
  const typed = (at: Stretch, match: Match): Typed => {
    const { type, value, item, of, params } = match;
    const handed = handedOf(match, at.start, text);
    return {
      at: at.start,
      name: match.field && params ? `~${commasBefore(text, params.start, at.start)}` : name(at),
      type,
      value: value ?? item,
      item: item !== undefined,
      of,
      handed,
      parameter: match.local && params && !handed ? commasBefore(text, params.start, at.start) : undefined,
    };
  };
  const match = new Match();
  for (let i = 0; i < raw.roles.length; ) {
    i = match.read(raw, i);
    if (match.param) params.push({ ...typed(match.param, match), rest: text[match.param.start] === "." });
    if (match.literal) {
      literals.push({ ...match.literal, ...typed(match.literal, match), element: match.item !== undefined });
      continue;
    }
    const used = useOf(match, name, text);
    if (used && used.role === "ref" && !IDENTIFIER.test(used.name)) {
      for (const part of namesIn(used)) note(uses, part);
    } else if (used) note(uses, used);
    // `{ name }` uses a name and sets a field of it.
    if (match.ref && match.key) uses.set(-1 - match.key.start, { ...used!, role: "key", call: false });
    if (match.extends) heritage.set(match.extends.end, "extends");
    if (match.implements) heritage.set(match.implements.end, "implements");
    const scope = match.scope ?? match.fn;
    if (scope) scopes.push({ start: scope.start, end: scope.end, fn: match.fn !== undefined });
    if (match.local) locals.push(typed(match.local, match));
    if (match.field) fields.push(typed(match.field, match));
    if (match.result) results.push(typed(match.result, match));
    if (match.return) returns.push(match.return);
    if (match.import) statements.push(match.import);
    if (match.default) {
      const at = match.default.start;
      defaults.push({ module: "", name: name(match.default), local: "", exported: "default", at });
    }
  }
  const { imports, exported, ranges } = readImports(statements, text, edges);
  imports.push(...defaults);
  const inImport = (place: number) => ranges.around(place);
  return { uses, exported, heritage, scopes, locals, fields, results, params, literals, returns, imports, inImport };
}

/** The captures of one match by their roles; read anew for each. */
class Match implements Record<EdgeRole, Stretch | undefined> {
  ref: Stretch | undefined;
  member: Stretch | undefined;
  call: Stretch | undefined;
  key: Stretch | undefined;
  extends: Stretch | undefined;
  implements: Stretch | undefined;
  scope: Stretch | undefined;
  fn: Stretch | undefined;
  local: Stretch | undefined;
  param: Stretch | undefined;
  literal: Stretch | undefined;
  field: Stretch | undefined;
  result: Stretch | undefined;
  return: Stretch | undefined;
  import: Stretch | undefined;
  default: Stretch | undefined;
  recv: Stretch | undefined;
  type: Stretch | undefined;
  value: Stretch | undefined;
  item: Stretch | undefined;
  of: Stretch | undefined;
  args: Stretch | undefined;
  params: Stretch | undefined;
  /** The roles that are taken. */
  private readonly taken: EdgeRole[] = [];

  // V8 takes a field that was never set for a constant, and gives up all it has compiled with that when a language comes
  // that sets it: `gather` was compiled 16 times for a million lines.
  static {
    const every = new Match();
    for (const role of EDGE_ROLES) every[role] = { start: 0, end: 0 };
  }

  /** Reads the match that begins at a capture; returns where the next one begins. */
  read({ roles, starts, ends, matches }: RawEdges, from: number): number {
    for (let role = this.taken.pop(); role !== undefined; role = this.taken.pop()) this[role] = undefined;
    let i = from;
    for (const number = matches[from]; i < roles.length && matches[i] === number; i++) {
      const role = roles[i]!;
      if (this[role] !== undefined) continue;
      this[role] = { start: starts[i]!, end: ends[i]! };
      this.taken.push(role);
    }
    return i;
  }
}

const IDENTIFIER = /^[\p{L}\p{N}_$#@]+$/u;

/** A type in quotes is an expression: `"list[Role]"`. */
function namesIn(use: Use): Use[] {
  const found = use.name.matchAll(/(?<![\w.])[\p{L}_][\p{L}\p{N}_]*/gu);
  return [...found].map(({ 0: name, index }) => {
    const at = use.at + index;
    return { ...use, name, at, end: at + name.length };
  });
}

function useOf(match: Match, name: (at: Stretch) => string, text: string): Use | undefined {
  const at = match.member ?? match.ref ?? match.key ?? match.call;
  if (at === undefined) return undefined;
  const { recv, type, args } = match;
  const handed = handedOf(match, at.start, text);
  const role = match.member || (recv && !match.key) ? "member" : match.key && !match.ref ? "key" : "ref";
  return {
    at: at.start,
    end: at.end,
    name: name(at),
    role,
    call: match.call !== undefined,
    set: match.ref !== undefined && match.value !== undefined,
    recv: args ? undefined : recv,
    type: recv ? undefined : type,
    handed,
  };
}

function handedOf({ args, recv, params }: Match, at: number, text: string): Handed | undefined {
  if (args === undefined || recv === undefined) return undefined;
  const argument = commasBefore(text, args.start, at);
  return { to: recv, argument, parameter: params && commasBefore(text, params.start, at) };
}

/** Commas between an opening bracket and a place inside it that stand in no other bracket. */
function commasBefore(text: string, open: number, place: number): number {
  let depth = 0;
  let commas = 0;
  for (let i = open + 1; i < place; i++) {
    const char = text[i]!;
    if (char === "(" || char === "[" || char === "{") depth++;
    else if (char === ")" || char === "]" || char === "}") depth--;
    else if (char === "," && depth === 0) commas++;
    else if (char === '"' || char === "'" || char === "`") {
      const end = text.indexOf(char, i + 1);
      if (end > 0 && end < place) i = end;
    }
  }
  return commas;
}

const RANK = { ref: 0, key: 1, member: 2 } as const;

/** A plain pattern sees every name; a more telling one of the same place wins. */
function note(uses: Map<number, Use>, use: Use): void {
  const known = uses.get(use.at);
  if (known === undefined) uses.set(use.at, use);
  else {
    const better = RANK[use.role] >= RANK[known.role] ? use : known;
    const call = use.call || known.call;
    uses.set(use.at, better.call === call ? better : { ...better, call });
  }
}

function readImports(statements: readonly Stretch[], text: string, edges: LanguageEdges) {
  const imports: ImportItem[] = [];
  const exported: { at: number; name: string }[] = [];
  const read: Stretch[] = [];
  for (const { start, end } of statements) {
    const items = edges.imports(text.slice(start, end));
    // `exports.json = parser.json` is an assignment like any other.
    if (items.length > 0) read.push({ start, end });
    for (const item of items) {
      const at = start + item.at;
      imports.push({ ...item, at });
      if (item.module === "" && item.name !== "") exported.push({ at, name: item.name });
    }
  }
  return { imports, exported, ranges: new Ranges(read) };
}

/** Stretches that do not overlap, or hardly. */
class Ranges {
  private readonly sorted: readonly Stretch[];

  constructor(stretches: readonly Stretch[]) {
    this.sorted = stretches.toSorted((a, b) => a.start - b.start);
  }

  around(place: number): boolean {
    let low = 0;
    let high = this.sorted.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.sorted[middle]!.start <= place) low = middle + 1;
      else high = middle;
    }
    return low > 0 && this.sorted[low - 1]!.end > place;
  }
}
