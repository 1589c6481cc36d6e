/** Languages without a grammar: those that a table of rules reads, and searchable text with a name of its own. */
import type { Language } from "./define.ts";
import { DATA } from "./formats/data.ts";
import { format, type LanguageRow } from "./formats/format.ts";
import { FUNCTIONAL } from "./formats/functional.ts";
import { INFRASTRUCTURE, SCHEMAS } from "./formats/infrastructure.ts";
import { MACHINES } from "./formats/machines.ts";
import { PROGRAMS } from "./formats/programs.ts";
import { SCRIPTS } from "./formats/scripts.ts";

const FORMATS: readonly LanguageRow[] = [
  { id: "jupyter", title: "Jupyter notebook", extensions: [".ipynb"], aliases: ["ipynb", "notebook"] },
  { id: "sass", title: "Sass", extensions: [".sass"] },
  { id: "assembly", title: "Assembly", extensions: [".s", ".asm"], aliases: ["asm"] },
  { id: "xml", title: "XML", extensions: [".xml", ".xsd", ".xsl", ".svg", ".csproj", ".props", ".targets", ".plist"] },
  { id: "restructuredtext", title: "reStructuredText", extensions: [".rst"], aliases: ["rst"] },
  { id: "asciidoc", title: "AsciiDoc", extensions: [".adoc", ".asciidoc"] },
];

/** The language of a file that no rule recognizes. */
export const TEXT: Language = format({ id: "text", title: "Plain text", extensions: [".txt"], aliases: ["plain"] });

export const PLAIN_FORMATS: readonly Language[] = FORMATS.map(format);

/** Languages whose definitions a table of rules finds. */
export const OUTLINED: readonly Language[] = [
  ...INFRASTRUCTURE,
  ...SCHEMAS,
  ...SCRIPTS,
  ...DATA,
  ...FUNCTIONAL,
  ...PROGRAMS,
  ...MACHINES,
].map(format);
