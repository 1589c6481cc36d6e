/**
 * Where an answer about uses ends: languages that have symbols but no references. Literal matches of a name in their files
 * are listed as text, so that "no uses" is never said of files that were not looked at.
 */
import { languageById } from "../languages/index.ts";
import { isLongTurn, nextTurn } from "../model/event-loop.ts";
import type { LanguageFiles, TextMatch } from "../model/navigation.ts";
import type { Snapshot } from "../ports/snapshot.ts";

/** Languages of the view whose definitions are known and whose uses are not. */
export function languagesWithoutReferences({ info }: Snapshot): LanguageFiles[] {
  return info.languages.filter(({ language }) => {
    const it = languageById(language);
    return it?.grammar !== undefined && it.edges === undefined;
  });
}

const MAX_MATCHES = 100;
/** Files that are read; the answer is partial anyway. */
const MAX_FILES = 2_000;

/** Lines with the name as a whole word, in files of one language. */
export async function textMatches(name: string, language: string, at: Snapshot): Promise<readonly TextMatch[]> {
  const files = (await at.files()).filter((file) => file.language === language);
  const found: TextMatch[] = [];
  for (const file of files.slice(0, MAX_FILES)) {
    const lines = (await at.text(file)).split("\n");
    for (const [i, text] of lines.entries())
      if (isNamedIn(text, name)) found.push({ path: file.path, line: i + 1, context: text.trim() });
    if (found.length >= MAX_MATCHES) break;
    if (isLongTurn()) await nextTurn();
  }
  return found.slice(0, MAX_MATCHES);
}

const WORD = /[\p{L}\p{N}_]/u;

function isNamedIn(text: string, name: string): boolean {
  for (let i = text.indexOf(name); i >= 0; i = text.indexOf(name, i + 1))
    if (!WORD.test(text[i - 1] ?? "") && !WORD.test(text[i + name.length] ?? "")) return true;
  return false;
}
