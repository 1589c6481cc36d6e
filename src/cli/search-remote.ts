/** `search` where nothing is checked out, or in several workspaces: asked as a tool, and shown as its answers are. */
import type { Call, ExitCode } from "./command.ts";
import { countOf, modeOf, oneGlobOf, oneLanguageOf, refused } from "./grep-flags.ts";
import type { Session } from "./session.ts";

export async function searchElsewhere(call: Call, session: Session, workspace: string): Promise<ExitCode> {
  const { answerOfTool } = await import("./from-tool.ts");
  const mode = modeOf(call);
  const { ref } = call.flags;
  const scope = { workspace, ...oneLanguageOf(call), ...oneGlobOf(call), ...(typeof ref === "string" && { ref }) };
  if (mode === "regex") return answerOfTool("regex_search", call, session, { ...patternOf(call), ...scope });
  const query = call.words.join(" ");
  if (query.trim() === "") throw refused("the query is empty");
  const most = countOf(call, "topK", "--top-k", 1) ?? countOf(call, "limit", "--limit", 1);
  if (mode !== "best") {
    const asked = { query, ...(most !== undefined && { top_k: most }), ...scope };
    return answerOfTool(`${mode}_search`, call, session, asked);
  }
  const limit = most ?? session.loaded.config["query.limit"];
  return answerOfTool("search_code", call, session, { query, limit, ...scope });
}

function patternOf(call: Call) {
  const { words, flags } = call;
  const [pattern, path, ...more] = words;
  if (pattern === undefined || pattern === "") throw refused("the pattern is empty");
  if (more.length > 0) throw refused("one path at most can be named where nothing is checked out");
  const size = countOf(call, "topK", "--top-k", 1) ?? countOf(call, "limit", "--limit", 1);
  return {
    pattern,
    ...(path !== undefined && { path }),
    ignore_case: flags.ignoreCase === true,
    whole_words: flags.wordRegexp === true,
    fixed_strings: flags.fixedStrings === true,
    context: countOf(call, "context", "--context", 0) ?? 0,
    include_snippet: flags.snippet !== false,
    ...(size !== undefined && { page_size: size }),
  };
}
