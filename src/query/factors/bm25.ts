/** The retriever's own judgement, 0..1: BM25 relative to the best chunk, or how well a name or a path fits. */
import type { Intent } from "../../model/status.ts";
import type { Candidate, Factor, Retriever } from "../candidate.ts";

/** How far each retriever is trusted, by intent. Text below 0.65 keeps references behind definitions of the same name; what was found by meaning is judged by it alone. */
const TRUST: Readonly<Record<Intent, Readonly<Record<Retriever, number>>>> = {
  symbol: { symbol: 1, text: 0.6, path: 0.5, meaning: 0 },
  path: { path: 1, symbol: 0.6, text: 0.35, meaning: 0 },
  error: { text: 1, symbol: 0.5, path: 0.5, meaning: 0 },
  natural_language: { text: 1, symbol: 0.5, path: 0.5, meaning: 0 },
};

export default {
  name: "bm25",
  cap: 1,
  value: ({ retriever, strength }, { question }) => TRUST[question.intent][retriever] * strength,
  reason: (it) => it.how ?? textScore(it),
} satisfies Factor;

function textScore({ bm25, strength }: Candidate): string {
  return `text score ${bm25.toFixed(2)} of at most ${(bm25 / strength).toFixed(2)}`;
}
