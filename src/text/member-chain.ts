/**
 * Reads an expression as a chain: `await this.pool.get(id)!.user` is a root and steps (see `Expression` in the model).
 * It knows brackets, strings and a few words, no grammar: what it does not understand is undefined, never a guess.
 */
import type { LanguageEdges } from "../model/language-edges.ts";

type ChainSyntax = Pick<
  LanguageEdges,
  | "self"
  | "base"
  | "joints"
  | "namespaces"
  | "builtins"
  | "derefs"
  | "composites"
  | "assertions"
  | "literalTypes"
  | "tables"
  | "maker"
  | "typeCalls"
  | "types"
>;

interface Chain {
  /** A name or a special root: `this`, `super`, `'`, `{`, `:T`, `%m`, `%=m`. */
  readonly root: string;
  /** Offset of the root's name; -1 for special roots. */
  readonly at: number;
  readonly steps: readonly string[];
}

const SPACE = /(?:\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)+/y;

/** Kinds of ASCII characters, so that most of a text needs no regular expression. */
const [IN_NAME, STARTS_NAME, QUOTE, OPENS, CLOSES, SLASH] = [1, 2, 4, 8, 16, 32];
const KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code);
  if (/[\w$]/.test(char)) return /\d/.test(char) ? IN_NAME : IN_NAME | STARTS_NAME;
  if ("\"'`".includes(char)) return QUOTE;
  if ("([{".includes(char)) return OPENS;
  if (")]}".includes(char)) return CLOSES;
  return char === "/" ? SLASH : 0;
});
const [BACKSLASH, NEWLINE, BACKTICK, ASTERISK, DOT] = [0x5c, 0x0a, 0x60, 0x2a, 0x2e];
const [AT_SIGN, HASH, SLASH_CODE, COMMA] = [0x40, 0x23, 0x2f, 0x2c];

/** The last character of the string that begins at `start`; -1 when it does not end. */
function endOfString(text: string, start: number, end: number): number {
  const quote = text.charCodeAt(start);
  const isTriple = quote !== BACKTICK && text.charCodeAt(start + 1) === quote && text.charCodeAt(start + 2) === quote;
  for (let i = start + (isTriple ? 3 : 1); i < end; i++) {
    const code = text.charCodeAt(i);
    if (code === BACKSLASH) i++;
    else if (code === quote) {
      if (!isTriple) return i;
      if (text.charCodeAt(i + 1) === quote && text.charCodeAt(i + 2) === quote) return i + 2;
    } else if (code === NEWLINE && !isTriple && quote !== BACKTICK) return -1;
  }
  return -1;
}

/** After the bracket or string that begins at `open`; undefined when it does not end before `end`. */
function afterBracket(text: string, open: number, end: number): number | undefined {
  let depth = 0;
  for (let i = open; i < end; i++) {
    const code = text.charCodeAt(i);
    const kind = code < 128 ? KINDS[code]! : 0;
    if (kind <= STARTS_NAME + IN_NAME) {
      if (depth > 0) continue;
    } else if (kind === OPENS) depth++;
    else if (kind === CLOSES) depth--;
    else if (kind === QUOTE) {
      i = endOfString(text, i, end);
      if (i < 0) return undefined;
    } else {
      const next = text.charCodeAt(i + 1);
      if (next === SLASH_CODE || next === ASTERISK) i = endOfComment(text, i);
    }
    if (depth <= 0) return i + 1;
  }
  return undefined;
}

/** After the name that begins at a position; the position itself when there is none. */
function afterName(text: string, start: number): number {
  const first = text.charCodeAt(start);
  // An annotation of ECMAScript and Python, a private member, and anything that is not ASCII.
  if (first >= 128 || first === AT_SIGN || first === HASH) return afterWideName(text, start);
  if (!((KINDS[first] ?? 0) & STARTS_NAME)) return start;
  let at = start + 1;
  let code = text.charCodeAt(at);
  for (; code < 128 && KINDS[code]! & IN_NAME; code = text.charCodeAt(at)) at++;
  return code >= 128 ? afterWideName(text, start) : at;
}

/** A literal in a function is compiled when it is first needed: those of Unicode take a millisecond in each thread. */
function afterWideName(text: string, start: number): number {
  const name = /[\p{L}_$@][\p{L}\p{N}_$]*|#[\p{L}_$][\p{L}\p{N}_$]*/uy;
  name.lastIndex = start;
  return name.test(text) ? name.lastIndex : start;
}

function endOfComment(text: string, start: number): number {
  const close = text[start + 1] === "*" ? text.indexOf("*/", start + 2) + 1 : text.indexOf("\n", start);
  return close <= start ? text.length : close;
}

/** Longer expressions are data, not receivers. */
const MAX_CHARS = 6_000;
const MAX_DEPTH = 4;
const QUALIFIED = /^(?:\\?(?:\w+\\)+(\w+)?|\\(\w+)?)/;
const SPREAD = /^\[\s*\.\.\./;

/** Reads `text[start, end)`; undefined when it is no chain. */
export function readChain(text: string, start: number, end: number, syntax: ChainSyntax): Chain | undefined {
  if (end - start > MAX_CHARS) return undefined;
  return plainChain(text, start, end, syntax) ?? new ChainReader(text, end, syntax).whole(start, 0);
}

/** Names with dots between them, which most receivers are; undefined where it takes a reader. */
function plainChain(text: string, start: number, end: number, syntax: ChainSyntax): Chain | undefined {
  let at = afterName(text, start);
  const name = text.slice(start, at);
  if (at === start || at > end || NO_PLAIN_ROOTS.has(name) || KINDS[text.charCodeAt(end)] === QUOTE) return undefined;
  if (!(KINDS[text.charCodeAt(start)]! & STARTS_NAME)) return undefined;
  if (syntax.base.includes(name) || syntax.typeCalls?.includes(name)) return undefined;
  const steps: string[] = [];
  while (at < end) {
    if (text.charCodeAt(at) !== DOT) return undefined;
    const after = afterName(text, at + 1);
    if (after === at + 1 || after > end) return undefined;
    steps.push(`.${text.slice(at + 1, after)}`);
    at = after;
  }
  return syntax.self.includes(name) ? { root: "this", at: -1, steps } : { root: name, at: start, steps };
}

class ChainReader {
  private readonly text: string;
  private readonly end: number;
  private readonly syntax: ChainSyntax;
  private at = 0;

  constructor(text: string, end: number, syntax: ChainSyntax) {
    this.text = text;
    this.end = end;
    this.syntax = syntax;
  }

  whole(start: number, depth: number): Chain | undefined {
    this.at = start;
    this.space();
    if (this.word("await")) {
      this.at += 5;
      const chain = this.whole(this.at, depth);
      return chain && { ...chain, steps: [...chain.steps, "^"] };
    }
    if (this.word("try")) {
      this.at += 3;
      this.space();
    }
    if (this.syntax.derefs) {
      if (this.isBehindSelf()) return undefined;
      this.passDerefs();
    }
    const root = this.root(depth);
    return root && this.rest(root);
  }

  /** `**self` is what the type points to. */
  private isBehindSelf(): boolean {
    const found = /^&?\*\*+(\w+)/.exec(this.text.slice(this.at, Math.min(this.end, this.at + 16)));
    return found !== null && this.syntax.self.includes(found[1]!);
  }

  private passDerefs(): void {
    const found = /^(?:[&*]\s*(?:mut\s+)?)+/.exec(this.text.slice(this.at, Math.min(this.end, this.at + 16)));
    if (found) this.at += found[0].length;
  }

  private root(depth: number): Chain | undefined {
    const char = this.text[this.at];
    if (char === undefined || this.at >= this.end) return undefined;
    if (char === "(") return this.bracketed(depth);
    const list = this.syntax.composites && this.list();
    if (list) return list;
    if (char === "{") return this.literal("{");
    if (char === "[" && SPREAD.test(this.text.slice(this.at, this.at + 40))) return this.spread(depth);
    if (char === "[" || char === '"' || char === "'" || char === "`" || (char >= "0" && char <= "9")) {
      return this.literal("'");
    }
    if (this.word("new")) return this.made();
    const qualified = this.syntax.namespaces && this.qualified();
    if (qualified) return qualified;
    // `::Order` is of the top level.
    const isOutermost = this.syntax.maker !== undefined && this.text.startsWith("::", this.at);
    if (isOutermost) this.at += 2;
    const at = this.at;
    const name = this.name();
    if (name === undefined) return undefined;
    if (isOutermost) return { root: `\\${name}`, at: -1, steps: [] };
    if (NO_CHAINS.has(name)) return undefined;
    if (/^[rbfuRBFU]{1,2}$/.test(name) && /["']/.test(this.text[this.at] ?? "")) return this.literal("'");
    if (this.syntax.builtins && name === "@import") return this.module("%");
    if (this.syntax.builtins && name === "@This") return this.skip() ? { root: "this", at: -1, steps: [] } : undefined;
    if (this.syntax.tables && name === "setmetatable") return this.tableOf();
    if (this.syntax.tables && name === "require") this.space();
    if ((name === "import" || name === "require") && this.isModule())
      return this.module(name === "require" ? "%=" : "%");
    if (name === "import") return undefined;
    if (this.syntax.typeCalls?.includes(name) && this.text[this.at] === "(") return this.typed();
    if (this.syntax.self.includes(name)) return { root: "this", at: -1, steps: [] };
    if (this.syntax.base.includes(name)) return this.baseRoot();
    return { root: name, at, steps: [] };
  }

  /** Python writes `super()`, others `super`. */
  private baseRoot(): Chain | undefined {
    if (this.text[this.at] === "(") this.skip();
    return { root: "super", at: -1, steps: [] };
  }

  /** `[]T{…}`, `map[K]T{…}`: a collection literal with its type. */
  private list(): Chain | undefined {
    if (!this.text.startsWith("[", this.at) && !this.text.startsWith("map[", this.at)) return undefined;
    const list = /(?:(?:map)?\[[^\]{}\n]*\]\*?)+[\p{L}_][\p{L}\p{N}_.]*(?=\{)/uy;
    list.lastIndex = this.at;
    const found = list.exec(this.text);
    if (!found || list.lastIndex >= this.end) return undefined;
    this.at = list.lastIndex;
    const type = typeText(this.syntax.types?.(found[0]) ?? found[0]);
    return type === "" || !this.skip() ? undefined : { root: `:${type}`, at: -1, steps: [] };
  }

  private literal(root: "'" | "{"): Chain | undefined {
    const char = this.text[this.at]!;
    if (char >= "0" && char <= "9") while (/[\w.]/.test(this.text[this.at] ?? "")) this.at++;
    else if (!this.skip()) return undefined;
    return { root, at: -1, steps: [] };
  }

  /** `[...items]` is a copy of the items. */
  private spread(depth: number): Chain | undefined {
    const from = this.text.indexOf("...", this.at) + 3;
    if (depth >= MAX_DEPTH || !this.skip()) return undefined;
    const after = this.at;
    const inner = new ChainReader(this.text, after - 1, this.syntax).whole(from, depth + 1);
    this.at = after;
    return inner ?? { root: "'", at: -1, steps: [] };
  }

  private isModule(): boolean {
    const char = this.text[this.at];
    return char === "(" || (this.syntax.tables === true && (char === '"' || char === "'"));
  }

  /** The table whose fields a value has: `setmetatable({}, T)`, `setmetatable({}, { __index = T })`. */
  private tableOf(): Chain | undefined {
    const from = this.at + 1;
    if (this.text[this.at] !== "(" || !this.skip()) return undefined;
    const found = /,\s*(?:\{\s*__index\s*=\s*)?([A-Za-z_]\w*)\s*\}?\s*$/.exec(this.text.slice(from, this.at - 1));
    if (!found) return undefined;
    if (this.syntax.self.includes(found[1]!)) return { root: "this", at: -1, steps: [] };
    return { root: found[1]!, at: from + found.index + found[0].indexOf(found[1]!), steps: [] };
  }

  private module(root: "%" | "%="): Chain | undefined {
    const from = this.text[this.at] === "(" ? this.at + 1 : this.at;
    if (!this.skip()) return undefined;
    const to = this.text[from - 1] === "(" ? this.at - 1 : this.at;
    const said = /^\s*(["'`])([^"'`$]+)\1\s*$/.exec(this.text.slice(from, to));
    return said ? { root: `${root}${said[2]}`, at: -1, steps: [] } : undefined;
  }

  /** `new(T)`, `.(T)`: the first type in the brackets. */
  private typed(): Chain | undefined {
    const from = this.at + 1;
    if (!this.skip()) return undefined;
    const inside = this.text.slice(from, this.at - 1).split(",")[0]!;
    const type = typeText(this.syntax.types?.(inside) ?? inside);
    return type === "" || type === "type" ? undefined : { root: `:${type}`, at: -1, steps: [] };
  }

  /** `\App\Order` is the type App.Order, `\App\` alone the namespace. */
  private qualified(): Chain | undefined {
    const found = QUALIFIED.exec(this.text.slice(this.at, this.end));
    if (!found) return undefined;
    this.at += found[0].length;
    const isPrefix = (found[1] ?? found[2]) === undefined;
    const root = isPrefix ? `\\${found[0].slice(0, -1)}` : `:${found[0].replaceAll("\\", ".").replace(/^\./, "")}`;
    return { root, at: -1, steps: [] };
  }

  private made(): Chain | undefined {
    this.at += 3;
    this.space();
    const qualified = this.syntax.namespaces && this.qualified();
    if (qualified) return this.text[this.at] === "(" && !this.skip() ? undefined : qualified;
    const at = this.at;
    const name = this.name();
    if (name === undefined) return undefined;
    const steps: string[] = [];
    while (this.text[this.at] === "." && this.at < this.end) {
      this.at++;
      const next = this.name();
      if (next === undefined) return undefined;
      steps.push(`.${next}`);
    }
    const types = this.typeArguments();
    if (types) steps.push(types);
    if (this.text[this.at] === "(" && this.at < this.end) this.skip();
    steps.push("!");
    return this.syntax.self.includes(name) ? undefined : { root: name, at, steps };
  }

  private bracketed(depth: number): Chain | undefined {
    const from = this.at + 1;
    if (depth >= MAX_DEPTH || !this.skip()) return undefined;
    const after = this.at;
    const inner = new ChainReader(this.text, after - 1, this.syntax).whole(from, depth + 1);
    this.at = after;
    return inner;
  }

  /** The steps after a root, to the end of the expression. */
  private rest(root: Chain): Chain | undefined {
    const steps = [...root.steps];
    for (;;) {
      this.space();
      if (this.at >= this.end) return { ...root, steps };
      if (this.syntax.assertions && this.text.startsWith(".(", this.at)) {
        this.at++;
        const asserted = this.typed();
        return asserted && this.rest(asserted);
      }
      const step = this.step();
      if (step === undefined) return this.ending({ ...root, steps });
      if (step !== "") steps.push(step);
    }
  }

  /** Undefined when what follows is no step. */
  private step(): string | undefined {
    const { text } = this;
    const char = text[this.at]!;
    if (char === "(") return this.called();
    if (char === "[") return this.skip() ? "[]" : undefined;
    if (char === "`") return this.skip() ? "()" : undefined;
    if (char === "<") return this.typeArguments();
    if (char === "!" && text[this.at + 1] !== "=") {
      this.at++;
      return "";
    }
    // `?` in Rust returns its operand.
    if (char === "?" && this.at + 1 >= this.end) {
      this.at++;
      return "";
    }
    // `p.?` and `p.*` are p without its wrapping.
    if (this.syntax.builtins && /^\.[?*]/.test(text.slice(this.at, this.at + 2))) {
      this.at += 2;
      return "";
    }
    const joint = this.joint();
    if (joint === 0) return undefined;
    this.at += joint;
    this.space();
    if (text[this.at] === "(" || text[this.at] === "[") return "";
    const name = this.name();
    return name === undefined ? undefined : `.${name}`;
  }

  private called(): string | undefined {
    const from = this.at + 1;
    if (!this.skip()) return undefined;
    return this.syntax.literalTypes ? `(${from}-${this.at - 1}` : "()";
  }

  private joint(): number {
    const { text, at } = this;
    const joint = this.syntax.joints?.find((it) => text.startsWith(it, at));
    if (joint !== undefined) return joint.length;
    if (text[at] === "?" && text[at + 1] === ".") return 2;
    return text[at] === "." && text[at + 1] !== "." ? 1 : 0;
  }

  /** `x as T` is a T; `a ?? b`, `a || b`, `a or b` have the type of `a`. */
  private ending(chain: Chain): Chain | undefined {
    const rest = this.text.slice(this.at, this.end);
    if (this.syntax.composites && /^\{[\s\S]*\}$/.test(rest)) return { ...chain, steps: [...chain.steps, "!"] };
    if (this.syntax.maker !== undefined && /^(?:do\b[\s\S]*\bend|\{[\s\S]*\})$/.test(rest)) return chain;
    // `a = b` is b.
    if (/^=(?![=>~])/.test(rest)) return this.whole(this.at + 1, 0);
    const cast = /^as\s+(?!const\b)([\s\S]+)$/.exec(rest);
    // The last type of `x as unknown as T` counts.
    if (cast) return { root: `:${typeText(cast[1]!.split(/\sas\s/).at(-1)!)}`, at: -1, steps: [] };
    return /^(?:\?\?|\|\||or\b|satisfies\b|as\s+const\b)/.test(rest) ? chain : undefined;
  }

  /** `<A, B<C>>`, when a call or the end follows. */
  private typeArguments(): string | undefined {
    const { text } = this;
    if (text[this.at] !== "<") return undefined;
    let depth = 0;
    for (let i = this.at; i < this.end && i < this.at + 300; i++) {
      const char = text[i]!;
      if (char === "<") depth++;
      else if (char === ">" && text[i - 1] !== "=") depth--;
      else if (char === ";" || char === "&&") return undefined;
      if (depth > 0) continue;
      const next = text[i + 1];
      if (next !== "(" && i + 1 < this.end && next !== "`") return undefined;
      const from = this.at + 1;
      this.at = i + 1;
      return this.syntax.literalTypes ? `<${from}-${i}` : "";
    }
    return undefined;
  }

  /** Skips the bracket or string at the position. */
  private skip(): boolean {
    const after = afterBracket(this.text, this.at, this.end);
    if (after !== undefined) this.at = after;
    return after !== undefined;
  }

  private space(): void {
    const code = this.text.charCodeAt(this.at);
    if (code > 0x20 && code < 128 && KINDS[code] !== SLASH) return;
    SPACE.lastIndex = this.at;
    const found = SPACE.exec(this.text);
    if (found) this.at = Math.min(this.end, SPACE.lastIndex);
  }

  private word(word: string): boolean {
    return this.text.startsWith(word, this.at) && /\s/.test(this.text[this.at + word.length] ?? "");
  }

  private name(): string | undefined {
    const start = this.at;
    const after = afterName(this.text, start);
    if (after === start || after > this.end) return undefined;
    this.at = after;
    return this.text.slice(start, after);
  }
}

/** After the bracket that closes the one at a position; the end of the text if none does. */
export function endOfBracket(text: string, open: number): number {
  return afterBracket(text, open, text.length) ?? text.length;
}

/** The arguments between the brackets of a call. */
export function argumentRanges(text: string, start: number, end: number): { start: number; end: number }[] {
  const ranges: { start: number; end: number }[] = [];
  let from = start;
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    const kind = code < 128 ? KINDS[code]! : 0;
    if (kind === OPENS || kind === QUOTE) at = endOfBracket(text, at) - 1;
    else if (code === COMMA) {
      ranges.push({ start: from, end: at });
      from = at + 1;
    }
  }
  if (text.slice(from, end).trim() !== "") ranges.push({ start: from, end });
  return ranges;
}

/** Anything longer is a comparison, not a list of type arguments. */
const MAX_TYPE_ARGUMENTS = 600;

/** After the type arguments that begin at a position; the position itself if there are none. */
export function afterTypeArguments(text: string, start: number): number {
  let depth = 0;
  for (let i = start; i < text.length && i < start + MAX_TYPE_ARGUMENTS; i++) {
    const char = text[i];
    if (char === "<") depth++;
    else if (char === ">" && text[i - 1] !== "=" && --depth === 0) return i + 1;
    else if (char === ";") return start;
  }
  return start;
}

/** Where the chain begins that ends before `end`; undefined when there is none. For texts that no grammar takes apart. */
export function chainStart(text: string, end: number, joints: readonly string[]): number | undefined {
  let at = end;
  for (;;) {
    while (/[\s?!]/.test(text[at - 1] ?? "")) at--;
    const open = openingBracket(text, at);
    if (open === undefined) return undefined;
    const from = startOfName(text, open);
    if (from === at) return undefined;
    const joint = [".", ...joints].find((it) => text.startsWith(it, lastInk(text, from) - it.length));
    // In brackets alone: `(*self).len`.
    if (joint === undefined || text[lastInk(text, from) - 2] === joint) return from;
    at = lastInk(text, from) - joint.length;
  }
}

/** Before the calls, indexes and type arguments that end at a position. */
function openingBracket(text: string, end: number): number | undefined {
  let at = end;
  let depth = 0;
  while (")]>".includes(text[at - 1] ?? " ")) {
    const from = Math.max(0, end - MAX_CHARS);
    do {
      const char = text[--at];
      if (at < from || char === '"' || char === ";") return undefined;
      if (")]}>".includes(char!)) depth++;
      else if ("([{<".includes(char!)) depth--;
    } while (depth > 0);
    if (text.startsWith("::", at - 2)) at -= 2;
  }
  return at;
}

function startOfName(text: string, end: number): number {
  let at = end;
  while (/[\p{L}\p{N}_$]/u.test(text[at - 1] ?? " ")) at--;
  return at;
}

function lastInk(text: string, end: number): number {
  let at = end;
  while (/\s/.test(text[at - 1] ?? "")) at--;
  return at;
}

/** Keywords that start an expression which is no chain. */
const NO_CHAINS: ReadonlySet<string> = new Set(
  "async function class lambda not typeof void delete yield if true false null undefined None True False".split(" "),
);

/** Words that mean something else at the start of a chain. */
const NO_PLAIN_ROOTS: ReadonlySet<string> = new Set([
  ...NO_CHAINS,
  ...["await", "try", "new", "import", "require", "setmetatable"],
]);

const MAX_TYPE = 1_200;

/** A type as written with folded white space; "" when it is too long to be a name. */
export function typeText(written: string): string {
  if (written.length > 4 * MAX_TYPE) return "";
  const folded = written.replace(/\s+/g, " ").trim();
  return folded.length > MAX_TYPE ? "" : folded;
}
