/** From the word of a `language` filter to the language ids it means. */
import { LANGUAGES, languageById } from "../../languages/index.ts";
import { CompassError } from "../../model/errors.ts";

/** People who ask for TypeScript mean its files with JSX too. */
const WIDER: Readonly<Record<string, readonly string[]>> = { typescript: ["typescript", "tsx"] };

/** The same question with language ids for words; a word that means nothing is refused, not answered with nothing. */
export function withLanguageIds<Ask extends { readonly languages?: readonly string[] }>(ask: Ask): Ask {
  if (ask.languages === undefined) return ask;
  return { ...ask, languages: ask.languages.flatMap(idsOf) };
}

function idsOf(word: string): readonly string[] {
  const id = languageById(word)?.id;
  if (id !== undefined) return WIDER[id] ?? [id];
  const known = LANGUAGES.map((language) => language.id).join(", ");
  throw new CompassError("invalid_input", {
    parameter: "language",
    reason: `language must be one of ${known}, or a text format such as markdown`,
  });
}
