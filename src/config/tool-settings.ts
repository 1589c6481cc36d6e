import type { Config } from "./schema.ts";

/** What the configuration decides for every tool. */
export function toolSettings(config: Config) {
  return {
    maxResponseBytes: config["server.max_response_bytes"],
    freshnessPolicy: config["query.freshness_policy"],
    rankingExplainLevel: config["query.ranking_explain_level"],
    debug: config["debug.enabled"],
  } as const;
}
