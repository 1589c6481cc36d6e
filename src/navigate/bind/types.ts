/** Reads a type as it is written. Knows the common notations, no checker's rules. */

/** A written type, taken apart. */
export type TypeTree =
  | NameTree
  /** `typeof x`: the value's own. */
  | { readonly is: "typeof"; readonly parts: readonly string[] }
  | { readonly is: "list"; readonly of: TypeTree }
  | FunctionTree
  /** `{ a: string }`: its members are these symbols of the file. */
  | { readonly is: "literal"; readonly first: number; readonly last: number }
  | { readonly is: "either"; readonly of: readonly TypeTree[] }
  | { readonly is: "both"; readonly of: readonly TypeTree[] };

export interface NameTree {
  readonly is: "name";
  readonly parts: readonly string[];
  readonly args: readonly TypeTree[];
}

export interface FunctionTree {
  readonly is: "function";
  /** Its own type parameters, by the numbers of their locals. */
  readonly generics: readonly number[];
  readonly params: readonly TypeTree[];
  /** How many of them must be given. */
  readonly required: number;
  /** The last one takes all the rest. */
  readonly rest: boolean;
  readonly result: TypeTree;
}

const parsed = new Map<string, TypeTree | undefined>();
const MAX_PARSED = 20_000;

export function parseType(text: string): TypeTree | undefined {
  const known = parsed.get(text);
  if (known !== undefined || parsed.has(text)) return known;
  if (parsed.size > MAX_PARSED) parsed.clear();
  const tree = whole(text);
  parsed.set(text, tree);
  return tree;
}

/** What cannot be read to its end is not understood. */
function whole(text: string): TypeTree | undefined {
  const scan = new TypeScanner(text);
  const tree = either(scan);
  return scan.ended ? tree : undefined;
}

function either(scan: TypeScanner): TypeTree | undefined {
  const of = separated(scan, "|", both);
  return of && (of.length === 1 ? of[0] : { is: "either", of });
}

function both(scan: TypeScanner): TypeTree | undefined {
  const of = separated(scan, "&", one);
  return of && (of.length === 1 ? of[0] : { is: "both", of });
}

function separated(scan: TypeScanner, mark: string, read: (scan: TypeScanner) => TypeTree | undefined) {
  const of: TypeTree[] = [];
  scan.eat(mark);
  do {
    const tree = read(scan);
    if (tree === undefined) return undefined;
    of.push(tree);
  } while (scan.eat(mark));
  return of;
}

function one(scan: TypeScanner): TypeTree | undefined {
  let tree = atom(scan);
  while (tree !== undefined) {
    if (scan.eat("[]")) tree = { is: "list", of: tree };
    else if (scan.peek("[") && tree.is === "name") {
      if (isLookUp(scan, tree)) return undefined;
      scan.eat("[");
      const args = list(scan, "]");
      if (args === undefined) return undefined;
      tree = { ...tree, args };
    } else return tree;
  }
  return undefined;
}

/** `T["field"]` of TypeScript is some other type; `list[T]` of Python has arguments. */
function isLookUp(scan: TypeScanner, { parts }: NameTree): boolean {
  return scan.follows(/^\[\s*["'`]/) && !/^[a-z]|Literal|Optional|Union|List|Dict|Type|Sequence/.test(parts[0]!);
}

/** Words before a type that leave it what it is. */
const PASSED_OVER: ReadonlySet<string> = new Set(["readonly", "unique", "struct", "const", "mut"]);

function atom(scan: TypeScanner): TypeTree | undefined {
  const quote = ['"', "'", "`"].find((it) => scan.peek(it));
  if (quote !== undefined) return quoted(scan, quote);
  if (scan.peek("(") || scan.peek("<")) return bracketed(scan);
  if (scan.eat("[")) {
    const of = list(scan, "]");
    return of && { is: "list", of: { is: "either", of } };
  }
  if (scan.peek("{")) return literal(scan);
  const name = scan.name();
  if (name === undefined || name === "keyof" || name === "infer") return undefined;
  if (PASSED_OVER.has(name)) return atom(scan);
  if (name === "typeof") return scanTypeof(scan);
  const parts = qualified(scan, name);
  if (!scan.eat("<")) return { is: "name", parts, args: [] };
  const args = list(scan, ">");
  return args && { is: "name", parts, args };
}

/** `{3-5}` has the symbols 3 to 5 as its members. */
function literal(scan: TypeScanner): TypeTree | undefined {
  const found = scan.match(/\{(\d+)-(\d+)\}/y);
  if (found) return { is: "literal", first: Number(found[1]), last: Number(found[2]) };
  return scan.eat("{") && scan.passAll("}") ? UNREAD : undefined;
}

/** `(A | B)`, or a function's type: `<T>(a: A, …rest: B[]) => C`; a call signature has a colon for the arrow. */
function bracketed(scan: TypeScanner): TypeTree | undefined {
  const open = scan.at;
  if (scan.eat("<") && !scan.passAll(">")) return undefined;
  const generics = splitAtCommas(scan.text.slice(open + 1, scan.at - 1)).flatMap(genericOf);
  if (!scan.eat("(")) return undefined;
  const from = scan.at;
  if (!scan.passAll(")")) return undefined;
  const inside = scan.text.slice(from, scan.at - 1);
  if (scan.eat("=>") || scan.eat(":")) return parseFunctionType(inside, resultType(scan), generics);
  scan.at = from;
  const inner = either(scan);
  return scan.eat(")") ? inner : undefined;
}

function genericOf(written: string): number[] {
  const found = /^\s*(?:const\s+)?#(\d+)/.exec(written);
  return found ? [Number(found[1])] : [];
}

/** `x is T` is a boolean. */
function resultType(scan: TypeScanner): TypeTree {
  if (scan.match(/\s*(?:asserts\s+\w+|\w+\s+is\s)/y) && either(scan)) return UNREAD;
  return either(scan) ?? UNREAD;
}

/** A name in quotes is one that is not defined yet (Python); any other string is a value. */
function quoted(scan: TypeScanner, quote: string): TypeTree | undefined {
  const end = scan.text.indexOf(quote, scan.at + 1);
  if (end < 0) return undefined;
  const inner = scan.text.slice(scan.at + 1, end);
  scan.at = end + 1;
  return whole(inner) ?? { is: "name", parts: ["str"], args: [] };
}

function scanTypeof(scan: TypeScanner): TypeTree | undefined {
  const name = scan.name();
  return name === undefined ? undefined : { is: "typeof", parts: qualified(scan, name) };
}

function qualified(scan: TypeScanner, first: string): string[] {
  const parts = [first];
  while (scan.eat(".") || scan.eat("::")) {
    const next = scan.name();
    if (next === undefined) break;
    parts.push(next);
  }
  return parts;
}

function list(scan: TypeScanner, close: string): TypeTree[] | undefined {
  const args: TypeTree[] = [];
  while (!scan.eat(close)) {
    if (scan.ended) return undefined;
    const start = scan.at;
    let arg = either(scan) ?? UNREAD;
    // `A extends B ? C : D` is one of two types; which one is not known here.
    if (arg === UNREAD || !(scan.peek(",") || scan.peek(close))) {
      arg = UNREAD;
      scan.at = start;
      if (!scan.pass(close)) return undefined;
    }
    args.push(arg);
    if (!scan.eat(",") && !scan.peek(close)) return undefined;
  }
  return args;
}

function parseFunctionType(inside: string, result: TypeTree, generics: readonly number[]): FunctionTree {
  // A `this` parameter is given by the receiver.
  const written = splitAtCommas(inside).filter((it) => !/^\s*this\s*:/.test(it));
  const params = written.map((it) => {
    const colon = it.indexOf(":");
    return (colon < 0 ? undefined : whole(it.slice(colon + 1))) ?? UNREAD;
  });
  const rest = written.at(-1)?.trim().startsWith("...") ?? false;
  const optional = written.findIndex((it) => /^\s*(?:\.\.\.|[\w$]+\s*\?|[^:]*=)/.test(it));
  return { is: "function", generics, params, required: optional < 0 ? params.length : optional, rest, result };
}

const UNREAD: TypeTree = { is: "either", of: [] };

/** Whether a part of a type is written in a way that is not understood. */
export function isUnread(tree: TypeTree): boolean {
  return tree === UNREAD;
}

/** `@3` is the file's symbol of that number, `#3` its type parameter. */
const NAME = /[\p{L}_$][\p{L}\p{N}_$]*|[@#]\d+/uy;

class TypeScanner {
  readonly text: string;
  at = 0;

  constructor(text: string) {
    this.text = text;
  }

  get ended(): boolean {
    this.space();
    return this.at >= this.text.length;
  }

  /** Whether what comes next reads so. */
  follows(pattern: RegExp): boolean {
    return pattern.test(this.text.slice(this.at));
  }

  match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found) this.at = pattern.lastIndex;
    return found;
  }

  /** Past the bracket that closes here. */
  passAll(close: string): boolean {
    while (this.at < this.text.length) {
      if (!this.pass(close)) return false;
      if (this.text[this.at++] === close) return true;
    }
    return false;
  }

  /** Past an argument that is not understood. */
  pass(close: string): boolean {
    let depth = 0;
    for (; this.at < this.text.length; this.at++) {
      const char = this.text[this.at]!;
      const isArrow = char === ">" && this.text[this.at - 1] === "=";
      if (depth === 0 && !isArrow && (char === "," || char === close)) return true;
      if ("([{<".includes(char)) depth++;
      else if (")]}".includes(char) || (char === ">" && !isArrow)) depth--;
      if (depth < 0) return false;
    }
    return false;
  }

  name(): string | undefined {
    this.space();
    NAME.lastIndex = this.at;
    const found = NAME.exec(this.text);
    if (!found) return undefined;
    this.at = NAME.lastIndex;
    return found[0];
  }

  peek(token: string): boolean {
    this.space();
    return this.text.startsWith(token, this.at);
  }

  eat(token: string): boolean {
    if (!this.peek(token)) return false;
    this.at += token.length;
    return true;
  }

  private space(): void {
    while (this.text[this.at] === " ") this.at++;
  }
}

function splitAtCommas(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    const char = text[i]!;
    if ("([{<".includes(char)) depth++;
    else if (")]}".includes(char) || (char === ">" && text[i - 1] !== "=")) depth--;
    else if (char === "," && depth === 0) {
      parts.push(text.slice(start, i));
      start = i + 1;
    }
  }
  const last = text.slice(start);
  return last.trim() === "" ? parts : [...parts, last];
}
