import { writeFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import { type Baseline, parseBaseline, type Regression, regressions } from "../../evaluate/compare.ts";
import { DEPTH } from "../../evaluate/measure.ts";
import { parseLocation } from "../../evaluate/suite.ts";
import { type EvaluationRow, summarise } from "../../evaluate/summary.ts";
import { CompassError } from "../../model/errors.ts";
import { type Call, type CommandSpec, type ExitCode, MODEL_FLAG, WORKSPACE_FLAGS } from "../command.ts";
import { evaluateUnit, loadUnits, readFile } from "../eval-answers.ts";
import { renderComparison, renderMissed, renderSummary, renderWhyNot } from "../render/evaluation.ts";
import { createStyle } from "../render/style.ts";
import { type CommandSession, freshen, openProject, withCompass } from "../session.ts";

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
    if (typeof suite === "string") return withCompass(call, (session) => evaluate(call, session, suite));
    throw new CompassError("invalid_input", { reason: "eval needs --suite, or --why-not with a query" });
  },
} satisfies CommandSpec;

async function explainAbsence(call: Call, session: CommandSession, place: string): Promise<ExitCode> {
  const { path, lines } = parseLocation(place);
  const query = call.words.join(" ");
  if (lines === undefined) throw new CompassError("invalid_input", { reason: "--why-not needs path:line" });
  if (query.trim() === "") throw new CompassError("invalid_input", { reason: "--why-not needs a query" });
  const project = await openProject(session);
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

async function evaluate(call: Call, session: CommandSession, suite: string): Promise<ExitCode> {
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
  print(call, result, rows, before, worse);
  return worse.length > 0 ? 1 : 0;
}

function print(
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
