/**
 * How much of the file's name is asked for: `application.swift` is about the application, `application+http+server.swift`
 * about something of it. A file that is its directory's entrance (`mod.rs`) is named by the directory.
 */
import type { Candidate, Factor, Judgement, Pool } from "../candidate.ts";
import { fileWords } from "../coverage.ts";
import { alike } from "../words.ts";

const WEIGHT = 0.7;

export default { name: "file_focus", judge } satisfies Factor;

function judge({ file }: Candidate, { question }: Pool): Judgement {
  const { name, directory, entrance } = fileWords(file.path);
  const own = entrance ? directory : name;
  if (own.length === 0) return { value: 0, reason: "the file has no name of its own" };
  const asked = own.filter((word) => question.words.some((other) => alike(word, other))).length;
  return {
    value: (WEIGHT * asked) / own.length,
    reason: `${asked} of ${own.length} words of the file's name are asked for`,
  };
}
