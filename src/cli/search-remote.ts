/** `search` where nothing is checked out, or in several workspaces: asked as a tool, and shown as its answers are. */
import type { Call, ExitCode } from "./command.ts";
import { globArgument, languageArgument, parseCount, searchMode, usageError } from "./grep-flags.ts";
import type { CommandSession } from "./session.ts";

export async function searchRemote(call: Call, session: CommandSession, workspace: string): Promise<ExitCode> {
  const { printToolAnswer } = await import("./from-tool.ts");
  const mode = searchMode(call);
  const { ref } = call.flags;
  const scope = {
    workspace,
    ...languageArgument(call),
    ...globArgument(call),
    ...(typeof ref === "string" && { ref }),
  };
  if (mode === "regex") return printToolAnswer("regex_search", call, session, { ...patternArguments(call), ...scope });
  const query = call.words.join(" ");
  if (query.trim() === "") throw usageError("the query is empty");
  const most = parseCount(call, "topK", "--top-k", 1) ?? parseCount(call, "limit", "--limit", 1);
  if (mode !== "best") {
    const asked = { query, ...(most !== undefined && { top_k: most }), ...scope };
    return printToolAnswer(`${mode}_search`, call, session, asked);
  }
  const limit = most ?? session.loaded.config["query.limit"];
  return printToolAnswer("search_code", call, session, { query, limit, ...scope });
}

function patternArguments(call: Call) {
  const { words, flags } = call;
  const [pattern, path, ...more] = words;
  if (pattern === undefined || pattern === "") throw usageError("the pattern is empty");
  if (more.length > 0) throw usageError("one path at most can be named where nothing is checked out");
  const size = parseCount(call, "topK", "--top-k", 1) ?? parseCount(call, "limit", "--limit", 1);
  return {
    pattern,
    ...(path !== undefined && { path }),
    ignore_case: flags.ignoreCase === true,
    whole_words: flags.wordRegexp === true,
    fixed_strings: flags.fixedStrings === true,
    context: parseCount(call, "context", "--context", 0) ?? 0,
    include_snippet: flags.snippet !== false,
    ...(size !== undefined && { page_size: size }),
  };
}
