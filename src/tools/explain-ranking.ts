import { z } from "zod";
import { defineTool, VIEW_ERRORS } from "./define.ts";
import * as fields from "./input.ts";
import { metadataSchema } from "./wire/metadata.ts";
import { COMPONENTS, scoringDetails, scoringFields } from "./wire/reasons.ts";

export default defineTool({
  name: "explain_ranking",
  title: "Explain why a result ranks where it does",
  description:
    "Use when a search_code result surprises you, instead of grepping around it: returns every factor of its " +
    "score with the reason. Pass the query and filters of the search, and path and line_start of the result. " +
    'Example: {"query": "validate token", "result_path": "src/jwt.rs", "result_line_start": 87}.',
  source: "view",
  access: "read",
  takesPath: true,
  usesModel: true,
  input: () =>
    z.object({
      query: fields.query.describe("The search query to explain."),
      result_path: fields.path.describe("Path of the result."),
      result_line_start: z.int().min(1, "must be at least 1").describe("First line of the result."),
      ref: fields.ref,
      language: fields.language,
      path: fields.path.optional().describe("The path filter of the search, if it had one."),
      glob: fields.glob.describe("The glob of the search, if it had one."),
      limit: fields.limit(200).describe("Candidates to replay."),
      workspace: fields.workspace,
    }),
  output: () =>
    z.object({
      query: z.string(),
      result: z.object({
        path: z.string(),
        line_start: z.int(),
        line_end: z.int(),
        kind: z.string().optional(),
        name: z.string().optional(),
        source_layer: z.enum(["base", "overlay"]).optional(),
      }),
      scoring: z
        .object(Object.fromEntries([...COMPONENTS, "total"].map((name) => [name, z.number()])))
        .catchall(z.number())
        .describe("total is the sum of the others; factors beyond the documented six are listed beside them."),
      scoring_details: z.record(z.string(), z.string()),
      metadata: metadataSchema(),
    }),
  errors: [...VIEW_ERRORS, "result_not_found"],
  example: { query: "validate token", result_path: "src/auth/jwt.rs", result_line_start: 87 },

  async run(input, { reading, under }) {
    const ask = {
      query: input.query,
      limit: input.limit,
      ...fields.languageFilter(input.language),
      ...fields.globFilter(input.glob),
      ...(under !== "" && { under }),
    };
    const { hit } = await reading.explain(ask, input.result_path, input.result_line_start);
    const symbol = hit.symbol?.symbol;
    const layer = await reading.layer(hit.path);
    return {
      body: {
        query: input.query,
        result: {
          path: hit.path,
          line_start: hit.lineStart,
          line_end: hit.lineEnd,
          ...(symbol !== undefined && { kind: symbol.kind, name: symbol.name }),
          ...(layer !== undefined && { source_layer: layer }),
        },
        scoring: scoringFields(hit),
        scoring_details: scoringDetails(hit),
      },
    };
  },
});
