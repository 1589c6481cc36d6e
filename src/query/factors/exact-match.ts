/** The query is the name, the path or, word for word, part of the text. */
import type { Candidate, Factor, Pool } from "../candidate.ts";

const CAP = 0.2;
const OTHER_CASE = 0.5;

export default { name: "exact_match", cap: CAP, value, reason } satisfies Factor;

function value(candidate: Candidate, pool: Pool): number {
  return CAP * shareOf(candidate, pool);
}

function reason(candidate: Candidate, pool: Pool): string {
  const share = shareOf(candidate, pool);
  return REASONS[share === 1 ? "exact" : share > 0 ? "folded" : "none"];
}

const REASONS = {
  exact: "the query is exactly its name, path or words",
  folded: "the query is its name, path or words in another case",
  none: "the query is not exactly its name, path or words",
};

function shareOf({ type, opened, file, text }: Candidate, { question }: Pool): number {
  if (type === "symbol") return compare([opened?.symbol?.name ?? ""], question.name?.spellings ?? []);
  if (type === "file") return compare([file.path, file.path.slice(file.path.lastIndexOf("/") + 1)], [question.text]);
  if (text === undefined || question.text.length < 3) return 0;
  if (text.includes(question.text)) return 1;
  return text.toLowerCase().includes(question.text.toLowerCase()) ? OTHER_CASE : 0;
}

function compare(names: readonly string[], asked: readonly string[]): number {
  if (names.some((name) => asked.includes(name))) return 1;
  const folded = asked.map((word) => word.toLowerCase());
  return names.some((name) => folded.includes(name.toLowerCase())) ? OTHER_CASE : 0;
}
