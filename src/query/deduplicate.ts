/** Leaves out what another candidate already shows: the same symbol twice, text inside a definition that is itself a result. */
import { type Candidate, definitionOf, type Opened, type Pool } from "./candidate.ts";

export function distinct(pool: Pool): Pool {
  const definitions = byPath(pool.candidates.filter(({ type }) => type === "symbol"));
  const seen = new Set<string>();
  const candidates = pool.candidates.filter((it) => {
    // No retriever brings a chunk twice, and meaning brings none that words have found.
    if (it.type === "snippet") return !isShown(it, definitions.get(it.file.path));
    const key = keyOf(it);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
  return { ...pool, candidates };
}

/** Two entries for one definition (an overload list, a getter and its setter on one line) have one span. */
function keyOf(it: Candidate): string {
  const { type, file, at } = it;
  const span = definitionOf(it)?.span;
  return span === undefined ? `${type} ${at} ${file.path}` : `span ${span.start} ${span.end} ${file.path}`;
}

function byPath(definitions: readonly Candidate[]): Map<string, Candidate[]> {
  const found = new Map<string, Candidate[]>();
  for (const it of definitions) found.set(it.file.path, [...(found.get(it.file.path) ?? []), it]);
  return found;
}

/** A longer definition is not shown whole, so text inside it is news. */
const SHOWN_LINES = 60;

function isShown(it: Candidate, definitions: readonly Candidate[] | undefined): boolean {
  if (definitions === undefined) return false;
  return definitions.some(({ opened }) => opened !== undefined && covers(opened, it.at));
}

function covers({ frame, symbol }: Opened, chunk: number): boolean {
  const span = symbol?.span;
  const lines = frame.chunk(chunk);
  if (span === undefined || lines === undefined) return false;
  const begins = lines.lineStart <= span.lineStart && span.lineStart <= lines.lineEnd;
  const inside = span.lineStart <= lines.lineStart && lines.lineEnd <= span.lineEnd;
  return begins || (inside && span.lineEnd - span.lineStart < SHOWN_LINES);
}
