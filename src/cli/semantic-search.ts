/** `search --semantic` and `search --hybrid`: results with their scores, as text, as JSON lines, or only their files. */
import { relative, resolve } from "node:path";
import type { Project, Reading } from "../compass/compass.ts";
import type { SemanticAnswer, SemanticHit, SemanticRequest } from "../model/search.ts";
import { counted, printable, type Style, skippedText } from "../tools/text/style.ts";
import type { Call, ExitCode } from "./command.ts";
import { renderPath } from "./render/grep.ts";
import { createStyle } from "./render/style.ts";
import {
  globArgument,
  globFilter,
  languageArgument,
  languageFilter,
  parseCount,
  refuseGrepFlags,
  usageError,
} from "./search-flags.ts";
import type { CommandSession } from "./session.ts";

export type SemanticMode = "semantic" | "hybrid";

export interface SemanticSearchCall {
  readonly mode: SemanticMode;
  readonly call: Call;
  readonly session: CommandSession;
  readonly project: Project;
  /** Relative to the workspace. */
  readonly under?: string;
}

const DEFAULT_TOP_K = 10;
const DEFAULT_THRESHOLD: Readonly<Record<SemanticMode, number>> = { semantic: 0.6, hybrid: 0.02 };
/** Lines shown of a whole definition. */
const MOST_LINES = 200;

export async function searchSemantically(it: SemanticSearchCall): Promise<ExitCode> {
  const { call, session, project } = it;
  refuseGrepFlags(call, it.mode);
  if (call.flags.threshold !== undefined && call.flags[it.mode] !== true)
    call.terminal.err("--threshold is a score of the list that is fused from meaning and words, as with --hybrid\n");
  const ask = semanticRequest(it);
  if (call.globals.json) return asJson(it, ask);
  const { ref } = call.flags;
  const options = { policy: "best_effort", signal: call.signal, ...(typeof ref === "string" && { ref }) } as const;
  return session.compass.read(project, options, async (reading) => {
    const answer = await reading[it.mode](ask);
    await print(it, reading, ask, answer);
    return answer.hits.length > 0 ? 0 : 1;
  });
}

function semanticRequest({ mode, call, under }: SemanticSearchCall): SemanticRequest {
  const query = call.words.join(" ");
  if (query.trim() === "") throw usageError("the query is empty");
  const topK = parseCount(call, "topK", "--top-k", 1) ?? parseCount(call, "limit", "--limit", 1) ?? DEFAULT_TOP_K;
  return {
    query,
    threshold: parseThreshold(call, mode),
    topK,
    offset: 0,
    limit: topK,
    context: parseCount(call, "context", "--context", 0) ?? 0,
    ...languageFilter(call),
    ...globFilter(call),
    ...(under !== undefined && { under }),
  };
}

function parseThreshold({ flags }: Call, mode: SemanticMode): number {
  // If the mode was implied by another flag, show everything that `search` shows.
  if (flags.threshold === undefined) return flags[mode] === true ? DEFAULT_THRESHOLD[mode] : 0;
  const threshold = Number(flags.threshold);
  if (String(flags.threshold).trim() !== "" && threshold >= 0 && threshold <= 1) return threshold;
  throw usageError(`--threshold is ${flags.threshold}; allowed: a number from 0 to 1`);
}

/** The same answer as the tool gives. */
async function asJson({ mode, call, session, project }: SemanticSearchCall, ask: SemanticRequest): Promise<ExitCode> {
  const { printToolAnswer } = await import("./tool-commands.ts");
  const { flags } = call;
  return printToolAnswer(`${mode}_search`, call, session, {
    query: ask.query,
    workspace: project.root,
    include_snippet: flags.snippet !== false,
    context_lines: ask.context,
    top_k: ask.topK,
    threshold: ask.threshold,
    ...languageArgument(call),
    ...globArgument(call),
    ...(typeof flags.ref === "string" && { ref: flags.ref }),
    ...(ask.under !== undefined && { path: resolve(project.root, ask.under) }),
  });
}

async function print(
  { call, project }: SemanticSearchCall,
  reading: Reading,
  ask: SemanticRequest,
  answer: SemanticAnswer,
): Promise<void> {
  const { terminal, flags, cwd } = call;
  const style = createStyle(terminal);
  const shownPath = (path: string) => relative(cwd, resolve(project.root, path)) || path;
  if (flags.filesWithMatches === true) {
    const view = { style, isTerminal: terminal.outIsTty, shownPath };
    const end = flags.null === true ? "\0" : "\n";
    for (const path of new Set(answer.hits.map((hit) => hit.path))) terminal.matches(`${renderPath(path, view)}${end}`);
  } else if (flags.jsonl === true) {
    for (const hit of answer.hits)
      terminal.out(`${JSON.stringify(jsonLine(hit, await hitText(hit, call, reading)))}\n`);
  } else {
    const shown: string[] = [];
    for (const hit of answer.hits)
      shown.push(render(hit, await hitText(hit, call, reading), { call, style, shownPath }));
    terminal.out(shown.join(flags.snippet === false ? "" : "\n"));
  }
  const { warnings, symbolGaps = [] } = reading.status;
  for (const note of [...warnings, ...symbolGaps, ...answer.notes]) terminal.err(`${style.warn("warning")}: ${note}\n`);
  if (answer.hits.length === 0) terminal.err(nothingFound(reading, ask));
}

/** The result's lines, or the enclosing definition with --full-section; undefined with --no-snippet. */
async function hitText(hit: SemanticHit, { flags }: Call, reading: Reading): Promise<string | undefined> {
  if (flags.snippet === false) return undefined;
  return flags.fullSection === true && hit.symbol !== undefined ? reading.body(hit.symbol) : hit.text;
}

function jsonLine(hit: SemanticHit, text: string | undefined) {
  return {
    path: hit.path,
    span: { line_start: hit.lineStart, line_end: hit.lineEnd },
    language: hit.language,
    score: hit.score,
    ...(hit.symbol && { symbol: hit.symbol.symbol.qualifiedName, kind: hit.symbol.symbol.kind }),
    ...(text !== undefined && { snippet: text }),
  };
}

interface SemanticView {
  readonly call: Call;
  readonly style: Style;
  readonly shownPath: (path: string) => string;
}

function render(hit: SemanticHit, text: string | undefined, { call, style, shownPath }: SemanticView): string {
  const place = `${style.path(printable(shownPath(hit.path)))}:${style.line(`${hit.lineStart}-${hit.lineEnd}`)}`;
  const score = call.flags.scores === true ? `  ${style.dim(hit.score.toFixed(3))}` : "";
  const symbol = hit.symbol?.symbol;
  const name = symbol ? `  ${style.dim(symbol.kind)} ${style.name(printable(symbol.qualifiedName))}` : "";
  const lines = text === undefined ? [] : text.split("\n").slice(0, MOST_LINES);
  return [`${place}${score}${name}`, ...lines.map((line) => `    ${printable(line)}`.trimEnd())]
    .map((line) => `${line}\n`)
    .join("");
}

/** An empty answer reports how much was searched. */
function nothingFound({ status }: Reading, { threshold }: SemanticRequest): string {
  const skipped = skippedText(status.coverage);
  const files = counted(status.coverage?.filesIndexed ?? 0, "file");
  const hint = threshold > 0 ? "; a lower --threshold finds more" : "";
  return `Nothing found in ${files} at ${status.ref}${hint}. ${skipped}\n`;
}
