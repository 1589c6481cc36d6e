/**
 * Turns the raw definitions of one file into its symbols: nesting, qualified names, signatures, docs. Pure, and linear
 * in the number of definitions once they are sorted. What a definition *is* was decided by the language's query.
 */
import type { Language } from "../languages/define.ts";
import type { CodeSymbol } from "../model/code.ts";
import type { Kind } from "../model/kinds.ts";
import type { Parsed, RawDefinition } from "../ports/grammars.ts";
import { docOf } from "./doc-comment.ts";
import { signatureOf } from "./signature.ts";

const MAX_NAME = 200;
/** Kinds that never enclose another symbol. */
const LEAVES: ReadonlySet<string> = new Set(["use", "package", "heading"]);

interface File {
  readonly language: Language;
  readonly path: string;
  readonly text: string;
}

/** An enclosing symbol while its inside is read. */
interface Open {
  readonly index: number;
  readonly start: number;
  readonly end: number;
}

export function extract(language: Language, path: string, text: string, parsed: Parsed): CodeSymbol[] {
  const file = { language, path, text };
  const definitions = distinct(parsed.definitions);
  const modules = moduleNames(file, definitions);
  const symbols: CodeSymbol[] = [];
  const open: Open[] = [];
  const seen = new Map<string, number>();
  for (const it of definitions) {
    const parent = enclosing(open, it);
    const symbol = symbolOf(file, it, parent, parent === undefined ? undefined : symbols[parent], modules);
    const key = `${symbol.kind} ${symbol.qualifiedName}`;
    const ordinal = seen.get(key) ?? 0;
    seen.set(key, ordinal + 1);
    if (!LEAVES.has(symbol.kind)) open.push({ index: symbols.length, start: it.start, end: it.end });
    symbols.push(ordinal === 0 ? symbol : { ...symbol, ordinal });
  }
  return symbols;
}

function symbolOf(
  file: File,
  it: RawDefinition,
  parentIndex: number | undefined,
  parent: CodeSymbol | undefined,
  modules: ModuleNames,
): CodeSymbol {
  const { language, text } = file;
  const kind = kindOf(language, it, parent);
  const name = nameOf(text, kind, it);
  const signature = signatureOf(text, it, kind);
  const evidence = { name, kind, vis: it.vis, head: signature, parentKind: parent?.kind };
  const { keyword, visibility } = language.visibility(evidence);
  const doc = kind === "use" ? undefined : docOf(language, text, it);
  return {
    kind,
    name,
    qualifiedName: qualified(language, kind, name, it, parent, modules),
    span: { start: it.start, end: it.end, lineStart: it.startRow + 1, lineEnd: it.endRow + 1 },
    ordinal: 0,
    ...(signature && { signature }),
    ...(keyword && { visibilityKeyword: keyword }),
    ...(visibility && { visibility }),
    ...(parentIndex !== undefined && { parent: parentIndex }),
    ...(doc && { doc }),
  };
}

/** Index of the innermost open symbol around `it`; those that ended before are closed on the way. */
function enclosing(open: Open[], it: RawDefinition): number | undefined {
  for (let top = open.at(-1); top; top = open.at(-1)) {
    if (it.start < top.end && it.end <= top.end) break;
    open.pop();
  }
  // `int a, b;` are two symbols with one span: neither encloses the other.
  return open.findLast((top) => top.start !== it.start || top.end !== it.end)?.index;
}

function kindOf(language: Language, it: RawDefinition, parent: CodeSymbol | undefined): Kind {
  if (it.kind !== "fn") return it.kind as Kind;
  const owned =
    it.scope !== undefined ? language.methodOwners.length > 0 : parent && language.methodOwners.includes(parent.kind);
  return owned ? "method" : "fn";
}

function nameOf(text: string, kind: Kind, it: RawDefinition): string {
  const written = text.slice(it.nameStart, Math.min(it.nameEnd, it.nameStart + MAX_NAME)).replace(/\s+/g, " ");
  return kind === "use" ? written.replace(/^["'<]|[>"';]+$/g, "") : written;
}

/** The module part of the names of a file's outermost symbols. */
interface ModuleNames {
  readonly fromPath: string;
  /** `package a.b;`, or a namespace without a body: it holds for the whole file. */
  readonly declared: string | undefined;
}

function moduleNames({ language, path, text }: File, definitions: readonly RawDefinition[]): ModuleNames {
  const fromPath = language.moduleOf(path).join(language.separator);
  const declaration = definitions.find(declaresModule);
  const name = declaration && nameOf(text, "package", declaration).split(/\s*(?:\.|::|\\)\s*/);
  return { fromPath, declared: name?.join(language.separator) };
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
  const scope = it.scope === undefined ? "" : withoutArguments(it.scope);
  const prefix = parent ? parent.qualifiedName : modulePrefix(language, kind, modules);
  return [prefix, scope, name].filter((part) => part !== "").join(language.separator);
}

function modulePrefix(language: Language, kind: Kind, { fromPath, declared }: ModuleNames): string {
  if (!language.declaresModules) return fromPath || (declared ?? "");
  if (declared !== undefined) return declared;
  return kind === "namespace" ? "" : fromPath;
}

/** `Map<K, V>` → `Map`: type arguments say nothing about where a symbol lives. */
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

/** Sorted by place, one definition per name: several patterns of a query may match the same one. */
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
  return { ...other, ...winner };
}

const VAGUE: ReadonlySet<string> = new Set(["const", "var", "field", "property", "type"]);

/** An arrow function in a `const` is a function; a `typedef` of a struct is the struct; a `constructor` is no mere method. */
function specificity({ kind }: RawDefinition): number {
  if (VAGUE.has(kind)) return 0;
  return kind === "fn" || kind === "method" ? 1 : 2;
}
