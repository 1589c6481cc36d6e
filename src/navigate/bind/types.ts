/** Reads a type as it is written and says which values have it. Knows the common notations, no checker's rules. */

/** A written type, taken apart. */
export type TypeTree =
  | { readonly is: "name"; readonly parts: readonly string[]; readonly args: readonly TypeTree[] }
  /** `typeof x`: the value's own. */
  | { readonly is: "typeof"; readonly parts: readonly string[] }
  | { readonly is: "list"; readonly of: TypeTree }
  | FunctionTree
  | { readonly is: "either"; readonly of: readonly TypeTree[] };

export interface FunctionTree {
  readonly is: "function";
  readonly params: readonly TypeTree[];
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
  const tree = new TypeReader(text).whole();
  parsed.set(text, tree);
  return tree;
}

const NAME = /[\p{L}_$][\p{L}\p{N}_$]*/uy;

class TypeReader {
  private readonly text: string;
  private at = 0;

  constructor(text: string) {
    this.text = text;
  }

  /** What cannot be read to its end is not understood. */
  whole(): TypeTree | undefined {
    const tree = this.either();
    this.space();
    return this.at >= this.text.length ? tree : undefined;
  }

  private either(): TypeTree | undefined {
    const of: TypeTree[] = [];
    this.eat("|") || this.eat("&");
    do {
      const one = this.one();
      if (one === undefined) return undefined;
      of.push(one);
    } while (this.eat("|") || this.eat("&"));
    return of.length === 1 ? of[0] : { is: "either", of };
  }

  private one(): TypeTree | undefined {
    let tree = this.atom();
    while (tree !== undefined) {
      if (this.eat("[]")) tree = { is: "list", of: tree };
      else if (this.peek("[") && tree.is === "name") {
        // `T["field"]` of TypeScript is some other type; `list[T]` of Python has arguments.
        if (
          /^\[\s*["'`]/.test(this.text.slice(this.at)) &&
          !/^[a-z]|Literal|Optional|Union|List|Dict|Type|Sequence/.test(tree.parts[0]!)
        )
          return undefined;
        this.at++;
        const args = this.list("]");
        if (args === undefined) return undefined;
        tree = { ...tree, args };
      } else return tree;
    }
    return undefined;
  }

  private atom(): TypeTree | undefined {
    this.space();
    const quote = this.text[this.at];
    if (quote === '"' || quote === "'" || quote === "`") return this.quoted(quote);
    if (this.peek("(") || this.peek("<")) return this.bracketed();
    if (this.eat("[")) {
      const of = this.list("]");
      return of && { is: "list", of: { is: "either", of } };
    }
    if (this.eat("{")) return undefined;
    const name = this.name();
    if (name === undefined) return undefined;
    if (name === "readonly" || name === "unique" || name === "struct" || name === "const" || name === "mut")
      return this.atom();
    if (name === "typeof") return this.typeOf();
    if (name === "keyof" || name === "infer") return undefined;
    const parts = this.qualified(name);
    if (!this.eat("<")) return { is: "name", parts, args: [] };
    const args = this.list(">");
    return args && { is: "name", parts, args };
  }

  /** `(A | B)`, or a function's type: `<T>(a: A, …rest: B[]) => C`. */
  private bracketed(): TypeTree | undefined {
    if (this.eat("<") && this.list(">") === undefined) return undefined;
    const start = this.at;
    if (!this.eat("(")) return undefined;
    const from = this.at;
    if (!this.passAll(")")) return undefined;
    const inside = this.text.slice(from, this.at - 1);
    if (this.eat("=>")) return functionOf(inside, this.either() ?? UNREAD);
    this.at = start + 1;
    const inner = this.either();
    return this.eat(")") ? inner : undefined;
  }

  /** A name in quotes is one that is not defined yet (Python); any other string is a value. */
  private quoted(quote: string): TypeTree | undefined {
    const end = this.text.indexOf(quote, this.at + 1);
    if (end < 0) return undefined;
    const inner = this.text.slice(this.at + 1, end);
    this.at = end + 1;
    return new TypeReader(inner).whole() ?? { is: "name", parts: ["str"], args: [] };
  }

  private typeOf(): TypeTree | undefined {
    this.space();
    const name = this.name();
    return name === undefined ? undefined : { is: "typeof", parts: this.qualified(name) };
  }

  private qualified(first: string): string[] {
    const parts = [first];
    while (this.eat(".") || this.eat("::")) {
      const next = this.name();
      if (next === undefined) break;
      parts.push(next);
    }
    return parts;
  }

  private list(close: string): TypeTree[] | undefined {
    const args: TypeTree[] = [];
    while (!this.eat(close)) {
      if (this.at >= this.text.length) return undefined;
      const start = this.at;
      const arg = this.either();
      if (arg === undefined) {
        this.at = start;
        if (!this.pass(close)) return undefined;
        args.push(UNREAD);
      } else args.push(arg);
      if (!this.eat(",") && !this.peek(close)) return undefined;
    }
    return args;
  }

  /** Past the bracket that closes here. */
  private passAll(close: string): boolean {
    while (this.at < this.text.length) {
      if (!this.pass(close)) return false;
      if (this.text[this.at++] === close) return true;
    }
    return false;
  }

  /** Past an argument that is not understood. */
  private pass(close: string): boolean {
    let depth = 0;
    for (; this.at < this.text.length; this.at++) {
      const char = this.text[this.at]!;
      if (depth === 0 && (char === "," || char === close)) return true;
      if ("([{<".includes(char)) depth++;
      else if (")]}".includes(char) || (char === ">" && this.text[this.at - 1] !== "=")) depth--;
      if (depth < 0) return false;
    }
    return false;
  }

  private name(): string | undefined {
    this.space();
    NAME.lastIndex = this.at;
    const found = NAME.exec(this.text);
    if (!found) return undefined;
    this.at = NAME.lastIndex;
    return found[0];
  }

  private peek(token: string): boolean {
    this.space();
    return this.text.startsWith(token, this.at);
  }

  private eat(token: string): boolean {
    if (!this.peek(token)) return false;
    this.at += token.length;
    return true;
  }

  private space(): void {
    while (this.text[this.at] === " ") this.at++;
  }
}

function functionOf(inside: string, result: TypeTree): FunctionTree {
  const written = splitAtCommas(inside);
  const params = written.map((it) => {
    const colon = it.indexOf(":");
    return (colon < 0 ? undefined : new TypeReader(it.slice(colon + 1)).whole()) ?? UNREAD;
  });
  return { is: "function", params, rest: written.at(-1)?.trim().startsWith("...") ?? false, result };
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

const UNREAD: TypeTree = { is: "either", of: [] };

function words(text: string): string[] {
  return text.split(" ");
}

/** Types that stand for their argument. */
export const TRANSPARENT: ReadonlySet<string> = new Set([
  "Partial",
  "Required",
  "Readonly",
  "Pick",
  "Omit",
  "NonNullable",
  "Awaited",
  "Optional",
  "Union",
  "ClassVar",
  "Final",
  "Annotated",
  "InstanceType",
  "NoInfer",
  ...words(
    "Box Arc Rc RefCell Cell Mutex RwLock Option Result Cow Pin shared_ptr unique_ptr weak_ptr optional Lazy Nullable",
  ),
]);
/** Types that hold values of their last argument; which other types have arguments does not matter here. */
export const HOLDERS: ReadonlySet<string> = new Set([
  "Promise",
  "PromiseLike",
  "Array",
  "ReadonlyArray",
  "Set",
  "ReadonlySet",
  "Map",
  "ReadonlyMap",
  "WeakMap",
  "Iterable",
  "Record",
  "list",
  "List",
  "set",
  "frozenset",
  "tuple",
  "Tuple",
  "dict",
  "Dict",
  "Sequence",
  "MutableSequence",
  "Mapping",
  "MutableMapping",
  "Collection",
  "Awaitable",
  "defaultdict",
  "DefaultDict",
  "deque",
  "Deque",
  "OrderedDict",
  "WeakSet",
  "AsyncIterable",
  ...words("Vec VecDeque HashMap BTreeMap HashSet BTreeSet ArrayList LinkedList IEnumerable IList ICollection"),
  ...words("IReadOnlyList IReadOnlyCollection Dictionary IDictionary Queue Stack vector map unordered_map deque Seq"),
  ...words("IndexedSeq Vector MutableList MutableMap MutableSet Stream Flow Task ValueTask Future CompletableFuture"),
]);
/** Types that give values of their first argument. */
export const GIVERS: ReadonlySet<string> = new Set([
  "Iterator",
  "IterableIterator",
  "Generator",
  "AsyncIterator",
  "AsyncGenerator",
  "AsyncIterableIterator",
]);
/** Python's word for a class as a value. */
export const CLASS_VALUES: ReadonlySet<string> = new Set(["Type", "type"]);
/** Types of the languages themselves: surely not defined in the view. */
export const BUILT_IN: ReadonlySet<string> = new Set([
  "string",
  "number",
  "boolean",
  "bigint",
  "symbol",
  "void",
  "undefined",
  "null",
  "never",
  "object",
  "Date",
  "RegExp",
  "Error",
  "Function",
  "Buffer",
  "Uint8Array",
  "ArrayBuffer",
  "URL",
  "URLSearchParams",
  "Headers",
  "AbortSignal",
  "AbortController",
  "NodeJS",
  "Object",
  "String",
  "Number",
  "Boolean",
  "Symbol",
  "BigInt",
  "str",
  "int",
  "float",
  "bool",
  "bytes",
  "bytearray",
  "complex",
  "None",
  "range",
  "Path",
  "datetime",
  "Exception",
  "BaseException",
]);
