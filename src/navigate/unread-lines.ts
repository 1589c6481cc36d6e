/**
 * Lines of code that hold a symbol's name although binding has read neither a use nor a definition there. An answer without
 * uses is complete only if there are none.
 */
import { languageById, moduleSystemOf } from "../languages/index.ts";
import type { FileRecord } from "../model/code.ts";
import { isLongTurn, nextTurn } from "../model/event-loop.ts";
import type { TextMatch } from "../model/search.ts";
import type { Snapshot } from "../ports/snapshot.ts";
import { occurrencesInCode } from "../text/code-occurrences.ts";
import { literalPlan } from "../text/trigrams.ts";
import type { Doubt } from "./references.ts";
import { explainedLines } from "./unused-text.ts";

const MAX_MATCHES = 100;
/** Files that are read for one answer. */
const MAX_FILES = 1_000;

export async function unreadLines(
  { symbols, language }: FileRecord,
  index: number,
  doubts: readonly Doubt[],
  at: Snapshot,
): Promise<readonly TextMatch[]> {
  const name = symbols[index]!.name.replace(/^#/, "");
  const system = moduleSystemOf(language);
  const doubted = Map.groupBy(doubts, ({ path }) => path);
  const found: TextMatch[] = [];
  const files = (await at.holding(literalPlan(name))).filter(
    (file) => moduleSystemOf(file.language) === system || doubted.has(file.path),
  );
  for (const file of files.slice(0, MAX_FILES)) {
    const text = await at.text(file);
    const known = new Set(doubted.get(file.path)?.map(({ line }) => line));
    const explained = await explainedLines(file, at);
    const lines = text.split("\n");
    const seen = new Set<number>();
    for (const { offset, line } of occurrencesInCode(text, name, languageById(file.language)!)) {
      if (seen.has(line) || (!known.has(line) && explained(name, offset, text))) continue;
      seen.add(line);
      found.push({ path: file.path, line, context: lines[line - 1]!.trim() });
    }
    if (found.length >= MAX_MATCHES) break;
    if (isLongTurn()) await nextTurn();
  }
  return found.slice(0, MAX_MATCHES);
}
