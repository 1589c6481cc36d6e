/** The embedding model that is configured, opened when a question or a job first needs it, once a thread. */
import { BUILT_IN, type BuiltIn, openBuiltIn } from "../adapters/embedders/built-in.ts";
import { createHash } from "../adapters/hash/hashes.ts";
import type { Config } from "../config/schema.ts";
import { errorMessage } from "../model/errors.ts";
import type { DocumentEncoder, Embedder, EmbedderAnswer, Embedders } from "../ports/embedder.ts";
import type { EmbeddingSettings } from "../ports/indexer.ts";

/** Undefined when meaning is switched off. */
export function embeddersOf(settings: EmbeddingSettings | undefined): Embedders | undefined {
  const name = settings?.model ?? BUILT_IN;
  if (name === "none") return undefined;
  let opened: Promise<EmbedderAnswer> | undefined;
  return {
    name,
    inParsers: name === BUILT_IN && settings?.endpoint === undefined,
    open: () => {
      opened ??= open(settings ?? { model: BUILT_IN }).then((answer) => {
        // An endpoint that is down may be up for the next question.
        if ("unavailable" in answer) opened = undefined;
        return answer;
      });
      return opened;
    },
  };
}

async function open(settings: EmbeddingSettings): Promise<EmbedderAnswer> {
  try {
    return { embedder: await openModel(settings) };
  } catch (error) {
    const why = errorMessage(error);
    return { unavailable: `the embedding model ${settings.model} cannot be used: ${why}` };
  }
}

async function openModel({ model, endpoint, apiKeyEnv }: EmbeddingSettings): Promise<Embedder> {
  if (endpoint !== undefined) {
    const { openEndpoint } = await import("../adapters/embedders/endpoint.ts");
    const apiKey = apiKeyEnv === undefined ? undefined : process.env[apiKeyEnv];
    return openEndpoint({ endpoint, model, apiKey, hash: await createHash() });
  }
  if (model === BUILT_IN) return openBuiltIn();
  const { openTransformers } = await import("../adapters/embedders/transformers.ts");
  return openTransformers({ model, hash: await createHash() });
}

let encoder: { readonly opened?: BuiltIn } | undefined;

/**
 * The encoder of a parse worker, opened for the first file that needs it. Undefined where another model is configured,
 * or where the model's file cannot be used: semantic search reports the reason.
 */
export function builtInEncoder(settings: EmbeddingSettings | undefined): DocumentEncoder | undefined {
  if ((settings?.model ?? BUILT_IN) !== BUILT_IN || settings?.endpoint !== undefined) return undefined;
  encoder ??= openEncoder();
  return encoder.opened;
}

function openEncoder(): { readonly opened?: BuiltIn } {
  try {
    return { opened: openBuiltIn() };
  } catch {
    return {};
  }
}

/** What the configuration says of the model. */
export function embeddingOf(settings: Config): EmbeddingSettings {
  const endpoint = settings["embedding.endpoint"];
  return {
    model: settings["embedding.model"],
    ...(endpoint !== "" && { endpoint, apiKeyEnv: settings["embedding.api_key_env"] }),
  };
}
