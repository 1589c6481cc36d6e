/** The list of languages, and how a path or a word leads to one. */
import bash from "./bash/language.ts";
import c from "./c/language.ts";
import cpp from "./cpp/language.ts";
import csharp from "./csharp/language.ts";
import dart from "./dart/language.ts";
import type { Language } from "./define.ts";
import elixir from "./elixir/language.ts";
import { COMPONENTS } from "./formats/components.ts";
import go from "./go/language.ts";
import haskell from "./haskell/language.ts";
import java from "./java/language.ts";
import javascript from "./javascript/language.ts";
import kotlin from "./kotlin/language.ts";
import lua from "./lua/language.ts";
import markdown from "./markdown/language.ts";
import php from "./php/language.ts";
import python from "./python/language.ts";
import ruby from "./ruby/language.ts";
import rust from "./rust/language.ts";
import scala from "./scala/language.ts";
import swift from "./swift/language.ts";
import tsx from "./tsx/language.ts";
import typescript from "./typescript/language.ts";
import { OUTLINED, PLAIN_FORMATS, TEXT } from "./without-grammar.ts";
import zig from "./zig/language.ts";

/** Languages with symbols, in the order of the documentation. */
export const LANGUAGES: readonly Language[] = [
  rust,
  typescript,
  tsx,
  javascript,
  python,
  go,
  java,
  c,
  cpp,
  csharp,
  kotlin,
  ruby,
  php,
  swift,
  scala,
  elixir,
  haskell,
  lua,
  zig,
  bash,
  dart,
  ...COMPONENTS,
  ...OUTLINED,
  markdown,
];

/** Including dialects, which have their own grammars. */
export const READABLE: readonly Language[] = LANGUAGES.flatMap((it) => (it.dialect ? [it, it.dialect.language] : [it]));

/** Every language and format by which files can be filtered, with the names that its files have. */
export function languageGlobs(): { readonly id: string; readonly globs: readonly string[] }[] {
  return EVERY.map(({ id, extensions, filenames = [] }) => ({
    id,
    globs: [...extensions.map((extension) => `*${extension}`), ...filenames],
  })).sort((a, b) => (a.id < b.id ? -1 : 1));
}

const EVERY: readonly Language[] = [...LANGUAGES, ...PLAIN_FORMATS, TEXT];

const byExtension = table((it) => it.extensions);
const byContested = table((it) => it.contested?.extensions ?? []);
const byFilename = table((it) => it.filenames ?? []);
const byInterpreter = table((it) => it.interpreters ?? []);
const byWord = table((it) => [it.id, ...it.aliases, ...it.extensions.map((extension) => extension.slice(1))]);

/**
 * The language of a file: by its whole name, its extension, then its `#!` line. Plain text when nothing is known.
 * `text` is the content, or as much of its beginning as is at hand; a `.h` is C or C++ by what it says.
 */
export function detectLanguage(path: string, text = ""): Language {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return (
    byFilename.get(name) ?? contestedLanguage(name, text) ?? fileExtension(name) ?? shebangInterpreter(text) ?? TEXT
  );
}

/** The language that a `language` filter means: `rust`, `rs`, `C#`. */
export function languageById(word: string): Language | undefined {
  return byWord.get(word) ?? byWord.get(word.trim().toLowerCase());
}

/** Languages with the same word use each other's names. */
export function moduleSystemOf(language: string): string {
  return languageById(language)?.moduleSystem ?? language;
}

/** `a.d.ts` is looked up as `.d.ts` before `.ts`. */
function fileExtension(name: string): Language | undefined {
  const folded = name.toLowerCase();
  for (let dot = folded.indexOf(".", 1); dot >= 0; dot = folded.indexOf(".", dot + 1)) {
    const found = byExtension.get(folded.slice(dot));
    if (found) return found;
  }
  return undefined;
}

function contestedLanguage(name: string, text: string): Language | undefined {
  const claimant = byContested.get(name.slice(name.lastIndexOf(".")).toLowerCase());
  return claimant?.contested?.evidence.test(text) ? claimant : undefined;
}

/** `#!/usr/bin/env -S python3.12 -u` → python. */
function shebangInterpreter(text: string): Language | undefined {
  if (!text.startsWith("#!")) return undefined;
  const words = /^.*/.exec(text.slice(2))![0].trim().split(/\s+/);
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
