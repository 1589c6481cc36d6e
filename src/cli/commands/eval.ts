import { writeFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import { type Baseline, parseBaseline, type Regression, regressions } from "../../evaluate/compare.ts";
import { DEPTH } from "../../evaluate/measure.ts";
import { parsePlace } from "../../evaluate/suite.ts";
import { type Row, summarise } from "../../evaluate/summary.ts";
import { CompassError } from "../../model/errors.ts";
import { type Call, type CommandSpec, type ExitCode, MODEL_FLAG, WORKSPACE_FLAGS } from "../command.ts";
import { answersOf, readFile, unitsOf } from "../eval-answers.ts";
import { renderComparison, renderMissed, renderSummary, renderWhyNot } from "../render/evaluation.ts";
import { styleOf } from "../render/style.ts";
import { freshen, projectOf, type Session, withCompass } from "../session.ts";

export default {
  name: "eval",
  summary: "Measure search quality on golden questions, or ask why a line is not among the results",
  group: "Commands:",
  argument: { name: "[query...]", doc: "with --why-not: the question" },
  flags: [
    { flags: "--suite <place>", doc: "a suite's directory, or a file of lines: question<tab>path[:line[-line]]" },
    { flags: "--checkouts <dir>", doc: "where the suite's repositories lie (default: checkouts/ in the suite)" },
    { flags: "--whole", doc: "index whole checkouts instead of the suite's roots" },
    { flags: "--repo <name>", doc: "only this repository of the suite", repeatable: true },
    { flags: "--save <file>", doc: "write the result, to compare later runs with" },
    { flags: "--baseline <file>", doc: "compare with a saved result; exits 1 when something got worse" },
    { flags: "--tolerance <n>", doc: "how much worse is no regression", default: "0.005" },
    { flags: "--why-not <path:line>", doc: "say why this line is not among the results of the question" },
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
    throw new CompassError("invalid_input", { reason: "eval needs --suite, or --why-not with a question" });
  },
} satisfies CommandSpec;

async function explainAbsence(call: Call, session: Session, place: string): Promise<ExitCode> {
  const { path, lines } = parsePlace(place);
  const query = call.words.join(" ");
  if (lines === undefined) throw new CompassError("invalid_input", { reason: "--why-not needs path:line" });
  if (query.trim() === "") throw new CompassError("invalid_input", { reason: "--why-not needs a question after it" });
  const project = await projectOf(session);
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

async function evaluate(call: Call, session: Session, suite: string): Promise<ExitCode> {
  const { baseline, save, tolerance } = call.flags;
  const before = typeof baseline === "string" ? parseBaseline(readFile(call, baseline), baseline) : undefined;
  const allowed = Number(tolerance);
  if (!(allowed >= 0))
    throw new CompassError("invalid_input", { reason: `--tolerance is ${tolerance}; allowed: 0 or more` });
  const rows: Row[] = [];
  for (const unit of unitsOf(call, suite)) rows.push(...(await answersOf(call, session, unit)));
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
  rows: readonly Row[],
  before: Baseline | undefined,
  worse: readonly Regression[],
) {
  if (globals.json) {
    const compared = before === undefined ? {} : { regressions: worse };
    terminal.out(`${JSON.stringify({ ...result, ...compared, questions: rows })}\n`);
    return;
  }
  const style = styleOf(terminal);
  terminal.out(renderSummary(result.summary, style));
  terminal.out(renderMissed(rows));
  if (before !== undefined) terminal.out(renderComparison(before.summary, result.summary, worse, style));
}
