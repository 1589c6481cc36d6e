import { defineTool, VIEW_ERRORS } from "./define.ts";
import * as fields from "./fields.ts";
import { answerSemantic, semanticInput, semanticOutput } from "./wire/meaning.ts";

export default defineTool({
  name: "semantic_search",
  title: "Semantic search only",
  description:
    "Use instead of grep when you know what the code does but not which words it uses: returns the chunks closest in " +
    "meaning (embeddings computed on this machine), with a calibrated score. 0.5 to 0.6 is broad, 0.7 to 0.8 is " +
    "focused, above 0.8 leaves only very close matches. Scope it with path; page with page_size and next_cursor. " +
    "Prefer search_code for most questions: it combines words and meaning.",
  source: "view",
  access: "read",
  takesPath: true,
  multiWorkspace: true,
  failsAs: "protocol_error",
  input: () => semanticInput({ byDefault: 0.6, doc: "Least score of a result, 0 to 1." }, fields.workspaces),
  output: () => semanticOutput("semantic"),
  errors: VIEW_ERRORS,
  example: { query: "retry a failed request with backoff", path: "src", top_k: 5 },

  run: (input, { reading, under, compass }) =>
    answerSemantic({
      tool: "semantic_search",
      input,
      under,
      reading,
      model: compass.embeddingModel,
      ask: (ask) => reading.semantic(ask),
    }),
});
