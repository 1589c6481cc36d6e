/** The embedding model that is configured, opened when a question or a job first needs it, once a thread. */
import { BUILT_IN, openBuiltIn } from "../adapters/embedders/built-in.ts";
import type { EmbedderAnswer, Embedders } from "../ports/embedder.ts";
import type { EmbeddingSettings } from "../ports/indexer.ts";

/** Undefined when meaning is switched off. */
export function embeddersOf(settings: EmbeddingSettings | undefined): Embedders | undefined {
  const name = settings?.model ?? BUILT_IN;
  if (name === "none") return undefined;
  let opened: Promise<EmbedderAnswer> | undefined;
  return {
    name,
    open: () => {
      opened ??= open(settings ?? { model: BUILT_IN });
      return opened;
    },
  };
}

async function open(settings: EmbeddingSettings): Promise<EmbedderAnswer> {
  try {
    return { embedder: await openModel(settings) };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { unavailable: `the embedding model ${settings.model} cannot be used: ${why}` };
  }
}

async function openModel(settings: EmbeddingSettings) {
  if (settings.model === BUILT_IN && settings.endpoint === undefined) return openBuiltIn();
  throw new Error("no such model");
}
