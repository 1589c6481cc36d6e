/** Formats that are read without a grammar: searchable text with a name of its own. */
import { defineLanguage, type Language, modulePath } from "./define.ts";

interface PlainFormat {
  readonly id: string;
  readonly title: string;
  readonly extensions: readonly string[];
  readonly aliases?: readonly string[];
  readonly filenames?: readonly string[];
  readonly interpreters?: readonly string[];
}

const FORMATS: readonly PlainFormat[] = [
  { id: "json", title: "JSON", extensions: [".json", ".jsonc", ".json5", ".webmanifest", ".ipynb"] },
  { id: "yaml", title: "YAML", extensions: [".yaml", ".yml"], filenames: [".clang-format"] },
  { id: "toml", title: "TOML", extensions: [".toml"], filenames: ["Cargo.lock", "poetry.lock", "uv.lock"] },
  { id: "html", title: "HTML", extensions: [".html", ".htm", ".xhtml"] },
  { id: "css", title: "CSS", extensions: [".css", ".scss", ".sass", ".less"] },
  { id: "sql", title: "SQL", extensions: [".sql"] },
  { id: "xml", title: "XML", extensions: [".xml", ".xsd", ".xsl", ".svg", ".csproj", ".props", ".targets", ".plist"] },
  { id: "ini", title: "INI", extensions: [".ini", ".cfg", ".conf", ".properties"], filenames: [".editorconfig"] },
  { id: "dockerfile", title: "Dockerfile", extensions: [".dockerfile"], filenames: ["Dockerfile", "Containerfile"] },
  {
    id: "makefile",
    title: "Makefile",
    extensions: [".mk", ".mak"],
    filenames: ["Makefile", "makefile", "GNUmakefile"],
  },
  { id: "cmake", title: "CMake", extensions: [".cmake"], filenames: ["CMakeLists.txt"] },
  {
    id: "starlark",
    title: "Starlark",
    extensions: [".bzl", ".star"],
    filenames: ["BUILD", "BUILD.bazel", "WORKSPACE"],
  },
  { id: "proto", title: "Protocol Buffers", extensions: [".proto"], aliases: ["protobuf"] },
  { id: "graphql", title: "GraphQL", extensions: [".graphql", ".gql"] },
  { id: "terraform", title: "Terraform", extensions: [".tf", ".tfvars", ".hcl"], aliases: ["hcl"] },
  { id: "nix", title: "Nix", extensions: [".nix"] },
  { id: "vue", title: "Vue", extensions: [".vue"] },
  { id: "svelte", title: "Svelte", extensions: [".svelte"] },
  { id: "restructuredtext", title: "reStructuredText", extensions: [".rst"], aliases: ["rst"] },
  { id: "asciidoc", title: "AsciiDoc", extensions: [".adoc", ".asciidoc"] },
  { id: "powershell", title: "PowerShell", extensions: [".ps1", ".psm1"], interpreters: ["pwsh"] },
  { id: "perl", title: "Perl", extensions: [".pl", ".pm"], interpreters: ["perl"] },
  { id: "r", title: "R", extensions: [".r"], interpreters: ["Rscript"] },
  { id: "julia", title: "Julia", extensions: [".jl"], interpreters: ["julia"] },
  { id: "erlang", title: "Erlang", extensions: [".erl", ".hrl"], interpreters: ["escript"] },
  { id: "clojure", title: "Clojure", extensions: [".clj", ".cljs", ".cljc", ".edn"] },
  { id: "ocaml", title: "OCaml", extensions: [".ml", ".mli"] },
  { id: "fsharp", title: "F#", extensions: [".fs", ".fsi", ".fsx"], aliases: ["f#"] },
  { id: "objective-c", title: "Objective-C", extensions: [".m", ".mm"], aliases: ["objc"] },
  { id: "groovy", title: "Groovy", extensions: [".groovy", ".gradle"] },
  { id: "assembly", title: "Assembly", extensions: [".s", ".asm"], aliases: ["asm"] },
  { id: "vimscript", title: "Vim script", extensions: [".vim"], aliases: ["vim"] },
];

/** What a file is when nothing else is known of it. */
export const TEXT: Language = plain({ id: "text", title: "Plain text", extensions: [".txt"], aliases: ["plain"] });

export const PLAIN_FORMATS: readonly Language[] = FORMATS.map(plain);

function plain(format: PlainFormat): Language {
  return defineLanguage({
    aliases: [],
    ...format,
    separator: ".",
    moduleOf: (path) => modulePath(path),
    methodOwners: [],
    visibility: () => ({}),
    docMarkers: [],
  });
}
