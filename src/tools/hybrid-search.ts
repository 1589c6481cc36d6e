import { defineTool, VIEW_ERRORS } from "./define.ts";
import * as fields from "./fields.ts";
import { answerSemantic, semanticInput, semanticOutput } from "./wire/meaning.ts";

export default defineTool({
  name: "hybrid_search",
  title: "Search by words and meaning",
  description:
    "Use instead of grep when you know some of the words and what the code is about: ranks words, names and " +
    "meaning together, as search_code does. Each result has a reciprocal-rank-fusion score (0.02 or more: near " +
    "the top of one list, or high in both; at most 0.049). Scope it with path; page with page_size and " +
    "next_cursor.",
  source: "view",
  access: "read",
  takesPath: true,
  failsAs: "protocol_error",
  input: () =>
    semanticInput(
      { byDefault: 0.02, doc: "Least fused score of a result; useful from 0.01 to 0.05." },
      fields.workspace,
    ),
  output: () => semanticOutput("hybrid"),
  errors: VIEW_ERRORS,
  example: { query: "database connection retry", path: "src", top_k: 5 },

  run: (input, { reading, under, compass }) =>
    answerSemantic({
      tool: "hybrid_search",
      input,
      under,
      reading,
      model: compass.embeddingModel,
      ask: (ask) => reading.hybrid(ask),
    }),
});
