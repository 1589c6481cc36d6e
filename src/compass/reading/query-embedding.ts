/** What a question means to the configured model; a model that cannot be used is told of, never a failure. */
import type { Embedders } from "../../ports/embedder.ts";
import type { AskMeaning } from "../../query/retrievers/meaning.ts";

export function embedQuery(embedders: Embedders, signal: AbortSignal | undefined): AskMeaning {
  return async (text) => {
    const answer = await embedders.open();
    if ("unavailable" in answer) return answer;
    const { model, query } = answer.embedder;
    try {
      const vector = await query(text, signal);
      return vector && { model: model.fingerprint, vector, ...(model.cut !== undefined && { least: model.cut }) };
    } catch (error) {
      signal?.throwIfAborted();
      return { unavailable: error instanceof Error ? error.message : String(error) };
    }
  };
}
