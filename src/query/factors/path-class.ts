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

export default { name: "path_class", scale } satisfies Scaling;

function scale({ file, type }: Candidate, { question, files }: Pool): { factor: number; reason: string } {
  if (type === "file") return { factor: 1, reason: "asked for by path" };
  const sinking = sinkingClasses(file.path, question.asked).filter(
    (name) => name !== "header" || files.has(sourceOf(file.path)),
  );
  const factor = sinking.reduce((share, name) => share * SHARES[name], 1);
  return { factor, reason: sinking.length > 0 ? `${sinking.join(", ")} files count less` : "plain source" };
}

/** The share without looking at the pool. */
export function pathShare(path: string, asked: ReadonlySet<PathClass>): number {
  return sinkingClasses(path, asked).reduce((share, name) => share * (name === "header" ? 1 : SHARES[name]), 1);
}

function sinkingClasses(path: string, asked: ReadonlySet<PathClass>): PathClass[] {
  return [...new Set(pathClasses(path))].filter((name) => !asked.has(name));
}

/** A C header sinks only where its source was found, too. */
function sourceOf(header: string): string {
  return `${header.slice(0, -1)}c`;
}
