/**
 * Groups the captures of an `edges.scm` by what they describe, one entry per position in the text.
 *
 * There is an entry for every name of every file. Entries always have all properties in one order: objects of different
 * shapes took twice as long to create and read.
 */
import { pascalCase } from "../languages/formats/components.ts";
import { EDGE_ROLES, type EdgeKind, type EdgeRole, type ImportItem, type RawEdges } from "../model/edges.ts";
import type { LanguageEdges } from "../model/language-edges.ts";
import { chainStart } from "../text/member-chain.ts";
import { NestedRanges, type TextRange } from "./file-names.ts";

/** A name with the source of its type or value. */
export interface TypedName {
  readonly at: number;
  readonly name: string;
  readonly type: TextRange | undefined;
  readonly value: TextRange | undefined;
  /** It is an element of the value. */
  readonly item: boolean;
  /** The key that is read from the value. */
  readonly of: TextRange | undefined;
  /** It is a parameter of a function that is passed to a call. */
  readonly handed: ArgumentPosition | undefined;
  /** It is this parameter of a function that has the type, is the value of the key, or is returned. */
  readonly parameter: number | undefined;
  /** It is a type parameter. */
  readonly generic: boolean;
}

/** A position in the arguments of a call. */
export interface ArgumentPosition {
  readonly to: TextRange;
  readonly argument: number;
  /** Parameter of the function that is passed. */
  readonly parameter: number | undefined;
}

/** An object or array literal, with the source of its expected type. */
export interface Literal extends TextRange, Pick<TypedName, "type" | "value" | "of" | "handed"> {
  readonly element: boolean;
  /** It is what a function gives. */
  readonly returned: boolean;
}

export interface Use {
  readonly at: number;
  readonly end: number;
  readonly name: string;
  readonly role: "ref" | "member" | "key";
  readonly call: boolean;
  /** It is initialised with brackets, which is no call: a field in a C++ initialiser list. */
  readonly set: boolean;
  /** A component of a template. */
  readonly tag: boolean;
  readonly recv: TextRange | undefined;
  readonly type: TextRange | undefined;
  /** Where the function stands whose parameter it is taken from. */
  readonly value: TextRange | undefined;
  readonly handed: ArgumentPosition | undefined;
  /** It is taken from this parameter of a function that has the type. */
  readonly parameter: number | undefined;
}

/** In a range of the text a condition holds. */
export interface HeldTest extends TextRange {
  readonly when: TextRange;
  /** It holds from the range on, to the end of the block. */
  readonly behind: boolean;
}

export interface EdgeCaptures {
  readonly uses: ReadonlyMap<number, Use>;
  /** Names that a statement exports from this file. */
  readonly exported: readonly { readonly at: number; readonly name: string }[];
  readonly heritage: ReadonlyMap<number, EdgeKind>;
  readonly scopes: readonly (TextRange & { readonly fn: boolean })[];
  readonly locals: readonly TypedName[];
  readonly fields: readonly TypedName[];
  readonly bases: readonly TextRange[];
  /** Functions that confirm a type. */
  readonly guards: readonly TypedName[];
  /** Conditions, and where they hold. */
  readonly tests: readonly HeldTest[];
  readonly results: readonly TypedName[];
  readonly params: readonly (TypedName & { readonly rest: boolean })[];
  readonly literals: readonly Literal[];
  readonly returns: readonly TextRange[];
  readonly imports: readonly ImportItem[];
  inImport(place: number): boolean;
}

export function collectEdges(raw: RawEdges, text: string, edges: LanguageEdges): EdgeCaptures {
  const sorted = new EdgeCollector(text, edges);
  const match = new EdgeMatch();
  for (let i = 0; i < raw.roles.length; ) {
    if (isLoneName(raw, i)) sorted.name(raw.starts[i]!, raw.ends[i++]!);
    else {
      i = match.read(raw, i);
      sorted.take(match);
    }
  }
  const { uses, heritage, scopes, locals, fields, bases, guards, tests, results, params, literals, returns } = sorted;
  const { imports, exported, ranges } = readImports(sorted.statements, text, edges);
  imports.push(...sorted.defaults);
  const inImport = (place: number) => ranges.around(place) >= 0;
  return {
    ...{
      uses,
      exported,
      heritage,
      scopes,
      locals,
      fields,
      bases,
      guards,
      tests,
      results,
      params,
      literals,
      returns,
      imports,
    },
    inImport,
  };
}

function isPlaced({ type, value, of, handed, element, returned }: Literal): boolean {
  return element || returned || (type ?? value ?? of ?? handed) !== undefined;
}

/** Most matches capture a single name and nothing else. */
function isLoneName({ roles, matches }: RawEdges, i: number): boolean {
  return roles[i] === "ref" && (i + 1 === matches.length || matches[i + 1] !== matches[i]);
}

/**
 * Collects the matches. Separate methods: as one loop V8 compiled it half a dozen times in every parse worker, a fifth of
 * all its optimisations.
 */
class EdgeCollector {
  readonly uses = new Map<number, Use>();
  readonly heritage = new Map<number, EdgeKind>();
  readonly scopes: (TextRange & { fn: boolean })[] = [];
  readonly locals: TypedName[] = [];
  readonly fields: TypedName[] = [];
  readonly bases: TextRange[] = [];
  readonly guards: TypedName[] = [];
  readonly tests: HeldTest[] = [];
  readonly results: TypedName[] = [];
  readonly params: (TypedName & { rest: boolean })[] = [];
  private readonly literalsAt = new Map<number, Literal>();
  readonly returns: TextRange[] = [];
  readonly statements: TextRange[] = [];
  readonly defaults: ImportItem[] = [];
  private readonly text: string;
  private readonly edges: LanguageEdges;

  constructor(text: string, edges: LanguageEdges) {
    this.text = text;
    this.edges = edges;
  }

  take(match: EdgeMatch): void {
    if (match.param) this.param(match, match.param);
    if (match.literal) {
      this.literal(match, match.literal);
      return;
    }
    this.use(match);
    this.place(match);
    this.declared(match);
    this.statement(match);
  }

  /** The same as `take` for a match with one name. */
  name(at: number, end: number): void {
    const isName = this.edges.exactNames === true || isIdentifier(this.text, at, end);
    // A number in a macro's body.
    if (isName && this.text[at]! >= "0" && this.text[at]! <= "9") return;
    // The known entry is more specific.
    if (isName && (this.uses.get(at)?.role ?? "ref") !== "ref") return;
    const name = this.text.slice(at, end);
    const recv = this.edges.tokens ? this.receiverBefore(at) : undefined;
    const used: Use = {
      at,
      end,
      name,
      role: recv ? "member" : "ref",
      call: false,
      set: false,
      tag: false,
      recv,
      type: undefined,
      value: undefined,
      handed: undefined,
      parameter: undefined,
    };
    if (isName) addUse(this.uses, used);
    else for (const part of this.namesIn(used)) addUse(this.uses, part);
  }

  /** The names of a type in quotes (`"list[Role]"`), and of a macro's body. */
  private namesIn(use: Use): Use[] {
    const text = /^\w*["']/.test(use.name) ? use.name : use.name.replace(NO_CODE, (it) => " ".repeat(it.length));
    return [...text.matchAll(/(?<!\w)[\p{L}_][\p{L}\p{N}_]*/gu)].flatMap(({ 0: name, index }) => {
      if (this.edges.prototypes && C_WORDS.test(name)) return [];
      const at = use.at + index;
      const recv = this.receiverBefore(at);
      return { ...use, name, at, end: at + name.length, recv, role: recv ? "member" : "ref" };
    });
  }

  private receiverBefore(at: number): TextRange | undefined {
    const { text, edges } = this;
    const { joints = [] } = edges;
    const joint = [".", ...joints].find((it) => text.startsWith(it, at - it.length));
    if (joint === undefined) return undefined;
    const end = at - joint.length;
    // A range or a spread; `x..name` of a cascade is a member of what the row began with.
    if (text.startsWith("..", at - 2))
      return joints.includes("..") && text[at - 3] !== "." ? { start: end, end } : undefined;
    return { start: chainStart(text, end, joints) ?? end, end };
  }

  private param(match: EdgeMatch, at: TextRange): void {
    this.params.push({ ...this.typed(match, at), rest: this.text[at.start] === "." });
  }

  get literals(): readonly Literal[] {
    return [...this.literalsAt.values()];
  }

  private literal(match: EdgeMatch, at: TextRange): void {
    const [element, returned] = [match.item !== undefined, match.return !== undefined];
    const literal = { ...at, ...this.typed(match, at), element, returned };
    // Where a literal is tells what it must be; that it is one does not.
    if (isPlaced(literal) || !this.literalsAt.has(at.start)) this.literalsAt.set(at.start, literal);
  }

  private use(match: EdgeMatch): void {
    const used = readUse(match, this.text);
    if (used?.tag) {
      addUse(this.uses, used);
      return;
    }
    if (used?.role === "ref" && !this.edges.exactNames && !isIdentifier(this.text, used.at, used.end)) {
      for (const part of this.namesIn(used)) addUse(this.uses, part);
    } else if (used) addUse(this.uses, used);
    // `{ name }` uses a name and sets a field of it.
    if (match.ref && match.key) this.uses.set(-1 - match.key.start, { ...used!, role: "key", call: false });
  }

  private place(match: EdgeMatch): void {
    if (match.extends) this.heritage.set(match.extends.end, "extends");
    if (match.implements) this.heritage.set(match.implements.end, "implements");
    const scope = match.scope ?? match.fn;
    const end = match.fn && match.value ? match.value.end : scope?.end;
    if (scope) this.scopes.push({ start: scope.start, end: end!, fn: match.fn !== undefined });
  }

  private declared(match: EdgeMatch): void {
    if (match.local) this.locals.push(this.typed(match, match.local));
    if (match.field) this.fields.push(this.typed(match, match.field));
    if (match.result) this.results.push(this.typed(match, match.result));
    if (match.base) this.bases.push(match.base);
    if (match.guard) this.guards.push(this.typed(match, match.guard));
    const held = match.holds ?? match.unless;
    if (held && match.when) this.tests.push({ ...held, when: match.when, behind: match.unless !== undefined });
  }

  private statement(match: EdgeMatch): void {
    if (match.return) this.returns.push(match.return);
    if (match.import) this.statements.push(match.import);
    if (match.default) {
      const { start, end } = match.default;
      const name = this.text.slice(start, end);
      this.defaults.push({ module: "", name, local: "", exported: "default", at: start });
    }
  }

  private nameOf({ field, local }: EdgeMatch, { start, end }: TextRange): string {
    // A call signature.
    if (field && /[(<]/.test(this.text[start]!)) return "()";
    const written = this.text.slice(start, end);
    if (this.edges.maker === undefined) return written;
    // Ruby's `:name` and `@name`.
    return (local && this.edges.namesOfLocals?.[written]) ?? written.replace(/^(?::|@@?)/, "");
  }

  /** A value that holds the name itself: what follows its `=`, or `in`. */
  private after(range: TextRange | undefined, { start, end }: TextRange): TextRange | undefined {
    if (range === undefined || range.start > start || range.end <= end) return range;
    const found = /^[^=;]*?(?:=|\bin\b)(?!=)/.exec(this.text.slice(end, range.end));
    return found ? { start: end + found[0].length, end: range.end } : undefined;
  }

  private typed(match: EdgeMatch, at: TextRange): TypedName {
    const { text } = this;
    const { of, params } = match;
    const [type, value, item] = [before(match.type, at), this.after(match.value, at), this.after(match.item, at)];
    const handed = readArgument(match, at.start, text);
    return {
      at: at.start,
      name: this.nameOf(match, at),
      type,
      value: value ?? item,
      item: item !== undefined,
      of,
      handed,
      parameter: match.local && params && !handed ? commasBefore(text, params.start, at.start) : undefined,
      generic: match.generic !== undefined,
    };
  }
}

/** Of a range that holds the name itself: what is before it. */
function before(range: TextRange | undefined, { start, end }: TextRange): TextRange | undefined {
  if (range === undefined || range.start >= start || range.end < end) return range;
  return { start: range.start, end: start };
}

/** The ASCII characters of an identifier. */
const PLAIN = Uint8Array.from({ length: 128 }, (_, unit) => (/[\w$#@]/.test(String.fromCharCode(unit)) ? 1 : 0));

function isIdentifier(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const unit = text.charCodeAt(at);
    if (unit >= 128) return /^[\p{L}\p{N}_$#@]+$/u.test(text.slice(start, end));
    if (PLAIN[unit] === 0) return false;
  }
  return end > start;
}

/** Words of C that are no names. */
const C_WORDS =
  /^(?:if|else|do|while|for|switch|case|return|sizeof|throw|struct|union|enum|const|static|void|int|char)$/;
const NO_CODE = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|\/\*[\s\S]*?\*\/|\/\/.*/g;

function readUse(match: EdgeMatch, text: string): Use | undefined {
  const at = match.member ?? match.ref ?? match.key ?? match.tag ?? match.call;
  if (at === undefined) return undefined;
  const { recv, type, value, args, params } = match;
  const handed = readArgument(match, at.start, text);
  const role = match.member || (recv && !match.key) ? "member" : match.key && !match.ref ? "key" : "ref";
  // `:run` of Ruby and `status:` of Elixir are names with a mark.
  const start = role !== "ref" && text[at.start] === ":" ? at.start + 1 : at.start;
  const end = role === "key" ? start + text.slice(start, at.end).replace(/:\s*$/, "").length : at.end;
  return {
    at: start,
    end,
    name: match.tag ? pascalCase(text.slice(start, end)) : text.slice(start, end),
    role,
    tag: match.tag !== undefined,
    call: match.call !== undefined,
    set: match.ref !== undefined && match.value !== undefined,
    recv: args ? undefined : before(recv, at),
    type: recv ? undefined : type,
    handed,
    value: params && !args && !type ? value : undefined,
    parameter: (type ?? value) && params && !args ? commasBefore(text, params.start, at.start) : undefined,
  };
}

function readArgument({ args, recv, params }: EdgeMatch, at: number, text: string): ArgumentPosition | undefined {
  if (args === undefined || recv === undefined) return undefined;
  const argument = commasBefore(text, args.start, at);
  return { to: recv, argument, parameter: params && commasBefore(text, params.start, at) };
}

/** Commas between an opening bracket and a position inside it, not counting nested brackets. */
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

/** A plain pattern matches every name; a more specific one at the same position wins. */
function addUse(uses: Map<number, Use>, use: Use): void {
  const known = uses.get(use.at);
  if (known === undefined) uses.set(use.at, use);
  else {
    const isVague = use.role === known.role && !use.type && !use.recv && !use.handed && (!use.value || known.type);
    const better = RANK[use.role] < RANK[known.role] || isVague ? known : use;
    const call = use.call || known.call;
    uses.set(use.at, better.call === call ? better : { ...better, call });
  }
}

class EdgeMatch implements Record<EdgeRole, TextRange | undefined> {
  ref: TextRange | undefined;
  member: TextRange | undefined;
  tag: TextRange | undefined;
  call: TextRange | undefined;
  key: TextRange | undefined;
  extends: TextRange | undefined;
  implements: TextRange | undefined;
  scope: TextRange | undefined;
  fn: TextRange | undefined;
  when: TextRange | undefined;
  holds: TextRange | undefined;
  unless: TextRange | undefined;
  guard: TextRange | undefined;
  generic: TextRange | undefined;
  base: TextRange | undefined;
  local: TextRange | undefined;
  param: TextRange | undefined;
  literal: TextRange | undefined;
  field: TextRange | undefined;
  result: TextRange | undefined;
  return: TextRange | undefined;
  import: TextRange | undefined;
  default: TextRange | undefined;
  recv: TextRange | undefined;
  type: TextRange | undefined;
  value: TextRange | undefined;
  item: TextRange | undefined;
  of: TextRange | undefined;
  args: TextRange | undefined;
  params: TextRange | undefined;
  /** The roles that are set. */
  private readonly taken: EdgeRole[] = [];

  // V8 treats a field that was never set as a constant and deoptimises when a language sets it: `collectEdges` was compiled
  // 16 times per million lines.
  static {
    const every = new EdgeMatch();
    for (const role of EDGE_ROLES) every[role] = { start: 0, end: 0 };
  }

  /** Reads the match that starts at a capture; returns the start of the next one. */
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

/** Reads the import and export statements of a file. */
function readImports(statements: readonly TextRange[], text: string, edges: LanguageEdges) {
  const imports: ImportItem[] = [];
  const exported: { at: number; name: string }[] = [];
  const read: TextRange[] = [];
  for (const { start, end } of statements) {
    const items = edges.imports(text.slice(start, end));
    // `exports.json = parser.json` is an assignment like any other, and an exported object may hold functions.
    if (items.some(({ module }) => module !== "")) read.push({ start, end });
    else for (const { at, name } of items) read.push({ start: start + at, end: start + at + name.length });
    for (const item of items) {
      const at = start + item.at;
      imports.push({ ...item, at });
      if (item.module === "" && item.name !== "") exported.push({ at, name: item.name });
    }
  }
  return { imports, exported, ranges: new NestedRanges(read) };
}
