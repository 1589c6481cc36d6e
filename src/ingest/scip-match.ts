/**
 * Compares a SCIP document with the indexed content of its file, and turns its occurrences into compiler edges. The ranges
 * of another content would hit other names: such a document is refused as a whole.
 */
import { type CodeSymbol, type FileRecord, nameLine } from "../model/code.ts";
import type { CompilerEdges, CompilerTarget, CompilerUse } from "../model/compiler-edges.ts";
import type { Facts } from "../model/edges.ts";
import type { FileRow, Snapshot } from "../ports/snapshot.ts";
import type { DecodedDocument, DecodedOccurrence, PositionEncoding } from "../scip/decode.ts";
import { lineOffset } from "../text/lines.ts";
import { type Descriptor, isModule, lastDescriptor, packageName } from "./scip-symbols.ts";

/** Of a symbol that several places define, all; none: it is not known which symbol of ours it is. */
export type ScipDefinitions = Map<string, readonly DefinedSymbol[]>;

interface DefinedSymbol {
  /** Undefined: it is none of our symbols, as a parameter is. */
  readonly target?: CompilerTarget;
  /** Of a constructor: its type. `new Box()` means both, and is a use of the type here. */
  readonly owner?: CompilerTarget;
}

/** An occurrence with the name that it marks; line 1-based, column 0-based in UTF-16. */
interface MarkedName {
  readonly line: number;
  readonly column: number;
  readonly text: string;
  readonly symbol: string;
  readonly isDefinition: boolean;
  /** Undefined for local symbols. */
  readonly descriptor?: Descriptor;
}

export interface MatchedDocument {
  readonly row: FileRow;
  readonly text: string;
  readonly record: FileRecord;
  readonly names: readonly MarkedName[];
  /** Names by place, of the uses and imports that our own reading found. */
  readonly sites: ReadonlyMap<string, string>;
}

/** Undefined: the document is about another content. */
export async function matchDocument(
  document: DecodedDocument,
  row: FileRow,
  at: Snapshot,
): Promise<MatchedDocument | undefined> {
  const [text, record] = [await at.text(row), await at.record(row)];
  const isMasked = record.problems.some(({ kind }) => kind === "masked_secrets");
  if (document.text !== undefined && document.text !== text && !isMasked) return undefined;
  const [facts] = await at.facts([row]);
  const sites = sitesOf(facts!);
  const lines = text.split("\n");
  for (const encoding of encodingsOf(document, text)) {
    const names = markedNames(document.occurrences, lines, encoding);
    if (names !== undefined && isSameContent(names, sites)) return { row, text, record, names, sites };
  }
  return undefined;
}

/** Programs that do not say count as their implementation language does; only one way makes the names fit. */
function encodingsOf({ encoding }: DecodedDocument, text: string): readonly PositionEncoding[] {
  if (encoding !== undefined) return [encoding];
  return NOT_ASCII.test(text) ? ["utf16", "utf8", "utf32"] : ["utf16"];
}

const NOT_ASCII = /[^\x00-\x7f]/;

function sitesOf({ sites, names, imports }: Facts): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { name, line, column } of imports) found.set(placeKey(line, column), name);
  for (let i = 0; i < sites.count; i++)
    found.set(placeKey(sites.lines[i]!, sites.columns[i]!), names[sites.names[i]!]!);
  return found;
}

function placeKey(line: number, column: number): string {
  return `${line}:${column}`;
}

/** Undefined: a range is outside of the text. What marks no name in a line is left out. */
function markedNames(
  occurrences: readonly DecodedOccurrence[],
  lines: readonly string[],
  encoding: PositionEncoding,
): MarkedName[] | undefined {
  const names: MarkedName[] = [];
  for (const { line, start, endLine, end, symbol, isDefinition } of occurrences) {
    const [from, to] = [columnOf(lines[line], start, encoding), columnOf(lines[endLine], end, encoding)];
    if (from === undefined || to === undefined || endLine < line || (line === endLine && to < from)) return undefined;
    if (line !== endLine || from === to) continue;
    const descriptor = symbol.startsWith("local ") ? undefined : lastDescriptor(symbol);
    const text = lines[line]!.slice(from, to);
    names.push({ line: line + 1, column: from, text, symbol, isDefinition, ...(descriptor && { descriptor }) });
  }
  return names;
}

/** In UTF-16 units. */
function columnOf(line: string | undefined, column: number, encoding: PositionEncoding): number | undefined {
  if (line === undefined) return undefined;
  if (encoding === "utf16" || !NOT_ASCII.test(line)) return column <= line.length ? column : undefined;
  let units = 0;
  let count = 0;
  for (const sign of line) {
    if (count >= column) break;
    count += encoding === "utf32" ? 1 : utf8Length(sign.codePointAt(0)!);
    units += sign.length;
  }
  return count === column ? units : undefined;
}

function utf8Length(code: number): number {
  return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}

/** Programs differ in what they call a few things, so a small part of the names may. */
const MOST_OTHER = { definitions: 0.05, references: 0.2 };

function isSameContent(names: readonly MarkedName[], sites: ReadonlyMap<string, string>): boolean {
  const locals = new Map(names.flatMap((it) => (it.isDefinition && !it.descriptor ? [[it.symbol, it.text]] : [])));
  const counts = { definitions: [0, 0], references: [0, 0] } as const satisfies Record<string, [number, number]>;
  for (const it of names) {
    const { descriptor, text, symbol } = it;
    if (descriptor === undefined ? !locals.has(symbol) : !isPlain(descriptor)) continue;
    const count = it.isDefinition ? counts.definitions : counts.references;
    const isKnown = !it.isDefinition && sites.has(placeKey(it.line, it.column));
    count[0]++;
    if (!isKnown && !(descriptor ? isNameOf(text, descriptor) : locals.get(symbol) === text)) count[1]++;
  }
  return (["definitions", "references"] as const).every(
    (kind) => counts[kind][1] <= MOST_OTHER[kind] * counts[kind][0],
  );
}

/** The name of something that is written as an identifier: no module, no constructor that is called otherwise. */
function isPlain(descriptor: Descriptor): boolean {
  return !isModule(descriptor) && /^[\p{L}_$#][\p{L}\p{N}_$]*$/u.test(descriptor.name);
}

/** `value0` is one of several properties `value`. */
function isNameOf(text: string, { name }: Descriptor): boolean {
  return text === name || (name.startsWith(text) && /^\d+$/.test(name.slice(text.length)));
}

/** The symbols that a document defines; without a match, which of ours they are is not known. */
export function definitionsIn(document: DecodedDocument, matched: MatchedDocument | undefined): ScipDefinitions {
  const found: ScipDefinitions = new Map();
  for (const { symbol, isDefinition } of document.occurrences)
    if (isDefinition && !symbol.startsWith("local ")) found.set(symbol, []);
  for (const it of matched?.names ?? []) {
    if (!it.isDefinition || it.descriptor === undefined || isModule(it.descriptor)) continue;
    const defined = definedBy(it, matched!);
    if (defined !== undefined) found.set(it.symbol, [...(found.get(it.symbol) ?? []), defined]);
  }
  return found;
}

/** Undefined: it may be one of our symbols, but not at this place. */
function definedBy(name: MarkedName, { row, text, record }: MatchedDocument): DefinedSymbol | undefined {
  const offset = lineOffset(text, name.line) + name.column;
  const symbols = record.symbols;
  const target = (index: number): CompilerTarget => [row.path, row.contentHash, index, symbols[index]!.name];
  let found = -1;
  for (const [index, it] of symbols.entries()) {
    if (it.name !== name.text || it.kind === "use" || nameLine(it) !== name.line) continue;
    if (!isInside(it, offset)) continue;
    if (found < 0 || size(it) <= size(symbols[found]!)) found = index;
  }
  if (found < 0) return symbols.some((it) => it.name === name.text && isInside(it, offset)) ? undefined : {};
  const { kind, parent } = symbols[found]!;
  const isConstructor = kind === "constructor" && parent !== undefined;
  return { target: target(found), ...(isConstructor && { owner: target(parent) }) };
}

function isInside({ span }: CodeSymbol, offset: number): boolean {
  return offset >= span.start && offset < span.end;
}

function size({ span }: CodeSymbol): number {
  return span.end - span.start;
}

interface KnownDefinitions {
  readonly definitions: ScipDefinitions;
  /** Names of the packages of the repository. */
  readonly packages: ReadonlySet<string>;
}

export function edgesIn(matched: MatchedDocument, known: KnownDefinitions): Pick<CompilerEdges, "targets" | "uses"> {
  const targets = new Map<string, { readonly target: CompilerTarget; readonly at: number }>();
  const uses = new Map<string, CompilerUse>();
  const locals = localsIn(matched);
  for (const it of matched.names) {
    // A key of a literal is a definition to scip-typescript, also where it sets a declared property.
    if (it.isDefinition) continue;
    for (const meant of meaningsOf(it, locals, known)) {
      const extra = matched.sites.has(placeKey(it.line, it.column)) ? undefined : extraUse(it, meant, matched);
      if (extra === "nothing") continue;
      let place = -1;
      if (meant !== "outside") {
        const key = meant.slice(0, 3).join("\0");
        place = targets.get(key)?.at ?? targets.size;
        targets.set(key, { target: meant, at: place });
      }
      const use = [it.line, it.column, place] as const;
      uses.set(use.join(":"), extra === undefined ? use : [...use, extra]);
    }
  }
  return { targets: [...targets.values()].map(({ target }) => target), uses: [...uses.values()] };
}

/** What a local symbol is, with the text of its definition. */
function localsIn(matched: MatchedDocument): ReadonlyMap<string, DefinedSymbol & { readonly text: string }> {
  const locals = new Map<string, DefinedSymbol & { readonly text: string }>();
  for (const it of matched.names) {
    const defined = it.isDefinition && it.descriptor === undefined ? definedBy(it, matched) : undefined;
    if (defined !== undefined) locals.set(it.symbol, { ...defined, text: it.text });
  }
  return locals;
}

/** None: it is not known what the name means, and our own reading is as good. */
function meaningsOf(
  { symbol, text, descriptor }: MarkedName,
  locals: ReturnType<typeof localsIn>,
  { definitions, packages }: KnownDefinitions,
): readonly (CompilerTarget | "outside")[] {
  if (descriptor === undefined) {
    const local = locals.get(symbol);
    return local === undefined || local.text !== text ? [] : [local.target ?? "outside"];
  }
  if (isModule(descriptor)) return [];
  const defined = definitions.get(symbol);
  if (defined === undefined) return isForeign(symbol, packages) ? ["outside"] : [];
  return defined.map(({ target, owner }) => {
    if (target === undefined) return "outside";
    return owner !== undefined && text !== target[3] && !SELF.has(text) ? owner : target;
  });
}

const SELF: ReadonlySet<string> = new Set(["super", "this", "self", "base"]);

/** A symbol without a package may be one of the repository. */
function isForeign(symbol: string, packages: ReadonlySet<string>): boolean {
  const name = packageName(symbol);
  return name !== "" && !packages.has(name);
}

/** A use that our own reading did not find has to be written with the symbol's name. */
function extraUse(
  { line, column, text }: MarkedName,
  meant: CompilerTarget | "outside",
  matched: MatchedDocument,
): NonNullable<CompilerUse[3]> | "nothing" {
  if (meant === "outside" || text !== meant[3]) return "nothing";
  const offset = lineOffset(matched.text, line) + column;
  let from = -1;
  const { symbols } = matched.record;
  for (const [index, it] of symbols.entries())
    if (it.kind !== "use" && isInside(it, offset)) if (from < 0 || size(it) <= size(symbols[from]!)) from = index;
  return { isCall: /^\s*\(/.test(matched.text.slice(offset + text.length, offset + text.length + 20)), from };
}
