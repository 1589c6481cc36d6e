/** The list of languages, and how a path or a word leads to one. */
import type { Language } from "./define.ts";
import { PLAIN_FORMATS, TEXT } from "./plain.ts";
import rust from "./rust/language.ts";

/** Languages with symbols, in the order of the documentation. */
export const LANGUAGES: readonly Language[] = [rust];

const EVERY: readonly Language[] = [...LANGUAGES, ...PLAIN_FORMATS, TEXT];

const byExtension = table((it) => it.extensions);
const byFilename = table((it) => it.filenames ?? []);
const byInterpreter = table((it) => it.interpreters ?? []);
const byWord = table((it) => [it.id, ...it.aliases, ...it.extensions.map((extension) => extension.slice(1))]);

/** The language of a file: by its whole name, its extension, then its `#!` line. Plain text when nothing is known. */
export function languageOf(path: string, firstLine = ""): Language {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return byFilename.get(name) ?? extensionOf(name) ?? interpreterOf(firstLine) ?? TEXT;
}

/** The language that a `language` filter means: `rust`, `rs`, `C#`. */
export function languageById(word: string): Language | undefined {
  return byWord.get(word.trim().toLowerCase());
}

/** `a.d.ts` is asked as `.d.ts` before `.ts`. */
function extensionOf(name: string): Language | undefined {
  const folded = name.toLowerCase();
  for (let dot = folded.indexOf(".", 1); dot >= 0; dot = folded.indexOf(".", dot + 1)) {
    const found = byExtension.get(folded.slice(dot));
    if (found) return found;
  }
  return undefined;
}

/** `#!/usr/bin/env -S python3.12 -u` → python. */
function interpreterOf(firstLine: string): Language | undefined {
  if (!firstLine.startsWith("#!")) return undefined;
  const words = firstLine.slice(2).trim().split(/\s+/);
  const programs = words.filter((word) => !word.startsWith("-")).map((word) => word.slice(word.lastIndexOf("/") + 1));
  const program = programs[0] === "env" ? programs[1] : programs[0];
  if (!program) return undefined;
  return byInterpreter.get(program) ?? byInterpreter.get(program.replace(/[\d.]+$/, ""));
}

/** The first language that claims a key keeps it. */
function table(keysOf: (language: Language) => readonly string[]): ReadonlyMap<string, Language> {
  const map = new Map<string, Language>();
  for (const language of EVERY) {
    for (const key of keysOf(language)) if (!map.has(key)) map.set(key, language);
  }
  return map;
}
