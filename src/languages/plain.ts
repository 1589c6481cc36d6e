/** Languages without a grammar: those that a table of rules reads, and searchable text with a name of its own. */
import type { Language } from "./define.ts";
import { format, type LanguageRow } from "./formats/format.ts";
import { INFRASTRUCTURE, SCHEMAS } from "./formats/infrastructure.ts";
import { SCRIPTS } from "./formats/scripts.ts";

const FORMATS: readonly LanguageRow[] = [
  { id: "json", title: "JSON", extensions: [".json", ".jsonc", ".json5", ".webmanifest", ".ipynb"] },
  { id: "yaml", title: "YAML", extensions: [".yaml", ".yml"], filenames: [".clang-format"] },
  { id: "toml", title: "TOML", extensions: [".toml"], filenames: ["Cargo.lock", "poetry.lock", "uv.lock"] },
  { id: "html", title: "HTML", extensions: [".html", ".htm", ".xhtml"] },
  { id: "css", title: "CSS", extensions: [".css", ".scss", ".sass", ".less"] },
  { id: "xml", title: "XML", extensions: [".xml", ".xsd", ".xsl", ".svg", ".csproj", ".props", ".targets", ".plist"] },
  { id: "ini", title: "INI", extensions: [".ini", ".cfg", ".conf", ".properties"], filenames: [".editorconfig"] },
  {
    id: "starlark",
    title: "Starlark",
    extensions: [".bzl", ".star"],
    filenames: ["BUILD", "BUILD.bazel", "WORKSPACE"],
  },
  { id: "nix", title: "Nix", extensions: [".nix"] },
  { id: "vue", title: "Vue", extensions: [".vue"] },
  { id: "svelte", title: "Svelte", extensions: [".svelte"] },
  { id: "restructuredtext", title: "reStructuredText", extensions: [".rst"], aliases: ["rst"] },
  { id: "asciidoc", title: "AsciiDoc", extensions: [".adoc", ".asciidoc"] },
  { id: "powershell", title: "PowerShell", extensions: [".ps1", ".psm1"], interpreters: ["pwsh"] },
  { id: "erlang", title: "Erlang", extensions: [".erl", ".hrl"], interpreters: ["escript"] },
  { id: "clojure", title: "Clojure", extensions: [".clj", ".cljs", ".cljc", ".edn"] },
  { id: "ocaml", title: "OCaml", extensions: [".ml", ".mli"] },
  { id: "fsharp", title: "F#", extensions: [".fs", ".fsi", ".fsx"], aliases: ["f#"] },
  { id: "groovy", title: "Groovy", extensions: [".groovy", ".gradle"] },
  { id: "assembly", title: "Assembly", extensions: [".s", ".asm"], aliases: ["asm"] },
  { id: "vimscript", title: "Vim script", extensions: [".vim"], aliases: ["vim"] },
];

/** What a file is when nothing else is known of it. */
export const TEXT: Language = format({ id: "text", title: "Plain text", extensions: [".txt"], aliases: ["plain"] });

export const PLAIN_FORMATS: readonly Language[] = FORMATS.map(format);

/** Languages whose definitions a table of rules finds. */
export const OUTLINED: readonly Language[] = [...INFRASTRUCTURE, ...SCHEMAS, ...SCRIPTS].map(format);
