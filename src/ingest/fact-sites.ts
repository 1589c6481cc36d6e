/** The uses of names in a file, each with what it means by the file's own scopes or the receiver it stands on. */
import { EDGE_KINDS, type EdgeKind } from "../model/edges.ts";
import type { Use } from "./edge-captures.ts";
import type { FactExpressions } from "./fact-expressions.ts";
import type { FileNames } from "./fact-names.ts";
import { type FactInput, lineAndColumn } from "./fact-source.ts";
import type { Site } from "./sites.ts";

export function factSites(it: FactInput, names: FileNames, expressions: FactExpressions): Site[] {
  const sites: Site[] = [];
  for (const use of it.raw.uses.values()) {
    const site = buildSite(use, it, names, expressions);
    if (site !== undefined) sites.push(site);
  }
  for (const exported of it.raw.exported) addExported(sites, exported, it, names);
  return sites;
}

// Functions of their own: one loop behind another was optimised once and given up for every file.
function buildSite(use: Use, it: FactInput, names: FileNames, expressions: FactExpressions): Site | undefined {
  const { at, name, role } = use;
  if (names.symbolAt(at) !== undefined || it.raw.inImport(at) || name === it.edges.blank) return undefined;
  if (role === "ref" && names.isLocalAt(at)) return undefined;
  const bound = role === "ref" ? names.meaning(name, at) : -2;
  if (bound === undefined) return undefined;
  const receiver = findReceiver(use, expressions);
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

/** Number of the expression that a name is used on; -1 when it stands alone, -2 for a key of which nothing is known. */
function findReceiver(use: Use, expressions: FactExpressions): number {
  if (use.role === "ref") return -1;
  if (use.role === "member") return expressions.numberOf(memberReceiver(use, expressions) ?? "");
  const literal = keyReceiver(use, expressions);
  return literal === undefined ? -2 : expressions.numberOf(literal);
}

function memberReceiver(use: Use, expressions: FactExpressions): string | undefined {
  const { recv, handed } = use;
  if (handed) return expressions.handedTo(handed);
  return recv ? expressions.chainAt(recv.start, recv.end) : expressions.typeOf(use);
}

/** A key beside a receiver is a property that is handed to it: `<Button label="…">`. */
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

/** A longer list of type arguments is a comparison. */
const MAX_TYPE_ARGUMENTS = 200;

function afterTypeArguments(text: string, start: number): number {
  let depth = 0;
  for (let i = start; i < text.length && i < start + MAX_TYPE_ARGUMENTS; i++) {
    const char = text[i];
    if (char === "<") depth++;
    else if (char === ">" && text[i - 1] !== "=" && --depth === 0) return i + 1;
    else if (char === ";") return start;
  }
  return start;
}
