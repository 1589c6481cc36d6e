/** Opens what the first ranking puts in front, so that factors which read a symbol or its text can judge it. */

import type { Snapshot } from "../ports/snapshot.ts";
import { sliceLines } from "../text/lines.ts";
import { type Candidate, openedAt, type Pool } from "./candidate.ts";
import { rank } from "./rank.ts";

/** Records and texts opened for one question: a bound on its cost. What stands behind them is ranked without those bonuses. */
const SHORTLIST = 40;

/** The pool with its best candidates opened. Only questions about words or kinds need it. */
export async function openShortlist(pool: Pool, at: Snapshot): Promise<Pool> {
  const { intent, kinds } = pool.question;
  const wantsText = intent === "error";
  if (!wantsText && kinds.length === 0) return pool;
  const front = new Set(
    rank(pool)
      .slice(0, SHORTLIST)
      .map(({ candidate }) => candidate),
  );
  const opened = new Map<Candidate, Candidate>();
  const snippets = [...front].filter(({ type }) => type === "snippet");
  // All at once: a store that is asked over a network fetches what they need in one go.
  await Promise.all(snippets.map(async (it) => opened.set(it, await open(it, at, wantsText))));
  const swap = (it: Candidate) => opened.get(it) ?? it;
  const known = { ...pool, candidates: pool.candidates.map(swap), leaders: new Set([...pool.leaders].map(swap)) };
  return wantsText ? { ...known, leaders: bestOfFiles(known) } : known;
}

/** Now that texts can be read, the chunk that holds the message speaks for its file. */
function bestOfFiles(pool: Pool): Set<Candidate> {
  const leaders = new Map<string, Candidate>();
  for (const { candidate } of rank({ ...pool, leaders: new Set() })) {
    const { type, file } = candidate;
    if (type === "snippet" && !leaders.has(file.path)) leaders.set(file.path, candidate);
  }
  return new Set(leaders.values());
}

async function open(it: Candidate, at: Snapshot, wantsText: boolean): Promise<Candidate> {
  const opened = it.opened ?? openedAt(await at.frame(it.file), it);
  const chunk = opened.frame.chunk(it.at);
  if (!wantsText || chunk === undefined) return { ...it, opened };
  return { ...it, opened, text: sliceLines(await at.text(it.file), chunk.lineStart, chunk.lineEnd) };
}
