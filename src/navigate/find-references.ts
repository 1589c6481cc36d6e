/** Finds every use of a symbol, with the line of each site and the symbol around it. */
import { languageById } from "../languages/index.ts";
import type { FileRecord } from "../model/code.ts";
import { type ConnectionKind, parseConnectionKey } from "../model/connections.ts";
import type { ConnectionEdge, Edge, EdgeKind, SymbolLocation } from "../model/edges.ts";
import { CompassError } from "../model/errors.ts";
import { isLongTurn, nextTurn } from "../model/event-loop.ts";
import { type IdSource, symbolHit, symbolId, symbolStableId } from "../model/ids.ts";
import type { ReferenceGaps, ReferenceHit, ReferencesAnswer, ReferencesRequest } from "../model/navigation.ts";
import type { LanguageFiles, LocateAnswer, SymbolHit, TextMatch } from "../model/search.ts";
import type { Snapshot } from "../ports/snapshot.ts";
import { lineOffset } from "../text/lines.ts";
import { connectionsOf } from "./connections.ts";
import { findSymbol } from "./find-symbol.ts";
import { referenceRules, requireEdges } from "./reference-rules.ts";
import { searchReferences } from "./references.ts";
import { unreadLines } from "./unread-lines.ts";

/** Throws `symbol_not_found`, `ambiguous_symbol`, `no_edges_available`. */
export async function references(ask: ReferencesRequest, at: Snapshot, ids: IdSource): Promise<ReferencesAnswer> {
  const key = ask.symbolId === undefined && ask.line === undefined ? parseConnectionKey(ask.name) : undefined;
  if (key !== undefined) return referencesOfKey(key, ask, at, ids);
  requireEdges(at);
  const { record, index } = await findSymbol(ask, at, ids);
  const symbol = { path: record.path, index };
  const withoutReferences = languagesWithoutReferences(at);
  const isWithout = withoutReferences.some(({ language }) => language === record.language);
  const matches = isWithout && (await textMatches(record.symbols[index]!.name, [record.language], at));
  const { edges, limits, doubts } = await searchReferences(symbol, at, referenceRules);
  const connections = await (await connectionsOf(at, referenceRules)).to(symbol);
  const certain = edges.filter(({ resolution }) => resolution !== "name_only");
  const all = [...certain, ...connections, ...edges.slice(certain.length)];
  const unread = all.length > 0 || isWithout ? [] : await unreadLines(record, index, doubts, at);
  return {
    symbol: symbolHit(record, index, ids),
    ...(await pageOfReferences(all, ask, at, ids)),
    withoutReferences,
    limits: unread.length > 0 ? [...limits, UNREAD] : limits,
    ...(matches && { textMatches: matches }),
    ...(unread.length > 0 && { textMatches: unread }),
  };
}

/** At most one sentence: an answer without uses is not known to be complete. */
export async function unreadUses(record: FileRecord, index: number, at: Snapshot): Promise<string[]> {
  const { edges, doubts } = await searchReferences({ path: record.path, index }, at, referenceRules);
  const lines = edges.length > 0 ? [] : await unreadLines(record, index, doubts, at);
  const places = lines.slice(0, NAMED_LINES).map(({ path, line }) => `${path}:${line}`);
  const more = lines.length > NAMED_LINES ? ` and ${lines.length - NAMED_LINES} more` : "";
  const { name } = record.symbols[index]!;
  return places.length === 0 ? [] : [`'${name}' occurs where its meaning is not known: ${places.join(", ")}${more}.`];
}

const NAMED_LINES = 3;

const UNREAD = "No use was bound, but the name occurs in code where its meaning is not known; see text_matches.";

/** Definitions of a key with what serves them, then its uses. */
async function referencesOfKey(
  { kind, key }: { readonly kind: ConnectionKind; readonly key: string },
  ask: ReferencesRequest,
  at: Snapshot,
  ids: IdSource,
): Promise<ReferencesAnswer> {
  const { definitions, uses } = await (await connectionsOf(at, referenceRules)).ofKey(kind, key);
  const all = [...definitions, ...uses];
  const [first] = all;
  if (first === undefined) throw new CompassError("symbol_not_found", { name: ask.name, ref: at.info.ref });
  return {
    symbol: await keyHit(first, at, ids),
    ...(await pageOfReferences(all, ask, at, ids)),
    withoutReferences: [],
    limits: [],
  };
}

/** A key as a symbol: where it is defined, else where it is first used. */
async function keyHit({ kind, name, path, line }: ConnectionEdge, at: Snapshot, ids: IdSource): Promise<SymbolHit> {
  const { language } = (await at.file(path))!;
  const identity = { language, path, kind, qualifiedName: name, ordinal: 0 };
  return {
    symbolId: symbolId(ids.project, identity, ids.hash),
    symbolStableId: symbolStableId(identity, ids.hash),
    path,
    language,
    symbol: {
      kind: "key",
      name,
      qualifiedName: name,
      span: { start: 0, end: 0, lineStart: line, lineEnd: line },
      ordinal: 0,
    },
  };
}

async function pageOfReferences(
  all: readonly (Edge | ConnectionEdge)[],
  { kind, offset = 0, limit }: ReferencesRequest,
  at: Snapshot,
  ids: IdSource,
) {
  const edges = kind === undefined ? all : all.filter((edge) => edge.kind === kind);
  const shown: ReferenceHit[] = [];
  for (const edge of edges.slice(offset, offset + limit)) {
    shown.push(await describeReference(edge, at, ids));
    if (isLongTurn()) await nextTurn();
  }
  return {
    references: shown,
    total: edges.length,
    nameOnly: edges.filter((edge) => edge.resolution === "name_only" && edge.via === undefined).length,
    byCompiler: edges.filter(({ resolution }) => resolution === "compiler").length,
    possible: edges.filter((edge) => "via" in edge && edge.via !== undefined).length,
    connected: edges.filter(isConnection).length,
    byKind: countByKind(edges),
  };
}

function isConnection(edge: Edge | ConnectionEdge): edge is ConnectionEdge {
  return "side" in edge;
}

async function describeReference(edge: Edge | ConnectionEdge, at: Snapshot, ids: IdSource): Promise<ReferenceHit> {
  const file = (await at.file(edge.path))!;
  const [record, text] = [await at.record(file), await at.text(file)];
  const from = edge.from === undefined ? moduleHit(record, ids) : symbolHit(record, edge.from, ids);
  const handler = isConnection(edge) && edge.to !== undefined ? await hitAt(edge.to, at, ids) : undefined;
  return { edge, context: lineAt(text, edge.line), from, ...(handler && { handler }) };
}

async function hitAt({ path, index }: SymbolLocation, at: Snapshot, ids: IdSource): Promise<SymbolHit> {
  return symbolHit(await at.record((await at.file(path))!), index, ids);
}

export function lineAt(text: string, line: number): string {
  const start = lineOffset(text, line);
  const end = text.indexOf("\n", start);
  return text.slice(start, end < 0 ? text.length : end).trim();
}

/** The file itself, for uses at its top level. */
export function moduleHit({ path, language, lineCount }: FileRecord, ids: IdSource): SymbolHit {
  const { moduleOf, separator } = languageById(language) ?? { moduleOf: () => [path], separator: "." };
  const parts = moduleOf(path);
  const name = parts.at(-1) ?? path;
  const qualifiedName = parts.join(separator) || name;
  const identity = { language, path, kind: "module", qualifiedName, ordinal: 0 };
  const span = { start: 0, end: 0, lineStart: 1, lineEnd: Math.max(1, lineCount) };
  return {
    symbolId: symbolId(ids.project, identity, ids.hash),
    symbolStableId: symbolStableId(identity, ids.hash),
    path,
    language,
    symbol: { kind: "module", name, qualifiedName, span, ordinal: 0 },
  };
}

function countByKind(edges: readonly (Edge | ConnectionEdge)[]): ReferencesAnswer["byKind"] {
  const byKind: Partial<Record<EdgeKind | ConnectionKind, number>> = {};
  for (const { kind } of edges) byKind[kind] = (byKind[kind] ?? 0) + 1;
  return byKind;
}

/**
 * Languages of the view whose definitions are known and whose uses are not. A name is looked up as text in their files, so
 * that "no uses" is never reported for files that were not read.
 */
export function languagesWithoutReferences({ info }: Snapshot): LanguageFiles[] {
  return info.languages.filter(({ language }) => {
    const it = languageById(language);
    return it !== undefined && it.edges === undefined && (it.grammar ?? it.read) !== undefined && !it.prose;
  });
}

/** What an answer about symbols of some languages could not look at. */
export function gapsOf(languages: readonly string[], limits: Iterable<string>, at: Snapshot): ReferenceGaps {
  const withoutReferences = languagesWithoutReferences(at);
  const reasons = [...limits];
  const isWithout = withoutReferences.some(({ language }) => languages.includes(language));
  return { withoutReferences, limits: reasons, isPartial: isWithout || reasons.length > 0 };
}

/** Languages of the view whose definitions are not known. */
export function languagesWithoutSymbols({ info }: Snapshot): LanguageFiles[] {
  return info.languages.filter(({ language }) => {
    const it = languageById(language);
    return it === undefined || (it.grammar === undefined && it.read === undefined && it.id !== "text");
  });
}

/** Lines that hold a name that no symbol has, in files whose definitions are not known. */
export async function undefinedInText(name: string, at: Snapshot): Promise<LocateAnswer["inText"]> {
  const languages = languagesWithoutSymbols(at);
  if (languages.length === 0) return undefined;
  const matches = await textMatches(
    name,
    languages.map(({ language }) => language),
    at,
  );
  return { languages, matches };
}

const MAX_MATCHES = 100;
/** Files that are read; the answer is partial anyway. */
const MAX_FILES = 2_000;

/** Lines with the name as a whole word, in files of some languages. */
export async function textMatches(
  name: string,
  languages: readonly string[],
  at: Snapshot,
): Promise<readonly TextMatch[]> {
  const files = (await at.files()).filter((file) => languages.includes(file.language));
  const found: TextMatch[] = [];
  for (const file of files.slice(0, MAX_FILES)) {
    const lines = (await at.text(file)).split("\n");
    for (const [i, text] of lines.entries())
      if (isNamedIn(text, name)) found.push({ path: file.path, line: i + 1, context: text.trim() });
    if (found.length >= MAX_MATCHES) break;
    if (isLongTurn()) await nextTurn();
  }
  return found.slice(0, MAX_MATCHES);
}

const WORD = /[\p{L}\p{N}_]/u;

function isNamedIn(text: string, name: string): boolean {
  for (let i = text.indexOf(name); i >= 0; i = text.indexOf(name, i + 1))
    if (!WORD.test(text[i - 1] ?? "") && !WORD.test(text[i + name.length] ?? "")) return true;
  return false;
}
