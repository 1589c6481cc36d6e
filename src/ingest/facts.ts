/**
 * Reads the facts of a file from the captures of its language's `edges.scm`: imports, uses of names resolved by the file's
 * own scopes, and types of the values they are used on. Other files are not needed.
 */
import type { Language } from "../languages/define.ts";
import type { CodeSymbol } from "../model/code.ts";
import {
  EDGE_KINDS,
  type EdgeKind,
  type Expression,
  type FactDefinition,
  type Facts,
  type ImportFact,
  type ImportItem,
  type RawEdges,
} from "../model/edges.ts";
import type { LanguageEdges } from "../model/language-edges.ts";
import { lineAt } from "../text/lines.ts";
import { afterTypeArguments } from "../text/member-chain.ts";
import { type OutlinedFile, readConnections } from "./connections/connections.ts";
import { collectEdges, type EdgeCaptures, type Use } from "./edge-captures.ts";
import { FactExpressions } from "./fact-expressions.ts";
import { FileNames } from "./file-names.ts";

export function extractFacts({ language, ...source }: FactSource): Facts | undefined {
  const { edges } = language;
  if (edges === undefined) return undefined;
  const raw = collectEdges(source.edges, source.text, edges);
  const symbols = edges.tables ? membersOfTables(source) : source.symbols;
  const it = { ...source, symbols, raw, edges };
  const names = new FileNames(it);
  const expressions = new FactExpressions(it, names);
  const sites = factSites(it, names, expressions);
  const definitions = readDefinitions(it, names, expressions);
  const fields = readFields(it, names, expressions);
  const locals = names.locals.map((local) => expressions.localOf(local));
  const exported = symbols.flatMap(({ kind, name, span }) => (kind === "component" ? defaultExport(name, span) : []));
  const imports = [...raw.imports, ...exported].map(
    ({ at, ...rest }): ImportFact => ({ ...rest, ...lineAndColumn(at, it.lineStarts) }),
  );
  const connections = readConnections({ ...source, language: language.id, uses: raw.uses });
  return {
    ...{ definitions, imports, ...packSites(sites), expressions: expressions.all(), locals, fields },
    ...(connections && { connections }),
  };
}

interface FactSource extends OutlinedFile {
  readonly language: Language;
  readonly edges: RawEdges;
}

/** A component is what others import from its file. */
function defaultExport(name: string, { start }: CodeSymbol["span"]): ImportItem {
  return { module: "", name, local: "", exported: "default", at: start };
}

/** The input of the readers below. */
export interface FactInput extends Omit<FactSource, "edges" | "language" | "path"> {
  readonly raw: EdgeCaptures;
  readonly edges: LanguageEdges;
}

/** `function M.open()` and `M.size = 1` define members, wherever they are written. */
function membersOfTables({ symbols, places, text }: Omit<FactSource, "language" | "path">): CodeSymbol[] {
  return symbols.map((it, i) => {
    if (!/[.:]/.test(text[places[i]! - 1] ?? "")) return it;
    return { ...it, kind: it.kind === "fn" ? "method" : it.kind === "method" ? it.kind : "field" };
  });
}

function lineAndColumn(at: number, lineStarts: readonly number[]): { line: number; column: number } {
  const line = lineAt(lineStarts, at);
  return { line, column: at - lineStarts[line - 1]! };
}

function readDefinitions(it: FactInput, names: FileNames, expressions: FactExpressions): FactDefinition[] {
  const params = parameters(it, names, expressions);
  const types = declaredTypes(it, names, expressions);
  return it.symbols.map(({ name, kind, parent, span }, index) => {
    const isHidden = it.edges.literalTypes && isBehindOverloads(it.symbols, index);
    const type = isHidden ? undefined : types.get(index);
    const scope = names.scopeOf.get(index);
    const takes = isHidden ? undefined : params.get(index);
    return {
      name,
      kind,
      parent: parent ?? -1,
      ...(it.edges.literalTypes && isStatic(kind, it.text.slice(span.start, it.places[index])) && { static: true }),
      ...(type !== undefined && { type }),
      ...(scope !== undefined && { scope }),
      ...(takes?.some((one) => one !== "") && { params: takes }),
    };
  });
}

/** The body of an overloaded function: callers see its overloads only. */
function isBehindOverloads(symbols: readonly CodeSymbol[], index: number): boolean {
  const { name, kind, parent, declaration } = symbols[index]!;
  if (declaration || !FUNCTIONS.has(kind)) return false;
  let before = index - 1;
  while (before > (parent ?? -1) && symbols[before]!.parent !== parent) before--;
  const other = symbols[before];
  return other?.declaration === true && other.name === name && other.parent === parent;
}

const FUNCTIONS: ReadonlySet<string> = new Set(["fn", "method", "constructor"]);

function isStatic(kind: string, head: string): boolean {
  return (kind === "method" || kind === "field") && head.length < 200 && /^(?:\w+\s+)*?static\s/.test(head);
}

/** A declared type takes precedence over the type of a returned value. */
function declaredTypes({ raw }: FactInput, names: FileNames, expressions: FactExpressions): Map<number, Expression> {
  const types = new Map<number, Expression>(expressions.results);
  const note = (symbol: number | undefined, type: Expression | undefined) => {
    if (symbol !== undefined && type && !types.has(symbol)) types.set(symbol, type);
  };
  for (const typed of [...raw.locals, ...raw.fields]) {
    const symbol = names.symbolAt(typed.at);
    if (symbol !== undefined) note(symbol, expressions.typeOf(typed));
  }
  for (const { start, end } of raw.returns) note(names.functionOf(start), expressions.chainAt(start, end));
  return types;
}

/** The parameter types of each function. */
function parameters({ raw }: FactInput, names: FileNames, expressions: FactExpressions): Map<number, Expression[]> {
  const params = new Map<number, Expression[]>();
  for (const param of raw.params.toSorted((a, b) => a.at - b.at)) {
    const symbol = names.functionOf(param.at);
    if (symbol === undefined) continue;
    const written = expressions.typeOf(param) ?? "";
    // The argument determines the type of a type parameter.
    const type = param.type && written.startsWith("#") && !names.hasGenerics ? "" : written;
    const known = params.get(symbol) ?? [];
    known.push(param.rest && type !== "" ? `…${type}` : type);
    params.set(symbol, known);
  }
  return params;
}

function readFields({ raw }: FactInput, names: FileNames, expressions: FactExpressions): Facts["fields"] {
  const fields = raw.fields.flatMap((field) => {
    const type = expressions.typeOf(field);
    const owner = names.typeAround(field.at);
    return type && owner !== undefined ? [{ owner, name: field.name, type }] : [];
  });
  return [
    ...fields,
    ...readGenerics(names),
    ...readBases(raw, names, expressions),
    ...readGuards(raw, names, expressions),
  ];
}

function readGuards({ guards }: FactInput["raw"], names: FileNames, expressions: FactExpressions): Facts["fields"] {
  return guards.flatMap((guard) => {
    const owner = names.symbolAt(guard.at);
    const type = expressions.typeOf(guard);
    return owner !== undefined && type ? [{ owner, name: "is", type }] : [];
  });
}

function readGenerics(names: FileNames): Facts["fields"] {
  if (!names.hasGenerics) return [];
  return names.locals.flatMap(({ generic, at }, i) => {
    const owner = generic ? names.ownerOfGeneric(at) : undefined;
    return owner === undefined ? [] : [{ owner, name: "<", type: `#${i}` }];
  });
}

function readBases({ bases }: FactInput["raw"], names: FileNames, expressions: FactExpressions): Facts["fields"] {
  return bases.flatMap(({ start, end }) => {
    const owner = names.typeAround(start);
    const type = owner === undefined ? undefined : expressions.baseType(start, end);
    return type ? [{ owner: owner!, name: "<:", type }] : [];
  });
}

function factSites(it: FactInput, names: FileNames, expressions: FactExpressions): Site[] {
  const sites: Site[] = [];
  for (const use of it.raw.uses.values()) {
    if (use.tag && it.edges.tagName) {
      sites.push(...attributeSites(use, it, names, expressions));
      continue;
    }
    const site = buildSite(use, it, names, expressions);
    if (site !== undefined) sites.push(site);
    const inner = site && it.edges.fullName && innerModule(site, expressions);
    if (inner) sites.push(inner);
  }
  for (const exported of it.raw.exported) addExported(sites, exported, it, names);
  return sites;
}

/** C#'s `[Order]` may mean `Order` or `OrderAttribute`. */
function attributeSites(use: Use, it: FactInput, names: FileNames, expressions: FactExpressions): Site[] {
  const written = it.text.slice(use.at, use.end);
  return [...new Set([written, it.edges.tagName!(written)])].flatMap(
    (name) => buildSite({ ...use, name, tag: false }, it, names, expressions) ?? [],
  );
}

/** `Shop.Order.Line` may be a module of its own or one inside `Shop.Order`. */
function innerModule(site: Site, expressions: FactExpressions): Site | undefined {
  const dot = site.name.lastIndexOf(".");
  if (dot <= 0 || site.bound !== -1 || !/[A-Z]/.test(site.name[dot + 1] ?? "")) return undefined;
  const receiver = expressions.numberOf(site.name.slice(0, dot));
  return { ...site, name: site.name.slice(dot + 1), bound: -2, receiver };
}

// A separate function: V8 deoptimised the loop for every file.
function buildSite(use: Use, it: FactInput, names: FileNames, expressions: FactExpressions): Site | undefined {
  const { at, role } = use;
  let { name } = use;
  if (it.raw.inImport(at) || name === it.edges.blank) return undefined;
  // A function in a literal is a symbol; as a key it also names a member of the type that the literal must have.
  if (names.symbolAt(at) !== undefined && (role !== "key" || !expressions.literalAround(at))) return undefined;
  if (role === "ref" && names.isLocalAt(at)) return undefined;
  const bound = role === "ref" ? names.meaning(name, at) : -2;
  if (bound === undefined) return undefined;
  if (bound === -1 && it.edges.fullName) name = it.edges.fullName(name, it.raw.imports);
  // `local pairs = pairs`: the second one is a global of the language.
  if (bound === -1 && it.edges.tables && names.isHiddenSymbol(name, at)) return undefined;
  const receiver = use.tag && bound < 0 ? tagReceiver(use, it, expressions) : findReceiver(use, it, expressions);
  const { line, column } = lineAndColumn(at, it.lineStarts);
  return { name, kind: edgeKindNumber(use, it), line, column, from: names.enclosing(at), bound, receiver };
}

const REFERENCES = EDGE_KINDS.indexOf("references");

function addExported(
  sites: Site[],
  { at, name }: FactInput["raw"]["exported"][number],
  it: FactInput,
  names: FileNames,
): void {
  const bound = names.meaning(name, at);
  if (bound === undefined) return;
  const { line, column } = lineAndColumn(at, it.lineStarts);
  sites.push({ name, kind: REFERENCES, line, column, from: names.enclosing(at), bound, receiver: -1 });
}

/** Number of the receiver expression; -1 without a receiver, -2 for a key of an unknown literal. */
function findReceiver(use: Use, it: FactInput, expressions: FactExpressions): number {
  if (use.role === "ref") return -1;
  if (use.role === "member")
    return expressions.numberOf(expressions.narrowed(memberReceiver(use, expressions) ?? outermost(use, it), use.at));
  const literal = keyReceiver(use, expressions);
  return literal === undefined ? -2 : expressions.numberOf(expressions.narrowed(literal, use.at));
}

/** `::Order` is of the top level (Ruby). */
function outermost({ at, recv }: Use, { text, edges }: FactInput): string {
  return edges.maker !== undefined && recv === undefined && text.startsWith("::", at - 2) ? "\\" : "";
}

/** A component that is not imported may be registered elsewhere: only its name is known. */
function tagReceiver({ name }: Use, { raw }: FactInput, expressions: FactExpressions): number {
  return raw.imports.some(({ local }) => local === name) ? -1 : expressions.numberOf("");
}

function memberReceiver(use: Use, expressions: FactExpressions): string | undefined {
  const { recv, handed } = use;
  if (handed) return expressions.handedTo(handed);
  if (recv) return expressions.chainAt(recv.start, recv.end);
  return use.parameter === undefined
    ? expressions.typeOf(use)
    : expressions.typeOf({ at: use.at, type: use.type, value: use.value, parameter: use.parameter });
}

/** A key with a receiver is a property that is passed to it: `<Button label="…">`. */
function keyReceiver({ at, recv }: Use, expressions: FactExpressions): string | undefined {
  if (recv === undefined) return expressions.literalAround(at);
  const component = expressions.chainAt(recv.start, recv.end);
  return component && `${component}\t~0`;
}

function edgeKindNumber({ end, call, set }: Use, { raw, text }: FactInput): number {
  const isCall = call || (!set && isCalled(text, end));
  const kind: EdgeKind = raw.heritage.get(end) ?? (isCall ? "calls" : "references");
  return EDGE_KINDS.indexOf(kind);
}

function isCalled(text: string, end: number): boolean {
  let at = end;
  while (text[at] === " ") at++;
  if (text.startsWith("?.(", at)) return true;
  if (text[at] === "<") at = afterTypeArguments(text, at);
  return text[at] === "(";
}

interface Site {
  readonly name: string;
  /** Position in `EDGE_KINDS`. */
  readonly kind: number;
  readonly line: number;
  readonly column: number;
  readonly from: number;
  readonly bound: number;
  readonly receiver: number;
}

function packSites(list: readonly Site[]): Pick<Facts, "names" | "sites"> {
  // Grouped by name first: sorting all sites as one list took 3 % of a parse worker's time.
  const byName = Map.groupBy(list, (site) => site.name);
  const names = [...byName.keys()].sort();
  const count = list.length;
  const words = () => new Uint32Array(count);
  const sites = {
    count,
    names: words(),
    kinds: new Uint8Array(count),
    lines: words(),
    columns: words(),
    from: new Int32Array(count),
    bound: new Int32Array(count),
    receivers: new Int32Array(count),
  };
  let at = 0;
  for (const [number, name] of names.entries()) {
    for (const site of sortByPosition(byName.get(name)!)) {
      sites.names[at] = number;
      sites.kinds[at] = site.kind;
      sites.lines[at] = site.line;
      sites.columns[at] = site.column;
      sites.from[at] = site.from;
      sites.bound[at] = site.bound;
      sites.receivers[at++] = site.receiver;
    }
  }
  return { names, sites };
}

/** Sorts only if needed: most names have two or three uses, in order. */
function sortByPosition(sites: Site[]): Site[] {
  for (let i = 1; i < sites.length; i++) if (byPosition(sites[i - 1]!, sites[i]!) > 0) return sites.sort(byPosition);
  return sites;
}

function byPosition(a: Site, b: Site): number {
  return a.line - b.line || a.column - b.column;
}
