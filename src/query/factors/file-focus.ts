/**
 * How much of the file's name is asked for: `application.swift` is about the application, `application+http+server.swift`
 * about something of it. A file that is its directory's entrance (`mod.rs`) is named by the directory.
 */
import type { Candidate, Factor, Pool } from "../candidate.ts";
import { fileWords, isAmong } from "../coverage.ts";

const WEIGHT = 0.7;

export default { name: "file_focus", ofFile: true, value, reason } satisfies Factor;

function value({ file }: Candidate, { question }: Pool): number {
  const own = ownWords(file.path);
  return own.length === 0 ? 0 : (WEIGHT * asked(own, question.words)) / own.length;
}

function reason({ file }: Candidate, { question }: Pool): string {
  const own = ownWords(file.path);
  if (own.length === 0) return "the file has no name of its own";
  return `${asked(own, question.words)} of ${own.length} words of the file's name are asked for`;
}

function ownWords(path: string): readonly string[] {
  const { name, directory, entrance } = fileWords(path);
  return entrance ? directory : name;
}

function asked(own: readonly string[], words: readonly string[]): number {
  let count = 0;
  for (const word of own) if (isAmong(word, words)) count++;
  return count;
}
