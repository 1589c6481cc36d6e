/**
 * Turns the raw definitions of one file into symbols: nesting, qualified names, signatures, docs. Pure, and linear in the
 * number of definitions once they are sorted. The query of the language decides what a definition is.
 */
import type { Language } from "../languages/define.ts";
import type { CodeSymbol } from "../model/code.ts";
import type { Kind } from "../model/kinds.ts";
import type { Parsed, RawDefinition } from "../ports/grammars.ts";
import { extractDoc, extractSignature } from "./definition-text.ts";

const MAX_NAME = 200;
/** Of a name with syntax that `nameOf` drops: a selector with its parameters. */
const MAX_WRITTEN = 800;
/** Kinds that never enclose another symbol. */
const LEAVES: ReadonlySet<string> = new Set(["use", "package"]);

interface DefinitionSource {
  readonly language: Language;
  readonly path: string;
  readonly text: string;
}

/** An enclosing symbol while its members are read. */
interface EnclosingSymbol {
  readonly index: number;
  readonly kind: Kind;
  readonly start: number;
  readonly end: number;
}

/** Appends the offset of each symbol's name to `places`. */
export function extract(
  language: Language,
  path: string,
  text: string,
  parsed: Parsed,
  places: number[] = [],
): CodeSymbol[] {
  const file = { language, path, text };
  const whole = language.component?.(path, text);
  const single = distinct(whole ? [...parsed.definitions, whole] : parsed.definitions);
  const definitions = language.joinsClauses ? joinClauses(file, single) : single;
  const modules = moduleNames(file, definitions);
  const symbols: CodeSymbol[] = [];
  const open: EnclosingSymbol[] = [];
  const seen = new Map<string, number>();
  const members = new Set<string>();
  for (const it of definitions) {
    const around = enclosing(open, it);
    const isAttribute = it.kind === "field" && it.scope === undefined && text[it.nameStart - 1] === ".";
    // A constructor's parameter that makes a property.
    const isPromoted = it.kind === "property" && it.vis !== undefined && symbols[around ?? -1]?.kind === "constructor";
    const parent = isAttribute
      ? ownerOfAttribute(around, symbols, language)
      : isPromoted
        ? symbols[around!]!.parent
        : around;
    // The first assignment is the definition.
    if (isAttribute && (parent === undefined || members.has(`${parent} ${readName(file, it)}`))) continue;
    if (parent !== undefined && isCallInDisguise(it, symbols[parent]!)) continue;
    const symbol = buildSymbol(file, it, parent, parent === undefined ? undefined : symbols[parent], modules);
    const key = `${symbol.kind} ${symbol.qualifiedName}`;
    const ordinal = seen.get(key) ?? 0;
    seen.set(key, ordinal + 1);
    if (!LEAVES.has(symbol.kind)) open.push({ index: symbols.length, kind: symbol.kind, start: it.start, end: it.end });
    if (parent !== undefined) members.add(`${parent} ${symbol.name}`);
    symbols.push(ordinal === 0 ? symbol : { ...symbol, ordinal });
    places.push(it.nameStart);
  }
  return symbols;
}

/** `self.x = …` in a method belongs to its class; in other functions it defines nothing. */
function ownerOfAttribute(
  method: number | undefined,
  symbols: readonly CodeSymbol[],
  { methodOwners }: Language,
): number | undefined {
  const owner = method !== undefined && FUNCTIONS.has(symbols[method]!.kind) ? symbols[method]!.parent : undefined;
  return owner !== undefined && methodOwners.includes(symbols[owner]!.kind) ? owner : undefined;
}

/** Symbols always have all properties, so that V8 sees one shape. */
function buildSymbol(
  file: DefinitionSource,
  it: RawDefinition,
  parentIndex: number | undefined,
  parent: CodeSymbol | undefined,
  modules: ModuleNames,
): CodeSymbol {
  const { language, text } = file;
  const name = readName(file, it);
  const kind = resolveKind(language, it, name, parent);
  const signature = extractSignature(language, text, it, kind);
  const evidence = { name, kind, vis: it.vis, head: signature, parentKind: parent?.kind };
  const { keyword, visibility } = language.visibility(evidence);
  const doc = kind === "use" ? undefined : extractDoc(language, text, it);
  return {
    kind,
    name,
    qualifiedName: qualified(language, kind, name, it, parent, modules),
    span: { start: it.start, end: it.end, lineStart: it.startRow + 1, lineEnd: it.endRow + 1 },
    ordinal: 0,
    signature: signature || undefined,
    visibilityKeyword: keyword || undefined,
    visibility,
    nameLine: nameLineOf(text, it),
    parent: parentIndex,
    doc,
    language: it.language,
    declaration: FUNCTIONS.has(kind) && it.bodyStart === undefined ? true : undefined,
  };
}

/** Undefined if the name is on the first line of the definition. */
function nameLineOf(text: string, { start, startRow, nameStart }: RawDefinition): number | undefined {
  let line = startRow + 1;
  for (let at = text.indexOf("\n", start); at >= 0 && at < nameStart; at = text.indexOf("\n", at + 1)) line++;
  return line === startRow + 1 ? undefined : line;
}

/** Index of the innermost open symbol around `it`; removes symbols that ended before. */
function enclosing(open: EnclosingSymbol[], it: RawDefinition): number | undefined {
  for (let top = open.at(-1); top; top = open.at(-1)) {
    if (it.start < top.end && it.end <= top.end) break;
    open.pop();
  }
  return open.findLast((top) => encloses(top, it))?.index;
}

function encloses(outer: EnclosingSymbol, it: RawDefinition): boolean {
  // `typedef struct node { … } node_t;`: the alias does not enclose the type.
  if (outer.kind === "type" && TYPES.has(it.kind)) return false;
  // `int a, b;` are two symbols with one span: neither encloses the other.
  return outer.start !== it.start || outer.end !== it.end;
}

const TYPES: ReadonlySet<string> = new Set(["struct", "union", "enum", "class"]);

const FUNCTIONS: ReadonlySet<Kind> = new Set(["fn", "method", "constructor"]);

/** Inside a C++ function, `Foo bar(baz);` parses as a prototype and nearly always is a variable. */
function isCallInDisguise(it: RawDefinition, parent: CodeSymbol): boolean {
  return it.kind === "fn" && it.bodyStart === undefined && FUNCTIONS.has(parent.kind);
}

function resolveKind(language: Language, it: RawDefinition, name: string, parent: CodeSymbol | undefined): Kind {
  if (it.kind !== "fn" || it.language !== undefined) return it.kind as Kind;
  const owned =
    it.scope !== undefined ? language.methodOwners.length > 0 : parent && language.methodOwners.includes(parent.kind);
  if (!owned) return "fn";
  const owner = it.scope === undefined ? parent?.name : withoutArguments(it.scope).split(language.separator).at(-1);
  return name === owner ? "constructor" : "method";
}

function readName({ language, text }: DefinitionSource, it: RawDefinition): string {
  if (it.name !== undefined) return it.name;
  const { nameOf } = language;
  const written = text.slice(it.nameStart, Math.min(it.nameEnd, it.nameStart + (nameOf ? MAX_WRITTEN : MAX_NAME)));
  const folded = SPACE.test(written) ? written.replace(/\s+/g, " ") : written;
  const name = it.kind === "use" || QUOTED.test(written) ? folded.replace(/^["'<`]|["'>`;]+$/g, "") : folded;
  return nameOf?.(name, it.kind).slice(0, MAX_NAME) ?? name;
}

const SPACE = /\s/;
const QUOTED = /^["'`]/;

const SEPARATORS = /\s*(?:\.|::|\\)\s*/;

/** The module part of the qualified names of top-level symbols. */
interface ModuleNames {
  readonly fromPath: string;
  /** `package a.b;` or a namespace without a body, which apply to the whole file. */
  readonly declared: string | undefined;
}

function moduleNames(file: DefinitionSource, definitions: readonly RawDefinition[]): ModuleNames {
  const { language, path } = file;
  const fromPath = language.moduleOf(path).join(language.separator);
  const first = definitions.find(declaresModule);
  // Scala may write `package a` and `package b` for `a.b`.
  const declarations =
    first?.kind === "package" ? definitions.filter((it) => it.kind === "package") : first ? [first] : [];
  const parts = declarations.flatMap((it) => readName(file, it).split(SEPARATORS));
  return { fromPath, declared: first && parts.join(language.separator) };
}

function declaresModule(it: RawDefinition): boolean {
  return it.kind === "package" || (it.kind === "namespace" && it.bodyStart === undefined);
}

function qualified(
  language: Language,
  kind: Kind,
  name: string,
  it: RawDefinition,
  parent: CodeSymbol | undefined,
  modules: ModuleNames,
): string {
  if (kind === "use" || declaresModule(it)) return name;
  const scope = it.scope === undefined ? "" : withoutArguments(it.scope).split(SEPARATORS).join(language.separator);
  const prefix = parent ? parent.qualifiedName : modulePrefix(language, kind, modules);
  return joined(joined(prefix, scope, language.separator), name, language.separator);
}

function joined(one: string, other: string, separator: string): string {
  return one === "" ? other : other === "" ? one : one + separator + other;
}

function modulePrefix(language: Language, kind: Kind, { fromPath, declared }: ModuleNames): string {
  if (!language.declaresModules) return fromPath || (declared ?? "");
  if (declared !== undefined) return declared;
  return kind === "namespace" ? "" : fromPath;
}

/** `Map<K, V>` → `Map`. */
function withoutArguments(scope: string): string {
  let depth = 0;
  let kept = "";
  for (const char of scope) {
    if (char === "<" || char === "[") depth++;
    if (depth === 0) kept += char;
    if (char === ">" || char === "]") depth--;
  }
  return kept.trim();
}

/** Adjacent clauses of a function become one definition with the head of the first. */
function joinClauses(file: DefinitionSource, definitions: readonly RawDefinition[]): RawDefinition[] {
  const joined: RawDefinition[] = [];
  for (const it of definitions) {
    const last = joined.at(-1);
    if (
      last?.kind === "fn" &&
      it.kind === "fn" &&
      last.end <= it.start &&
      readName(file, last) === readName(file, it)
    ) {
      joined[joined.length - 1] = { ...last, end: it.end, endRow: it.endRow, bodyStart: last.bodyStart ?? last.end };
    } else joined.push(it);
  }
  return joined;
}

/** Sorted by position, one definition per name: several patterns of a query may match the same one. */
function distinct(definitions: readonly RawDefinition[]): RawDefinition[] {
  const byName = new Map<number, RawDefinition>();
  for (const it of definitions) {
    const known = byName.get(it.nameStart);
    byName.set(it.nameStart, known ? merged(known, it) : it);
  }
  return [...byName.values()].sort((a, b) => a.start - b.start || b.end - a.end || a.nameStart - b.nameStart);
}

function merged(a: RawDefinition, b: RawDefinition): RawDefinition {
  const better = specificity(b) - specificity(a) || b.end - b.start - (a.end - a.start);
  const [winner, other] = better > 0 ? [b, a] : [a, b];
  return {
    ...winner,
    bodyStart: winner.bodyStart ?? other.bodyStart,
    scope: winner.scope ?? other.scope,
    vis: winner.vis ?? other.vis,
    doc: winner.doc ?? other.doc,
  };
}

/**
 * Least specific first: an arrow function in a `const` is a function, a `typedef` of a struct is the struct, and a
 * `constructor` is more specific than a method.
 */
const VAGUE: readonly string[] = ["var", "field", "type", "property", "const", "fn", "method"];

function specificity({ kind }: RawDefinition): number {
  const place = VAGUE.indexOf(kind);
  return place < 0 ? VAGUE.length : place;
}
