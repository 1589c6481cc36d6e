/** Input fields that tools share: one wording, one rule, one default each. */
import { z } from "zod";
import type { ExplainLevel } from "../model/status.ts";
import { DETAIL_LEVELS, EXPLAIN_LEVELS, FRESHNESS_POLICIES } from "../model/status.ts";

/** Above this a `limit` is cut down with a warning rather than refused. */
export const MAX_LIMIT = 200;
/** Longer queries are cut with a warning: no query text may make a search fail. */
export const MAX_QUERY_CHARS = 10_000;
export const MAX_WAIT_SECONDS = 600;
const MAX_PATH_CHARS = 4096;
const MAX_REF_CHARS = 512;

const noControl = /^[^\0-\x1f\x7f]*$/;

/** A path as a caller may spell it; whether it lies inside a workspace is decided where it is resolved. */
const pathText = z
  .string()
  .min(1, "must not be empty")
  .max(MAX_PATH_CHARS, `must be at most ${MAX_PATH_CHARS} characters long`)
  .regex(noControl, "must not contain control characters");

export const workspace = pathText
  .optional()
  .describe(
    "Absolute path of the workspace, or a repository's name in the shared store. Default: the workspace the server " +
      "was started for.",
  );

/** Of tools that can ask several. A list as an array is understood, too: it becomes the same words. */
export const workspaces = z
  .preprocess((given) => (Array.isArray(given) ? given.join(",") : given), pathText)
  .optional()
  .describe(
    "Absolute path of the workspace, or a repository's name in the shared store; several with commas, " +
      "repo:github.com/acme/*, or all. Default: the workspace the server was started for.",
  );

export const ref = z
  .string()
  .min(1, "must not be empty")
  .max(MAX_REF_CHARS, `must be at most ${MAX_REF_CHARS} characters long`)
  .regex(noControl, "must not contain control characters")
  .optional()
  .describe("Branch, tag or commit to query. Default: the working tree, including uncommitted edits.");

export const path = pathText;

export const query = z.string().refine((text) => text.trim() !== "", "must not be empty");

export const symbolName = z.string().refine((text) => text.trim() !== "", "must not be empty");

export const symbolId = z
  .string()
  .max(200)
  .optional()
  .describe("Id from an earlier result; takes precedence over the name.");

export const symbolStableId = z
  .string()
  .max(200)
  .optional()
  .describe("Location-independent id from an earlier result; takes precedence over the name.");

/** 1 or more; `run.ts` cuts what is above `MAX_LIMIT`. */
export function limit(byDefault: number) {
  return z
    .int()
    .min(1, "must be at least 1")
    .default(byDefault)
    .describe(`Maximum number of results (1 to ${MAX_LIMIT}). Default: ${byDefault}.`);
}

export const language = z.string().min(1).max(64).optional().describe("Only this language, for example rust.");

export const glob = z
  .string()
  .optional()
  .describe("Only paths that match, such as *.rs; comma-separated, a leading ! excludes.");

export const detailLevel = z
  .enum(DETAIL_LEVELS)
  .default("signature")
  .describe("Detail per result: location (about 50 tokens), signature (about 100) or context (300 to 500).");

export const compact = z
  .boolean()
  .default(false)
  .describe("Keep only ids, location and score of each result, at any detail_level.");

export const freshnessPolicy = z
  .enum(FRESHNESS_POLICIES)
  .optional()
  .describe(
    "When the index is stale: strict returns an error, balanced answers and syncs in the background, best_effort " +
      "answers.",
  );

export const rankingExplainLevel = z
  .enum(EXPLAIN_LEVELS)
  .optional()
  .describe("Adds metadata.ranking_reasons: off, basic or full.");

export const maxTokens = z
  .int()
  .min(1, "must be at least 1")
  .optional()
  .describe("Token budget of the whole response; metadata.omitted counts what did not fit.");

export const force = z.boolean().default(false);

export const waitSeconds = z
  .number()
  .min(0, "must not be negative")
  .default(0)
  .describe(
    `Wait up to this many seconds for the job to finish. Default: 0, answer at once. Most: ${MAX_WAIT_SECONDS}.`,
  );

/** The level of a call: its own word, else the configured one. */
export function explainLevel(asked: ExplainLevel | undefined, configured: ExplainLevel): ExplainLevel {
  return asked ?? configured;
}

/** Language filter as the read path takes it. */
export function languageFilter(word: string | undefined): { readonly languages?: readonly string[] } {
  return word === undefined ? {} : { languages: [word.trim().toLowerCase()] };
}

/** Path filter as the read path takes it. Commas part globs, except inside braces. */
export function globFilter(text: string | undefined): { readonly globs?: readonly string[] } {
  const parts = text?.match(/(?:\{[^}]*\}|[^,{]|\{)+/g) ?? [];
  return text === undefined ? {} : { globs: parts.map((part) => part.trim()).filter((part) => part !== "") };
}
