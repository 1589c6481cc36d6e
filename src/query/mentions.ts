/** Definitions whose names occur in a sentence: "how does the StateManager …" is answered where it is defined. */
import type { FileFrame } from "../model/code.ts";
import type { Kind } from "../model/kinds.ts";
import type { SymbolCandidate } from "../ports/candidates.ts";
import type { Snapshot } from "../ports/snapshot.ts";
import type { RankingCandidate } from "./candidate.ts";
import type { ParsedQuery } from "./parsed-query.ts";

/** A mentioned name that is defined in a chunk. */
export interface QueryMention {
  readonly name: string;
  /** 0..1: how telling it is. */
  readonly weight: number;
}

/** By file path and chunk position. */
export type QueryMentions = ReadonlyMap<string, ReadonlyMap<number, QueryMention>>;

/** A name with more definitions than this is too ambiguous. */
const MAX_DEFINITIONS = 40;

/** Only files that the text search found are opened; a mention makes a good file better, it does not bring a new one. */
export async function findMentions(
  question: ParsedQuery,
  found: readonly RankingCandidate[],
  at: Snapshot,
): Promise<QueryMentions> {
  const files = new Set(found.map(({ file }) => file.path));
  const pages = await Promise.all(
    question.mentions.map((name) =>
      at.symbols({ name, match: "folded", limit: MAX_DEFINITIONS, atMost: MAX_DEFINITIONS }),
    ),
  );
  const held = pages.flatMap(({ candidates, matched }, i) =>
    candidates
      .filter(({ file }) => files.has(file.path))
      .map((it) => ({ it, as: question.mentions[i]!, rivals: matched })),
  );
  // All at once: a remote store then fetches them in one round trip.
  const frames = await Promise.all(held.map(({ it }) => at.frame(it.file)));
  const mentions = new Map<string, Map<number, QueryMention>>();
  for (const [i, { it, as, rivals }] of held.entries()) note(mentions, it, frames[i]!, as, rivals);
  return mentions;
}

function note(
  mentions: Map<string, Map<number, QueryMention>>,
  it: SymbolCandidate,
  frame: FileFrame,
  as: string,
  rivals: number,
): void {
  const kind = frame.kind(it.index);
  const chunk = kind === undefined ? -1 : chunkAt(frame, frame.line(it.index));
  if (kind === undefined || chunk < 0) return;
  const weight = mentionWeight(it.name, kind, as, rivals);
  const inFile = mentions.get(it.file.path) ?? new Map<number, QueryMention>();
  mentions.set(it.file.path, inFile);
  if (weight > (inFile.get(chunk)?.weight ?? 0)) inFile.set(chunk, { name: it.name, weight });
}

/** The chunk that holds the line, or -1. */
export function chunkAt(frame: FileFrame, line: number): number {
  for (let i = 0; i < frame.chunkCount; i++) {
    const { lineStart, lineEnd } = frame.chunk(i)!;
    if (lineStart <= line && line <= lineEnd) return i;
  }
  return -1;
}

/** Types matter most; factors and mentions weigh the other kinds each in their own way. */
export const TYPE_WEIGHTS = {
  class: 1,
  struct: 1,
  trait: 1,
  interface: 1,
  protocol: 1,
  enum: 1,
  object: 1,
  record: 1,
  union: 1,
  type: 0.9,
  macro: 0.9,
} as const;

const KIND_WEIGHT: Readonly<Partial<Record<Kind, number>>> = {
  ...TYPE_WEIGHTS,
  fn: 0.8,
  method: 0.5,
  constructor: 0.3,
  module: 0.6,
  namespace: 0.3,
  package: 0.2,
  const: 0.4,
  var: 0.2,
  instance: 0.2,
  extension: 0.3,
  impl: 0.2,
  field: 0.1,
  property: 0.1,
  variant: 0.1,
  heading: 0,
  key: 0,
  selector: 0,
  test: 0,
  use: 0,
};

/** A name of several words, or spelt as it is defined, is no accident; a plain word may be. */
function mentionWeight(name: string, kind: Kind, as: string, rivals: number): number {
  const shaped = /[a-z][A-Z]|_|\d/.test(name);
  const spelling = shaped ? 1 : name === as ? 0.6 : 0.35;
  return (spelling * (KIND_WEIGHT[kind] ?? 0.2)) / Math.sqrt(rivals);
}
