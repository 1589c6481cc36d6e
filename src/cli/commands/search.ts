/** Searches a repository that is not checked out, or several workspaces, through the tool. */
import { readSync } from "node:fs";
import { isAbsolute, relative } from "node:path";
import type { Project } from "../../compass/compass.ts";
import { CompassError } from "../../model/errors.ts";
import {
  type Call,
  type CommandSpec,
  type ExitCode,
  MODEL_FLAG,
  OPEN_FLAG,
  REF_FLAG,
  WALK_FLAGS,
  WORKSPACES_FLAGS,
} from "../command.ts";
import { grepCommand } from "../grep.ts";
import {
  GREP_FLAGS,
  globArgument,
  languageArgument,
  MODE_FLAGS,
  parseCount,
  searchMode,
  usageError,
} from "../search-flags.ts";
import { searchSemantically } from "../semantic-search.ts";
import { type CommandSession, freshenToRead, openCommandProject, withCompassToQuery } from "../session.ts";

export default {
  name: "search",
  summary: "Search by question, symbol name, path or error message",
  group: "Commands:",
  isQuery: true,
  argument: { name: "[query...]", doc: "Words to search for, quotes are optional; - reads pasted text from stdin" },
  flags: [
    { flags: "--lang <language>", doc: "Only this language" },
    { flags: "--limit <n>", doc: "Maximum number of results" },
    OPEN_FLAG,
    ...MODE_FLAGS,
    ...GREP_FLAGS,
    REF_FLAG,
    MODEL_FLAG,
    ...WORKSPACES_FLAGS,
    ...WALK_FLAGS,
  ],
  examples: [
    'search "where is rate limiting done"',
    "search validateToken --lang typescript",
    "search src/auth.rs --json",
    "search - < trace.txt",
    'search --regex "fn \\w+_token" src -C 2',
    'search --semantic "retry with backoff" --scores',
    "search -il todo --type python",
    "search rateLimiter --workspace repo:github.com/acme/*",
  ],

  async run(given) {
    if (given.flags.typeList === true) return listTypes(given);
    const call = given.flags.quiet === true ? silenced(given) : given;
    const { words, flags } = call;
    if (words.length === 0 && flags.regexp === undefined && flags.files !== true)
      throw usageError("the query is empty");
    // In regex mode `-` is a pattern.
    const whole = searchMode(call) === "regex" ? call : withPipedQuery(call);
    return withCompassToQuery(whole, (session) => runSearch(whole, session));
  },
} satisfies CommandSpec;

/** As ripgrep prints them: `rust: *.rs`. */
async function listTypes({ terminal, globals }: Call): Promise<ExitCode> {
  const { languageGlobs } = await import("../../compose/language-list.ts");
  const all = languageGlobs();
  if (globals.json) terminal.out(`${JSON.stringify(all)}\n`);
  else terminal.out(all.map(({ id, globs }) => `${id}: ${globs.join(", ")}\n`).join(""));
  return 0;
}

/** An error still prints its message. */
function silenced(call: Call): Call {
  const nothing = () => {};
  return { ...call, terminal: { ...call.terminal, out: nothing, err: nothing, matches: nothing } };
}

async function runSearch(call: Call, session: CommandSession): Promise<ExitCode> {
  const mode = searchMode(call);
  if (call.flags.open !== undefined && (mode !== "best" || call.globals.json))
    throw usageError("--open opens a result of a question; leave out --json and the flags of other modes");
  if (mode === "regex") return grepCommand(call, session);
  if (session.remote !== undefined) return searchRemote(call, session, session.remote);
  const project = await openCommandProject(session);
  if (session.loaded.config["query.freshness_policy"] !== "best_effort")
    await freshenToRead(call, session, project, call.flags.ref);
  const under = searchScope(session, project);
  if (mode !== "best")
    return searchSemantically({ mode, call, session, project, ...(under !== undefined && { under }) });
  return searchTree(call, session, project);
}

function refOption({ flags: { ref } }: Call): { readonly ref?: string } {
  return typeof ref === "string" ? { ref } : {};
}

/** The same answer as the tool gives. */
async function searchTree(call: Call, session: CommandSession, project: Project): Promise<ExitCode> {
  const query = call.words.join(" ");
  if (query.trim() === "") throw usageError("the query is empty");
  const scope = searchScope(session, project);
  const { printToolAnswer } = await import("../tool-commands.ts");
  return printToolAnswer("search_code", call, session, {
    query,
    limit: parseLimit(call, session),
    workspace: project.root,
    ...languageArgument(call),
    ...globArgument(call),
    ...refOption(call),
    ...(scope !== undefined && { path: scope }),
  });
}

function parseLimit({ flags }: Call, { loaded }: CommandSession): number {
  const [name, given] = flags.topK === undefined ? ["--limit", flags.limit] : ["--top-k", flags.topK];
  if (given === undefined) return loaded.config["query.limit"];
  const limit = Number(given);
  if (Number.isInteger(limit) && limit >= 1) return Math.min(limit, 200);
  throw new CompassError("invalid_input", { reason: `${name} is ${given}; allowed: a whole number from 1 to 200` });
}

/** A named directory below the workspace's root narrows the search to it. */
function searchScope({ directory, named }: CommandSession, { root }: Project): string | undefined {
  const inside = relative(root, directory);
  return named && inside !== "" && !inside.startsWith("..") && !isAbsolute(inside)
    ? inside.replaceAll("\\", "/")
    : undefined;
}

async function searchRemote(call: Call, session: CommandSession, workspace: string): Promise<ExitCode> {
  const { printToolAnswer } = await import("../tool-commands.ts");
  const mode = searchMode(call);
  const { ref } = call.flags;
  const scope = {
    workspace,
    ...languageArgument(call),
    ...globArgument(call),
    ...(typeof ref === "string" && { ref }),
  };
  const query = call.words.join(" ");
  if (query.trim() === "") throw usageError("the query is empty");
  const most = parseCount(call, "topK", "--top-k", 1) ?? parseCount(call, "limit", "--limit", 1);
  if (mode !== "best") {
    const request = { query, ...(most !== undefined && { top_k: most }), ...scope };
    return printToolAnswer(`${mode}_search`, call, session, request);
  }
  const limit = most ?? session.loaded.config["query.limit"];
  return printToolAnswer("search_code", call, session, { query, limit, ...scope });
}

/** More than a query may have in any encoding; the tool cuts what is longer and says so. */
const MAX_PIPED_BYTES = 1 << 18;

/** `search -`: the query is what is piped in, for example a stack trace or an issue. */
function withPipedQuery(call: Call): Call {
  if (call.words.length !== 1 || call.words[0] !== "-") return call;
  const bytes = Buffer.alloc(MAX_PIPED_BYTES);
  let filled = 0;
  while (filled < MAX_PIPED_BYTES) {
    const read = readNext(bytes, filled);
    if (read === 0) break;
    filled += read;
  }
  return { ...call, words: [bytes.toString("utf8", 0, filled)] };
}

function readNext(bytes: Buffer, from: number): number {
  try {
    return readSync(0, bytes, from, bytes.length - from, null);
  } catch (error) {
    // Windows reports the end of a pipe as an error.
    if ((error as NodeJS.ErrnoException).code === "EOF") return 0;
    const reason = `stdin cannot be read: ${(error as Error).message}`;
    throw new CompassError("invalid_input", { reason }, { cause: error });
  }
}
