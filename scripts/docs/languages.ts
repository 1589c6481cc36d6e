/** docs/languages.md: what is supported for each language. */
import { LANGUAGES } from "../../src/languages/index.ts";
import { code, table } from "./markdown.ts";

export function languagesPage(): string {
  const rows = LANGUAGES.map((language) => [
    language.dialect ? `${language.title}, ${language.dialect.language.title}` : language.title,
    code(language.id),
    language.aliases.map(code).join(" "),
    [...language.extensions, ...(language.filenames ?? [])].map(code).join(" "),
    language.edges ? "yes" : "no",
    language.grammar ? code(language.grammar.npm) : "none: read by rules",
  ]);
  return `# Languages

Symbols, outlines and chunks for the ${LANGUAGES.length} languages below. Every other text file is searchable as plain text.
Languages with references have imports, uses of names and call graphs; [how they are found](references.md).
A \`language\` filter takes the name or an alias, in any case. How to add one: [src/languages](../src/languages/README.md).

A language without a grammar is read by a table of rules: comments, strings, brackets and the forms of its definitions. Its
definitions and their members are found; its uses of names are searched as text.

${table(["Language", "Name", "Aliases", "Files", "References", "Grammar"], rows)}`;
}
