/** Parses a file's text as its grammar sees it best: without what it stumbles over, and once more after errors. */
import type { Language } from "../languages/define.ts";
import type { Grammars, Parsed } from "../ports/grammars.ts";

/** The language must have been prepared. Both tries keep every offset, so the result speaks of `text`. */
export function parse(
  language: Language,
  text: string,
  grammars: Grammars,
  budgetMs: number,
  only?: "definitions",
): Parsed {
  const seen = language.quiet?.(text) ?? text;
  const parsed = grammars.parse(language.id, seen, budgetMs, only);
  if (parsed.outcome !== "partial" || language.secondTry === undefined) return parsed;
  const simpler = language.secondTry(seen);
  if (simpler === seen) return parsed;
  const again = grammars.parse(language.id, simpler, budgetMs, only);
  // A branch that is not read costs its definitions; an error may cost those of the whole file.
  return again.definitions.length > parsed.definitions.length ? again : parsed;
}
