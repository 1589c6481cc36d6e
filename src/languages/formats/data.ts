/** Configuration and data: the keys that people look for, not every value. */
import { block, comment, quoted, quotedLines } from "../outline/mask.ts";
import type { LanguageRow } from "./format.ts";

const HASH_DOCS = ["##", "#"];

export const DATA: readonly LanguageRow[] = [
  {
    id: "yaml",
    title: "YAML",
    extensions: [".yaml", ".yml"],
    aliases: ["yml"],
    filenames: [".clang-format"],
    ...{ docMarkers: HASH_DOCS, nameOf: withoutQuotes },
    outline: {
      // Block scalars are text; templates (`{{ … }}`, `{% … %}`) are no keys.
      quiet: [{ open: "(?:^|(?<=[ \\t]))#" }, { open: "^[ \\t]*\\{[{%]" }],
      blocks: { stop: "(?!)" },
      definitions: [
        {
          kind: "resource",
          is: /^(?:apiVersion:[^\n]*\n)?kind:[ \t]*(?<scope>\w+)[^\n]*\n(?:apiVersion:[^\n]*\n)?metadata:[^\n]*\n(?:[ \t]+[^\n]*\n)*?[ \t]+name:[ \t]*(?<name>\{\{[^\n]*?\}\}|"[^"\n]+"|[^\s#"]+)/,
          ends: "section",
          margin: true,
        },
        {
          kind: "key",
          is: /^(?<name>[A-Za-z_$.][\w$./-]*|"[^"\n]+"|'[^'\n]+')[ \t]*:(?=\s|$)/,
          ends: "indent",
          margin: true,
          notIn: ["resource"],
        },
        {
          kind: "key",
          is: /^(?<name>[\w$./{}-]+|"[^"\n]+"|'[^'\n]+')[ \t]*:(?=\s|$)/,
          ends: "indent",
          in: ["key"],
          under:
            /^(?:services|volumes|networks|secrets|configs|jobs|paths|components|definitions|parameters|resources|outputs|anchors|stages|pipelines|tasks|targets)$/,
        },
        {
          kind: "key",
          is: /^(?<name>[\w$.-]+|"[^"\n]+"|'[^'\n]+')[ \t]*:(?=\s|$)/,
          ends: "indent",
          in: ["key"],
          under: /^(?:schemas|responses|requestBodies|securitySchemes)$/,
        },
      ],
    },
  },
  {
    id: "toml",
    title: "TOML",
    extensions: [".toml"],
    filenames: ["Cargo.lock", "poetry.lock", "uv.lock"],
    ...{ docMarkers: HASH_DOCS, nameOf: withoutQuotes },
    outline: {
      quiet: [comment("#"), quotedLines('"""'), quotedLines("'''", "'''", ""), quoted('"'), quoted("'", "")],
      blocks: { stop: "(?!)" },
      definitions: [
        { kind: "key", is: /^\[\[?[ \t]*(?<name>[^\]\n]+?)[ \t]*\]/, ends: "section", margin: true },
        { kind: "key", is: /^(?<name>[\w.-]+|"[^"\n]+"|'[^'\n]+')[ \t]*=/, ends: "statement", depth: 0 },
      ],
    },
  },
  {
    id: "ini",
    title: "INI",
    extensions: [".ini", ".cfg", ".conf", ".properties"],
    filenames: [".editorconfig"],
    docMarkers: ["#", ";"],
    outline: {
      quiet: [{ open: "^[ \\t]*[#;!]" }],
      blocks: { stop: "(?!)" },
      definitions: [
        { kind: "key", is: /^\[(?<name>[^\]\n]+)\][ \t\r]*(?:\n|$)/, ends: "section", margin: true },
        { kind: "key", is: /^(?<name>[\w.$/-]+)[ \t]*[=:](?![:/])/, ends: "line", margin: true },
      ],
    },
  },
  {
    id: "json",
    title: "JSON",
    extensions: [".json", ".jsonc", ".json5", ".webmanifest", ".geojson"],
    nameOf: withoutQuotes,
    outline: {
      quiet: [comment("//"), block("/*", "*/"), quoted('"')],
      blocks: { stop: "(?!)", comma: true },
      starts: "statement",
      definitions: [
        { kind: "key", is: /^(?<name>"(?:[^"\\\n]|\\.)+")\s*:/, ends: "value", depth: 1 },
        {
          kind: "key",
          is: /^(?<name>"(?:[^"\\\n]|\\.)+")\s*:/,
          ends: "value",
          depth: 2,
          in: ["key"],
          under: /^(?:scripts|bin|compilerOptions|paths|components|definitions|services|jobs|targets|tasks)$/,
        },
        {
          kind: "key",
          is: /^(?<name>"(?:[^"\\\n]|\\.)+")\s*:/,
          ends: "value",
          depth: 3,
          in: ["key"],
          under: /^(?:schemas)$/,
        },
      ],
    },
  },
  {
    id: "css",
    title: "CSS",
    extensions: [".css", ".scss", ".less"],
    aliases: ["scss", "less"],
    docMarkers: ["/**", "/*", "*/", "*", "//"],
    outline: {
      quiet: [block("/*", "*/"), comment("(?<![:\\w(])//"), quoted('"'), quoted("'")],
      starts: "statement",
      definitions: [
        { kind: "macro", is: /^@(?:mixin|function)\s+(?<name>[\w-]+)/, ends: "block" },
        { kind: "object", is: /^@(?:-\w+-)?keyframes\s+(?<name>[\w-]+)/, ends: "block" },
        {
          kind: "use",
          is: /^@(?:use|import|forward)\s+(?<name>"[^"\n]+"|'[^'\n]+'|url\([^)\n]*\))/,
          ends: "statement",
        },
        { kind: "var", is: /^(?<name>--[\w-]+|\$[\w-]+|@[\w-]+(?=\s*:))\s*:/, ends: "statement", notIn: ["macro"] },
        {
          kind: "selector",
          is: /^(?<name>(?![@\d}]|(?:from|to)\s*\{)[^{};@]*?[^{};@\s])\s*\{/,
          ends: "block",
          notIn: ["object", "macro"],
          each: /[.#%][A-Za-z_-][\w-]*/g,
        },
      ],
    },
  },
];

function withoutQuotes(written: string): string {
  return written.replace(/^["']|["']$/g, "");
}
