/** The chunk of each file that answers a question: the definition that is named after it, not the chunk that repeats its words. */
import type { FileFrame } from "../model/code.ts";
import type { Snapshot } from "../ports/snapshot.ts";
import type { Pool, RankingCandidate } from "./candidate.ts";
import { coverage } from "./coverage.ts";
import { pathWords } from "./query-words.ts";
import { answersFirst, type Ranked } from "./rank.ts";

/** Files whose chunks are compared: two pages, whatever the caller's limit is. */
const MAX_FILES = 20;
/** What a definition named after the whole question is worth, compared with the best text. */
const NAME_WEIGHT = 0.8;
const SIMILARITY_WEIGHT = 0.3;
const UNNAMED: ReadonlySet<string> = new Set(["use", "heading", "package", "field", "property", "variant"]);

export async function answerLines(ranked: Ranked[], pool: Pool, at: Snapshot): Promise<Ranked[]> {
  if (pool.question.intent !== "natural_language" || pool.relevance < 1) return ranked;
  const files = new Map<string, RankingCandidate[]>();
  for (const { candidate } of ranked) {
    if (candidate.type !== "snippet") continue;
    const known = files.get(candidate.file.path);
    if (known !== undefined) known.push(candidate);
    else if (files.size < MAX_FILES) files.set(candidate.file.path, [candidate]);
  }
  const several = [...files.values()].filter((chunks) => chunks.length > 1);
  const frames = await Promise.all(several.map(([first]) => at.frame(first!.file)));
  const answers = new Map<string, RankingCandidate>();
  for (const [i, chunks] of several.entries()) answers.set(chunks[0]!.file.path, bestAnswer(chunks, frames[i]!, pool));
  return answersFirst(ranked, answers);
}

/** The file's best chunk unless another one answers better. */
function bestAnswer(chunks: readonly RankingCandidate[], frame: FileFrame, pool: Pool): RankingCandidate {
  const own = namesByChunk(chunks, frame);
  const worth = (it: RankingCandidate) =>
    it.strength +
    NAME_WEIGHT * coverage(pool, own.get(it.at) ?? []) +
    (pool.mentions.get(it.file.path)?.get(it.at)?.weight ?? 0) +
    SIMILARITY_WEIGHT * (pool.similarity.get(it) ?? 0);
  let best = chunks[0]!;
  if (best.literal === "defines") return best;
  let most = worth(best);
  for (const it of chunks.slice(1)) {
    const value = worth(it);
    if (value > most) [best, most] = [it, value];
  }
  return best;
}

/** By chunk: the words of the definitions that begin in it, with those of their owners. */
function namesByChunk(chunks: readonly RankingCandidate[], frame: FileFrame): Map<number, readonly string[]> {
  const names = new Map<number, string[]>();
  const spans = chunks.map(({ at }) => ({ at, chunk: frame.chunk(at) }));
  for (let index = 0; index < frame.symbolCount; index++) {
    const kind = frame.kind(index);
    if (kind === undefined || UNNAMED.has(kind)) continue;
    const line = frame.line(index);
    const holder = spans.find(({ chunk }) => chunk !== undefined && chunk.lineStart <= line && line <= chunk.lineEnd);
    if (holder === undefined) continue;
    const parent = frame.parent(index);
    const words = [frame.name(index), parent === undefined ? undefined : frame.name(parent)].flatMap((name) =>
      name === undefined ? [] : pathWords(name),
    );
    names.set(holder.at, [...(names.get(holder.at) ?? []), ...words]);
  }
  return names;
}
