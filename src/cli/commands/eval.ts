/** `eval`: runs golden queries and measures the results. */
import { statSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import type { Reading } from "../../compass/compass.ts";
import { DEPTH, measure } from "../../evaluate/measure.ts";
import { parseAnnotations, parseGoldenFile, parseLocation, parseSuite, type SuiteQuery } from "../../evaluate/suite.ts";
import {
  type Baseline,
  type EvaluationRow,
  parseBaseline,
  type Regression,
  regressions,
  summarise,
} from "../../evaluate/summary.ts";
import { readBounded } from "../../io/bounded-read.ts";
import { CompassError } from "../../model/errors.ts";
import type { SearchHit } from "../../model/search.ts";
import { estimateTokens } from "../../text/tokens.ts";
import { type Call, type CommandSpec, type ExitCode, MODEL_FLAG, WORKSPACE_FLAGS } from "../command.ts";
import { renderComparison, renderMissed, renderSummary, renderWhyNot } from "../render/evaluation.ts";
import { createStyle } from "../render/style.ts";
import { type CommandSession, freshen, openCommandProject, withCompass } from "../session.ts";

export default {
  name: "eval",
  summary: "Measure search quality on golden queries, or explain why a line is missing from the results",
  group: "Commands:",
  argument: { name: "[query...]", doc: "Query to explain (with --why-not)" },
  flags: [
    {
      flags: "--suite <path>",
      doc: "Suite directory, or a file with one query per line: QUERY<tab>PATH[:LINE[-LINE]]",
    },
    { flags: "--checkouts <dir>", doc: "Directory with the suite's repositories (default: checkouts/ in the suite)" },
    { flags: "--whole", doc: "Index whole checkouts instead of the suite's source roots" },
    { flags: "--repo <name>", doc: "Evaluate only this repository of the suite", repeatable: true },
    { flags: "--save <file>", doc: "Save the results to a file" },
    { flags: "--baseline <file>", doc: "Compare with saved results; exit 1 on a regression" },
    { flags: "--tolerance <n>", doc: "Score drop that does not count as a regression", default: "0.005" },
    { flags: "--why-not <path:line>", doc: "Explain why this line is missing from the results of the query" },
    MODEL_FLAG,
    ...WORKSPACE_FLAGS,
  ],
  examples: [
    "eval --suite golden.tsv",
    "eval --suite bench/suite --checkouts /tmp/checkouts --save before.json",
    "eval --suite golden.tsv --baseline before.json",
    'eval --why-not src/limit.ts:40 "where is rate limiting done"',
  ],

  run(call) {
    const { suite, whyNot } = call.flags;
    if (typeof whyNot === "string") return withCompass(call, (session) => explainAbsence(call, session, whyNot));
    if (typeof suite === "string") return withCompass(call, (session) => runSuite(call, session, suite));
    throw new CompassError("invalid_input", { reason: "eval needs --suite, or --why-not with a query" });
  },
} satisfies CommandSpec;

async function explainAbsence(call: Call, session: CommandSession, place: string): Promise<ExitCode> {
  const { path, lines } = parseLocation(place);
  const query = call.words.join(" ");
  if (lines === undefined) throw new CompassError("invalid_input", { reason: "--why-not needs path:line" });
  if (query.trim() === "") throw new CompassError("invalid_input", { reason: "--why-not needs a query" });
  const project = await openCommandProject(session);
  await freshen(call, session, project);
  const inside = relative(project.root, resolve(call.cwd, path)).replaceAll("\\", "/");
  const known = inside.startsWith("..") ? path : inside;
  const answer = await session.compass.read(project, { policy: "best_effort", signal: call.signal }, (reading) =>
    reading.whyNot({ query, limit: DEPTH, brief: true }, known, lines.start),
  );
  const { terminal, globals } = call;
  terminal.out(globals.json ? `${JSON.stringify(answer)}\n` : renderWhyNot(answer, `${known}:${lines.start}`));
  return answer.verdict === "shown" ? 0 : 1;
}

async function runSuite(call: Call, session: CommandSession, suite: string): Promise<ExitCode> {
  const { baseline, save, tolerance } = call.flags;
  const before = typeof baseline === "string" ? parseBaseline(readFile(call, baseline), baseline) : undefined;
  const allowed = Number(tolerance);
  if (!(allowed >= 0))
    throw new CompassError("invalid_input", { reason: `--tolerance is ${tolerance}; allowed: 0 or more` });
  const rows: EvaluationRow[] = [];
  for (const unit of loadUnits(call, suite)) rows.push(...(await evaluateUnit(call, session, unit)));
  const summary = summarise(rows);
  const worse = before === undefined ? [] : regressions(before.summary, summary, allowed);
  const result: Baseline = { version: 1, suite, summary };
  if (typeof save === "string") writeFileSync(resolve(call.cwd, save), `${JSON.stringify(result, null, 1)}\n`);
  if (before !== undefined && before.summary.all.queries !== rows.length)
    call.terminal.err(`warning: ${baseline} holds ${before.summary.all.queries} questions, this run ${rows.length}\n`);
  printEvaluation(call, result, rows, before, worse);
  return worse.length > 0 ? 1 : 0;
}

function printEvaluation(
  { terminal, globals }: Call,
  result: Baseline,
  rows: readonly EvaluationRow[],
  before: Baseline | undefined,
  worse: readonly Regression[],
) {
  if (globals.json) {
    const compared = before === undefined ? {} : { regressions: worse };
    terminal.out(`${JSON.stringify({ ...result, ...compared, questions: rows })}\n`);
    return;
  }
  const style = createStyle(terminal);
  terminal.out(renderSummary(result.summary, style));
  terminal.out(renderMissed(rows));
  if (before !== undefined) terminal.out(renderComparison(before.summary, result.summary, worse, style));
}

/** A reply shows no more of a long definition. */
const SHOWN_TOKENS = 400;

/** Queries about one tree. */
interface EvaluationUnit {
  readonly repo: string;
  /** Absent: each query has the language of its target. */
  readonly language?: string;
  /** Absent: the workspace of the command. */
  readonly directory?: string;
  readonly tasks: readonly SuiteQuery[];
}

function loadUnits(call: Call, suite: string): EvaluationUnit[] {
  const at = resolve(call.cwd, suite);
  if (!statSync(at, { throwIfNoEntry: false })?.isDirectory()) {
    return [{ repo: "workspace", tasks: parseGoldenFile(readFile(call, suite), suite) }];
  }
  const { checkouts, repo, whole } = call.flags;
  const trees = typeof checkouts === "string" ? resolve(call.cwd, checkouts) : join(at, "checkouts");
  const list = join(at, "suite.json");
  const all = parseSuite(readFile(call, list), list);
  const unknown = (repo as string[] | undefined)?.find((name) => !all.some((entry) => entry.name === name));
  if (unknown !== undefined)
    throw new CompassError("invalid_input", { reason: `${list} has no repository ${unknown}` });
  const entries = all.filter(({ name }) => repo === undefined || (repo as string[]).includes(name));
  return entries.map(({ name, language, root }) => {
    const annotations = join(at, "annotations", `${name}.json`);
    const directory = join(trees, name, whole === true ? "" : root);
    return { repo: name, language, directory, tasks: parseAnnotations(readFile(call, annotations), annotations) };
  });
}

async function evaluateUnit(call: Call, session: CommandSession, unit: EvaluationUnit): Promise<EvaluationRow[]> {
  const { directory, tasks, repo } = unit;
  const project =
    directory === undefined ? await openCommandProject(session) : await session.compass.register(directory);
  await freshen(call, session, project);
  return session.compass.read(project, { policy: "best_effort", signal: call.signal }, async (reading) => {
    const rows: EvaluationRow[] = [];
    const notesSeen = new Set<string>();
    for (const task of tasks) {
      call.signal.throwIfAborted();
      const language = unit.language ?? (await targetLanguage(task, reading, call));
      const began = performance.now();
      const { hits, notes } = await reading.search({ query: task.query, limit: DEPTH, brief: true });
      const milliseconds = performance.now() - began;
      for (const note of notes) notesSeen.add(note);
      const results = await Promise.all(hits.map(async (hit) => ({ ...hit, tokens: await shownTokens(hit, reading) })));
      rows.push({ repo, language, ...task, measure: measure(task, results), milliseconds });
    }
    // If the model was not used, or only in part, its quality was not measured.
    for (const note of notesSeen) call.terminal.err(`warning: ${repo}: ${note}\n`);
    return rows;
  });
}

/** A brief answer omits the source of definitions, so it is read here. */
async function shownTokens({ text, symbol }: SearchHit, reading: Reading): Promise<number> {
  const read = text === "" && symbol !== undefined ? await reading.body(symbol) : text;
  return Math.min(SHOWN_TOKENS, estimateTokens(read));
}

/** Of the first answer that is there. One that is not can never be found: its author must hear of it. */
async function targetLanguage({ query, targets }: SuiteQuery, reading: Reading, { terminal }: Call): Promise<string> {
  const languages: string[] = [];
  for (const { path } of targets) {
    try {
      languages.push((await reading.outline(path, "top")).language);
    } catch (error) {
      if (!(error instanceof CompassError) || error.code !== "file_not_found") throw error;
      terminal.err(`warning: ${path}, the answer to "${query}", is not in the index\n`);
    }
  }
  return languages[0] ?? "unknown";
}

/** Limit for suite and baseline files. */
const MAX_BYTES = 64 << 20;

function readFile({ cwd }: Pick<Call, "cwd">, file: string): string {
  const read = readBounded(resolve(cwd, file), MAX_BYTES);
  if ("bytes" in read) return read.bytes.toString("utf8");
  throw new CompassError("invalid_input", { reason: `${file} cannot be read: it ${read.problem.reason}` });
}
