/** The part of the configuration that every tool call is given. */
import type { Config } from "../config/schema.ts";
import type { ToolSettings } from "../tools/define.ts";

export function toolSettings(config: Config): ToolSettings {
  return {
    maxResponseBytes: config["server.max_response_bytes"],
    freshnessPolicy: config["query.freshness_policy"],
    rankingExplainLevel: config["query.ranking_explain_level"],
    debug: config["debug.enabled"],
  };
}
