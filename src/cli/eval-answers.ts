/** Golden questions asked of the trees they are about, and how good the answers are. */
import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Reading } from "../compass/compass.ts";
import { DEPTH, measure } from "../evaluate/measure.ts";
import { parseAnnotations, parseGoldenFile, parseSuite, type Task } from "../evaluate/suite.ts";
import type { EvaluationRow } from "../evaluate/summary.ts";
import { readBounded } from "../io/bounded-read.ts";
import { CompassError } from "../model/errors.ts";
import type { SearchHit } from "../model/search.ts";
import { estimateTokens } from "../text/tokens.ts";
import type { Call } from "./command.ts";
import { type CommandSession, freshen, openProject } from "./session.ts";

/** A reply shows no more of a long definition. */
const SHOWN_TOKENS = 400;

/** Questions about one tree. */
export interface EvaluationUnit {
  readonly repo: string;
  /** Absent: each question has the language of its answer. */
  readonly language?: string;
  /** Absent: the workspace of the command. */
  readonly directory?: string;
  readonly tasks: readonly Task[];
}

export function loadUnits(call: Call, suite: string): EvaluationUnit[] {
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

export async function evaluateUnit(
  call: Call,
  session: CommandSession,
  unit: EvaluationUnit,
): Promise<EvaluationRow[]> {
  const { directory, tasks, repo } = unit;
  const project = directory === undefined ? await openProject(session) : await session.compass.register(directory);
  await freshen(call, session, project);
  return session.compass.read(project, { policy: "best_effort", signal: call.signal }, async (reading) => {
    const rows: EvaluationRow[] = [];
    const told = new Set<string>();
    for (const task of tasks) {
      call.signal.throwIfAborted();
      const language = unit.language ?? (await targetLanguage(task, reading, call));
      const began = performance.now();
      const { hits, notes } = await reading.search({ query: task.query, limit: DEPTH, brief: true });
      const milliseconds = performance.now() - began;
      for (const note of notes) told.add(note);
      const results = await Promise.all(hits.map(async (hit) => ({ ...hit, tokens: await shownTokens(hit, reading) })));
      rows.push({ repo, language, ...task, measure: measure(task, results), milliseconds });
    }
    // A model that was not asked, or only in part, is not measured.
    for (const note of told) call.terminal.err(`warning: ${repo}: ${note}\n`);
    return rows;
  });
}

/** A brief answer leaves out the source of definitions; whoever looks for one reads it. */
async function shownTokens({ text, symbol }: SearchHit, reading: Reading): Promise<number> {
  const read = text === "" && symbol !== undefined ? await reading.body(symbol) : text;
  return Math.min(SHOWN_TOKENS, estimateTokens(read));
}

/** Of the first answer that is there. One that is not can never be found: its author must hear of it. */
async function targetLanguage({ query, targets }: Task, reading: Reading, { terminal }: Call): Promise<string> {
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

/** Suites and baselines are lists of questions. */
const MAX_BYTES = 64 << 20;

export function readFile({ cwd }: Pick<Call, "cwd">, file: string): string {
  const read = readBounded(resolve(cwd, file), MAX_BYTES);
  if ("bytes" in read) return read.bytes.toString("utf8");
  throw new CompassError("invalid_input", { reason: `${file} cannot be read: it ${read.problem.reason}` });
}
