/** Compares the product's uses of a symbol with the oracle's, and counts. */
import type { Edge } from "../../src/model/edges.ts";
import { type Place, REF_KINDS, type RefKind, type Truth } from "./oracle.ts";
import type { Sampled } from "./project.ts";

interface Row {
  truths: number;
  sure: number;
  any: number;
}

export interface Tally {
  symbols: number;
  sure: number;
  sureRight: number;
  nameOnly: number;
  nameOnlyRight: number;
  truths: number;
  /** Uses of a base or an override, and how many of them are listed at all. */
  related: number;
  relatedListed: number;
  byKind: Record<RefKind, Row>;
  bySymbol: Record<string, Row & { wrong: number }>;
}

const COUNTS = [
  "symbols",
  "sure",
  "sureRight",
  "nameOnly",
  "nameOnlyRight",
  "truths",
  "related",
  "relatedListed",
] as const;

export function emptyTally(): Tally {
  const byKind = Object.fromEntries(REF_KINDS.map((kind) => [kind, { truths: 0, sure: 0, any: 0 }])) as Tally["byKind"];
  return {
    symbols: 0,
    sure: 0,
    sureRight: 0,
    nameOnly: 0,
    nameOnlyRight: 0,
    truths: 0,
    related: 0,
    relatedListed: 0,
    byKind,
    bySymbol: {},
  };
}

export function placeKey({ path, line, column }: Place): string {
  return `${path}:${line}:${column}`;
}

export interface Judged {
  readonly symbol: Sampled;
  readonly edges: readonly Edge[];
  readonly truths: readonly Truth[];
}

/** Adds one symbol; returns the disagreements as lines of JSON. */
export function count({ symbol, edges, truths }: Judged, tally: Tally): string[] {
  const log: string[] = [];
  const definitions = new Set(truths.filter((it) => it.definition).map(placeKey));
  const all = new Map(truths.filter((it) => !definitions.has(placeKey(it))).map((it) => [placeKey(it), it]));
  const uses = new Map([...all].filter(([, it]) => !it.related));
  const counted = edges.filter((edge) => !definitions.has(placeKey(edge)));
  const found = new Map(counted.map((edge) => [placeKey(edge), edge.resolution]));
  tally.bySymbol[symbol.kind] ??= { truths: 0, sure: 0, any: 0, wrong: 0 };
  const kindRow = tally.bySymbol[symbol.kind]!;
  const of = `${symbol.kind} ${symbol.name} @${symbol.path}`;
  tally.symbols++;
  tally.related += all.size - uses.size;
  for (const key of all.keys()) if (!uses.has(key) && found.has(key)) tally.relatedListed++;
  for (const edge of counted) {
    const right = uses.has(placeKey(edge));
    const sure = edge.resolution !== "name_only";
    if (!sure && !right && all.has(placeKey(edge))) continue;
    tally[sure ? "sure" : "nameOnly"]++;
    if (right) tally[sure ? "sureRight" : "nameOnlyRight"]++;
    if (!sure || right) continue;
    kindRow.wrong++;
    log.push(JSON.stringify({ wrong: of, at: placeKey(edge), resolution: edge.resolution, kind: edge.kind }));
  }
  for (const [key, truth] of uses) {
    const resolution = found.get(key);
    tally.truths++;
    for (const row of [tally.byKind[truth.kind], kindRow]) {
      row.truths++;
      if (resolution !== undefined) row.any++;
      if (resolution !== undefined && resolution !== "name_only") row.sure++;
    }
    if (resolution === undefined) log.push(JSON.stringify({ missed: of, at: key, kind: truth.kind }));
    else if (resolution === "name_only") log.push(JSON.stringify({ unsure: of, at: key, kind: truth.kind }));
  }
  return log;
}

export function sum(all: readonly Tally[]): Tally {
  const total = emptyTally();
  for (const tally of all) {
    for (const key of COUNTS) total[key] += tally[key];
    for (const kind of REF_KINDS) add(total.byKind[kind], tally.byKind[kind]);
    for (const [kind, row] of Object.entries(tally.bySymbol)) {
      total.bySymbol[kind] ??= { truths: 0, sure: 0, any: 0, wrong: 0 };
      add(total.bySymbol[kind]!, row);
      total.bySymbol[kind]!.wrong += row.wrong;
    }
  }
  return total;
}

function add(into: Row, row: Row): void {
  for (const key of ["truths", "sure", "any"] as const) into[key] += row[key];
}
