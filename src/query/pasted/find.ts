/** The places that a pasted query names, as candidates, and what is left to search for by words. */
import type { SearchRequest } from "../../model/search.ts";
import type { Snapshot } from "../../ports/snapshot.ts";
import type { RankingCandidate } from "../candidate.ts";
import type { PastedQuery } from "../parsed-query.ts";
import type { PastedEvidence, PastedFormat } from "./frame.ts";
import { parsePasted } from "./parse.ts";
import { type ResolvedFrame, resolveFrames } from "./resolve.ts";

export interface PastedPlaces {
  readonly candidates: readonly RankingCandidate[];
  /** Absent: the query is searched as it is. */
  readonly query?: PastedQuery;
  readonly notes: readonly string[];
}

const NOTHING: PastedPlaces = { candidates: [], notes: [] };
/** Most questions; making the patterns of all formats takes 7 ms. `at native` is a frame. */
const ONLY_WORDS = /^(?! *at )[\w ]*$/;

export async function findPasted(ask: SearchRequest, at: Snapshot): Promise<PastedPlaces> {
  if (ONLY_WORDS.test(ask.query)) return NOTHING;
  const { frames: all, ...pasted } = parsePasted(ask.query);
  // A path without a line is a path query, and a file that a sentence or quoted source mentions is a word of it.
  const evidence = { ...pasted, frames: all.filter(({ line, format }) => line !== undefined || TRACES.has(format)) };
  if (evidence.frames.length === 0 && evidence.withoutFile === 0) return NOTHING;
  const { found, outside } = await resolveFrames(evidence, ask, at);
  return {
    candidates: found.map(pastedCandidate),
    ...(isTrace(evidence) && { query: traceQuery(evidence, ask) }),
    notes: outsideNotes(found.length, outside, evidence),
  };
}

/** Formats that only machines write. */
const TRACES: ReadonlySet<PastedFormat> = new Set([
  "python",
  "javascript",
  "java",
  "go",
  "rust",
  "csharp",
  "ruby",
  "php",
  "elixir",
  "compiler",
  "go_test",
  "pytest",
  "jest",
]);

function isTrace({ frames, withoutFile }: PastedEvidence): boolean {
  return withoutFile > 0 || frames.some(({ format }) => TRACES.has(format));
}

function traceQuery({ messages, rest }: PastedEvidence, { query }: SearchRequest): PastedQuery {
  const text = messages.length > 0 ? messages.join("\n") : rest;
  return { text: text.trim() === "" ? query : text, isTrace: true };
}

/** Keeps the order of a hundred places within a tenth of the weight. */
const STEP = 0.001;

function pastedCandidate({ file, lines, symbol, chunk, how }: ResolvedFrame, index: number): RankingCandidate {
  return {
    type: lines === undefined ? "file" : "snippet",
    retriever: "pasted",
    file,
    at: chunk,
    strength: 1 - STEP * index,
    how,
    bm25: 0,
    ...(lines && { location: { ...lines, ...(symbol !== undefined && { symbol }) } }),
  };
}

function outsideNotes(found: number, outside: number, evidence: PastedEvidence): string[] {
  if (outside === 0) return [];
  if (found > 0) return [`${outside} of the pasted places ${outside === 1 ? "is" : "are"} outside this repository.`];
  return [
    `None of the ${outside} pasted places is in this repository.${isTrace(evidence) ? " Searched for the message only." : ""}`,
  ];
}
