/** Which files are named after words of an issue. */
import type { FileRow } from "../../ports/snapshot.ts";
import { splitIdentifier, stem } from "../../text/identifiers.ts";
import { isStopWord } from "../../text/query-terms.ts";
import { fileWords } from "../coverage.ts";
import { type CandidateFiles, isPlainSource } from "./candidate-files.ts";
import type { IssueEvidence } from "./evidence.ts";

const WORDS = /[\p{L}\p{M}\p{N}_]+/gu;
const WORDS_OF = { title: 1, prose: 0.25, code: 0.15 } as const;

/** Words of the issue in the names of files and directories; a word of few paths tells more. */
export function addPathWords(
  files: CandidateFiles,
  rows: readonly FileRow[],
  { title, prose, code }: IssueEvidence,
): void {
  const inTitle = wordSet(title);
  const weights = new Map<string, number>();
  for (const word of wordSet(code)) weights.set(word, WORDS_OF.code);
  for (const word of wordSet(prose)) weights.set(word, WORDS_OF.prose);
  for (const word of inTitle) weights.set(word, WORDS_OF.title);
  const frequency = new Map<string, number>();
  for (const { path } of rows) {
    const { name, directory } = fileWords(path);
    for (const word of new Set([...name, ...directory])) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  }
  const rarity = (word: string) => Math.log(1 + rows.length / (frequency.get(word) ?? rows.length));
  for (const file of rows) {
    const { name, directory, entrance } = fileWords(file.path);
    const own = entrance ? directory : name;
    if (own.length === 0) continue;
    let fromTitle = 0;
    let fromText = 0;
    let titled = 0;
    for (const word of own) {
      const weight = weights.get(word) ?? 0;
      fromText += weight * rarity(word);
      if (!inTitle.has(word)) continue;
      titled++;
      fromTitle += rarity(word);
    }
    for (const word of entrance ? [] : directory) {
      fromText += 0.5 * (weights.get(word) ?? 0) * rarity(word);
      if (inTitle.has(word)) fromTitle += 0.5 * rarity(word);
    }
    if (fromText === 0) continue;
    // Most files share some frequent word; they are candidates for other reasons or not at all.
    const isNamed = titled === own.length || own.every((word) => weights.has(word));
    const held = isNamed && isPlainSource(file.path) ? files.at(file) : files.known(file.path);
    if (held === undefined) continue;
    held.signals.title_in_path = fromTitle;
    held.signals.path_in_text = fromText;
    held.signals.path_in_title = titled / own.length;
  }
}

function wordSet(text: string): Set<string> {
  const found = new Set<string>();
  for (const [word] of text.matchAll(WORDS)) {
    if (isStopWord(word.toLowerCase())) continue;
    for (const part of splitIdentifier(word)) if (part.length > 1) found.add(stem(part.toLowerCase()));
  }
  return found;
}
