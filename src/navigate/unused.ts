/**
 * Symbols that nothing uses. A symbol is listed only if no site of the view can mean it, its name is in no other text,
 * and no code outside the view can reach it. If one of these cannot be decided, the symbol is unknown and says why.
 */
import type { CodeSymbol, FileRecord } from "../model/code.ts";
import { isLongTurn, nextTurn } from "../model/event-loop.ts";
import { type IdSource, symbolHit } from "../model/ids.ts";
import type { UnknownReason, UnusedAnswer, UnusedRequest, UnusedSymbol } from "../model/navigation.ts";
import type { FileRow, Snapshot } from "../ports/snapshot.ts";
import { pathClasses } from "../query/path-class.ts";
import { Exposure } from "./exposure.ts";
import { languagesWithoutReferences } from "./find-references.ts";
import { referenceRules, requireEdges } from "./reference-rules.ts";
import { namesInText } from "./unused-text.ts";
import { type Candidate, countUses } from "./use-counts.ts";

/** Throws `no_edges_available`. */
export async function unused(ask: UnusedRequest, at: Snapshot, ids: IdSource): Promise<UnusedAnswer> {
  requireEdges(at);
  const { candidates, entryPoints } = await gatherCandidates(ask, at);
  const uses = await countUses(candidates, at, referenceRules);
  const unusedOnes = candidates.filter((it) => !uses.certain.has(it) && !uses.possible.has(it));
  const named = await namesInText(unusedOnes, at);
  const exposure = await Exposure.of(at, referenceRules);
  const judged: { readonly candidate: Candidate; readonly reason?: UnknownReason }[] = [];
  for (const candidate of unusedOnes) {
    const reason = (await exposure.reason(candidate)) ?? (named.has(candidate) ? "in_text" : undefined);
    judged.push({ candidate, ...(reason !== undefined && { reason }) });
    if (isLongTurn()) await nextTurn();
  }
  const unknown = judged.filter(({ reason }) => reason !== undefined);
  const sure = judged.filter(({ reason }) => reason === undefined);
  const listed = ask.includeUnknown ? [...sure, ...unknown] : sure;
  const byReason: Partial<Record<UnknownReason, number>> = {};
  for (const { reason } of unknown) byReason[reason!] = (byReason[reason!] ?? 0) + 1;
  const symbols: UnusedSymbol[] = [];
  for (const { candidate, reason } of listed.slice(ask.offset, ask.offset + ask.limit)) {
    const record = await at.record((await at.file(candidate.path))!);
    symbols.push({ hit: symbolHit(record, candidate.index, ids), ...(reason !== undefined && { reason }) });
  }
  return {
    symbols,
    total: listed.length,
    counts: {
      checked: candidates.length,
      used: uses.certain.size,
      possiblyUsed: uses.possible.size,
      unused: sure.length,
      unknown: unknown.length,
      entryPoints,
    },
    byReason,
    withoutReferences: languagesWithoutReferences(at),
  };
}

/** In the order of paths and lines. Tests, examples, vendored and generated files use code; they are not searched. */
async function gatherCandidates(ask: UnusedRequest, at: Snapshot) {
  const candidates: Candidate[] = [];
  let entryPoints = 0;
  for (const file of await at.files()) {
    if (!isSearched(file, ask)) continue;
    const record = await at.record(file);
    if (record.problems.some(({ kind }) => kind === "generated")) continue;
    for (const [index, symbol] of record.symbols.entries()) {
      if (!isCandidate(symbol, record)) continue;
      if (isEntryPoint(symbol)) entryPoints++;
      else candidates.push(describeCandidate(record, index));
    }
    if (isLongTurn()) await nextTurn();
  }
  return { candidates, entryPoints };
}

function isSearched({ path, language }: FileRow, { under, languages }: UnusedRequest): boolean {
  if (under !== undefined && path !== under && !path.startsWith(`${under}/`)) return false;
  if (languages !== undefined && !languages.includes(language)) return false;
  return referenceRules(language) !== undefined && !pathClasses(path).some((it) => NOT_SEARCHED.has(it));
}

const NOT_SEARCHED: ReadonlySet<string> = new Set(["test", "example", "vendored", "generated", "declaration", "doc"]);

const CHECKED: ReadonlySet<string> = new Set(
  "fn method class struct enum interface trait protocol union object record type const var macro".split(" "),
);
const VALUES: ReadonlySet<string> = new Set(["const", "var"]);
const OPEN: ReadonlySet<string> = new Set(["namespace", "package", "module"]);
/** Types whose methods are methods of their own: those of interfaces are contracts, those of objects are data. */
const OWNERS: ReadonlySet<string> = new Set([
  "class",
  "struct",
  "enum",
  "union",
  "object",
  "record",
  "impl",
  "extension",
]);

function isCandidate({ kind, parent, declaration, name, language }: CodeSymbol, { symbols }: FileRecord): boolean {
  if (!CHECKED.has(kind) || declaration || language !== undefined || !/^[\p{L}_$#]/u.test(name)) return false;
  const around = parent === undefined ? undefined : symbols[parent]!.kind;
  if (around === undefined || OPEN.has(around)) return name !== "_";
  if (kind === "method" || (kind === "fn" && around === "impl")) return OWNERS.has(around);
  return !VALUES.has(kind);
}

/** Called by a runtime or a language construct, never by name. */
const ENTRY_NAMES =
  /^(?:_?_?main|Main|WinMain|wmain|DllMain|init|deinit|constructor|initialize|__\w+|method_missing|respond_to_missing\?|inherited|included|extended|prepended|(?:read|write)Object|readResolve|writeReplace|toString|toJSON|valueOf|hashCode|equals|finalize|to_s|inspect|operator\b.*)$/;

function isEntryPoint({ name }: CodeSymbol): boolean {
  return ENTRY_NAMES.test(name);
}

function describeCandidate(record: FileRecord, index: number): Candidate {
  const symbol = record.symbols[index]!;
  const { path, language, symbols } = record;
  const owner = symbol.parent === undefined ? undefined : symbols[symbol.parent];
  const isMember = symbol.kind === "method" || (owner !== undefined && OWNERS.has(owner.kind));
  return { path, index, language, symbol, isMember };
}
