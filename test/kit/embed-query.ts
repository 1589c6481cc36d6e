/** Embeds queries with the built-in model. */
import { openBuiltIn } from "../../src/adapters/embedders/built-in.ts";
import type { EmbedQuery } from "../../src/query/retrievers/meaning.ts";

const { model, query } = openBuiltIn();

export const askMeaning: EmbedQuery = async (text) => {
  const vector = await query(text);
  return vector && { model: model.fingerprint, vector, least: model.cut! };
};
