/** Tests, examples, vendored, generated and outdated code, prose and data sink unless they are asked for. */
import type { Candidate, Pool, Scaling } from "../candidate.ts";
import { type PathClass, pathClasses } from "../path-class.ts";

/** What is left of the sum. */
const SHARES: Readonly<Record<PathClass, number>> = {
  test: 0.4,
  example: 0.5,
  vendored: 0.5,
  generated: 0.5,
  compat: 0.5,
  doc: 0.5,
  data: 0.6,
  entry: 0.5,
  declaration: 0.7,
  header: 0.8,
};

export default { name: "path_class", scale, reason } satisfies Scaling;

function scale(candidate: Candidate, pool: Pool): number {
  let share = 1;
  for (const name of sinking(candidate, pool)) share *= SHARES[name];
  return share;
}

function reason(candidate: Candidate, pool: Pool): string {
  if (candidate.type === "file") return "asked for by path";
  const names = sinking(candidate, pool);
  return names.length > 0 ? `${names.join(", ")} files count less` : "plain source";
}

function sinking({ file, type }: Candidate, { question, files }: Pool): readonly PathClass[] {
  if (type === "file") return [];
  const names = sinkingClasses(file.path, question.asked);
  if (!names.includes("header") || files.has(sourceOf(file.path))) return names;
  return names.filter((name) => name !== "header");
}

/** The share without looking at the pool. */
export function pathShare(path: string, asked: ReadonlySet<PathClass>): number {
  return sinkingClasses(path, asked).reduce((share, name) => share * (name === "header" ? 1 : SHARES[name]), 1);
}

function sinkingClasses(path: string, asked: ReadonlySet<PathClass>): readonly PathClass[] {
  const classes = pathClasses(path);
  return asked.size === 0 || classes.length === 0 ? classes : classes.filter((name) => !asked.has(name));
}

/** A C header sinks only where its source was found, too. */
function sourceOf(header: string): string {
  return `${header.slice(0, -1)}c`;
}
