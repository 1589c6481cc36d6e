/** What a language says about references, for the read path, which knows no languages of its own. */
import { languageById } from "../../languages/index.ts";
import type { LanguageEdges } from "../../model/language-edges.ts";

export function referenceRules(language: string): LanguageEdges | undefined {
  return languageById(language)?.edges;
}
