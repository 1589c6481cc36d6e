/** Languages for programs, statistics and shells. */
import { block, comment, heredoc, nested, quoted, quotedLines } from "../outline/mask.ts";
import type { OutlineRules } from "../outline/outline.ts";
import type { LanguageRow } from "./format.ts";

const C_DOCS = ["/**", "///", "//", "/*", "*/", "*"];

export const SCRIPTS: readonly LanguageRow[] = [
  {
    id: "objective-c",
    title: "Objective-C",
    extensions: [".m", ".mm"],
    aliases: ["objc", "objectivec"],
    contested: {
      extensions: [".h"],
      evidence: /^[ \t]*@(?:interface|protocol|class|import)\b|^[ \t]*#import\b|\bNS_ASSUME_NONNULL_BEGIN\b/m,
    },
    docMarkers: C_DOCS,
    nameOf: selectorName,
    outline: {
      quiet: [comment("//"), block("/*", "*/"), quoted('"'), quoted("'")],
      blocks: { words: [["@(?:interface|implementation|protocol(?=\\s+\\w+\\s*[<\\n@#/-]))", "@end\\b"]] },
      definitions: [
        { kind: "use", is: /^#\s*(?:import|include)\s+(?<name><[^>\n]+>|"[^"\n]+")/, ends: "line" },
        { kind: "use", is: /^@import\s+(?<name>[\w.]+)/, ends: "line" },
        { kind: "macro", is: /^#\s*define\s+(?<name>\w+)/, ends: "line" },
        { kind: "extension", is: /^@interface\s+(?<name>\w+)\s*\([^)\n]*\)/, ends: "words" },
        { kind: "class", is: /^@interface\s+(?<name>\w+)/, ends: "words" },
        { kind: "impl", is: /^@implementation\s+(?<name>\w+)/, ends: "words" },
        { kind: "protocol", is: /^@protocol\s+(?<name>\w+)(?![\w,\s]*[;,])/, ends: "words" },
        {
          kind: "method",
          is: /^[-+]\s*(?:\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\s*)?(?<name>\w+(?:\s*:\s*(?:\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\s*)?\w+(?:\s+(?=\w+\s*:)\w+|\s+(?=:))?)*)/,
          ends: "block",
          in: ["class", "impl", "protocol", "extension"],
        },
        {
          kind: "property",
          is: /^@property\b[^;{}]*\(\s*\^\s*(?:\w+\s+)*(?<name>\w+)\s*\)/,
          ends: "statement",
          in: ["class", "protocol", "extension"],
        },
        {
          kind: "property",
          is: /^@property\b[^;{}]*?(?<name>\w+)\s*(?:[A-Z_]{3,}\w*(?:\([^)]*\))?\s*)*;/,
          ends: "statement",
          in: ["class", "protocol", "extension"],
        },
        {
          kind: "enum",
          is: /^(?:typedef\s+)?(?:NS|CF)_(?:CLOSED_)?(?:ENUM|OPTIONS|ERROR_ENUM)\s*\(\s*(?:[^,()]*,\s*)?(?<name>\w+)\s*\)/,
          ends: "block",
        },
        { kind: "enum", is: /^(?:typedef\s+)?enum\s+(?<name>\w+)/, ends: "block" },
        { kind: "struct", is: /^(?:typedef\s+)?struct\s+(?<name>\w+)\s*\{/, ends: "block" },
        { kind: "type", is: /^typedef\b[^;{}]*?\(\s*\^\s*(?<name>\w+)\s*\)/, ends: "statement", top: true },
        { kind: "type", is: /^typedef\b[^;{}]*?(?<name>\w+)\s*;/, ends: "statement", top: true },
        { kind: "variant", is: /^(?<name>[A-Za-z_]\w*)\s*(?:=|,|\}|\n|[A-Z_]+\()/, ends: "line", in: ["enum"] },
        {
          kind: "fn",
          is: /^(?!(?:return|else|if|for|while|switch|do|case|goto|typedef)\b)(?:__attribute__\s*\(\([^)]*\)\)\s*)?(?:[A-Za-z_]\w*(?:<[^>\n]*>)?[\s*]+)+(?<name>[A-Za-z_]\w*)\s*\((?![\^*])/,
          ends: "block",
          margin: true,
        },
        {
          kind: "var",
          is: /^(?:(?:static|extern|const|FOUNDATION_EXPORT|[A-Z]+_EXPORT|[A-Z]+_EXTERN)\b[^;={}()]*?)(?<name>[A-Za-z_]\w*)(?:\[[^\]]*\])?\s*[=;]/,
          ends: "statement",
          margin: true,
        },
      ],
    },
  },
  {
    id: "r",
    title: "R",
    extensions: [".r"],
    interpreters: ["Rscript"],
    aliases: ["rlang"],
    docMarkers: ["#'", "#"],
    outline: {
      quiet: [comment("#"), quotedLines('"'), quotedLines("'"), quoted("`")],
      blocks: { stop: ";", lines: true },
      definitions: [
        {
          kind: "class",
          is: /^(?<name>[\w.]+|`[^`\n]+`)\s*(?:<-|=)\s*(?:R6::)?R6Class\s*\(/,
          ends: "statement",
          margin: true,
        },
        {
          kind: "fn",
          is: /^(?<name>[\w.]+|`[^`\n]+`|"[^"\n]+"|'[^'\n]+')\s*(?:<<?-|=)\s*(?:function\b|\\\()/,
          ends: "block",
          margin: true,
        },
        {
          kind: "method",
          is: /^(?<name>[\w.]+|`[^`\n]+`)\s*=\s*(?:function\b|\\\()/,
          ends: "block",
          in: ["class"],
          deep: true,
        },
        { kind: "fn", is: /^(?<name>[\w.]+|`[^`\n]+`)\s*(?:<<?-)\s*(?:function\b|\\\()/, ends: "block" },
        {
          kind: "class",
          is: /^(?:[\w.]+\s*(?:<-|=)\s*)?set(?:Ref)?Class\s*\(\s*(?<name>"[^"\n]+"|'[^'\n]+')/,
          ends: "line",
          margin: true,
        },
        {
          kind: "fn",
          is: /^setGeneric\s*\(\s*(?:name\s*=\s*)?(?<name>"[^"\n]+"|'[^'\n]+')/,
          ends: "line",
          margin: true,
        },
        {
          kind: "method",
          is: /^setMethod\s*\(\s*(?:f\s*=\s*)?(?<name>"[^"\n]+"|'[^'\n]+')/,
          ends: "line",
          margin: true,
        },
        {
          kind: "use",
          is: /^(?:library|require|requireNamespace|source)\s*\(\s*(?<name>[\w.]+|"[^"\n]+"|'[^'\n]+')/,
          ends: "line",
        },
        {
          kind: "var",
          is: /^(?<name>[A-Za-z.][\w.]*|`[^`\n]+`)\s*(?:<<?-|=(?!=))/,
          ends: "line",
          margin: true,
          top: true,
        },
      ],
    },
  },
  {
    id: "julia",
    title: "Julia",
    extensions: [".jl"],
    interpreters: ["julia"],
    aliases: ["jl"],
    docMarkers: ["#"],
    outline: juliaRules,
  },
  {
    id: "perl",
    title: "Perl",
    extensions: [".pl", ".pm", ".t", ".psgi"],
    interpreters: ["perl"],
    aliases: ["pl"],
    ...{ separator: "::", modules: "declared", docMarkers: ["#"] },
    outline: {
      quiet: [
        { open: "^=[a-zA-Z]", close: "\n=cut", lines: true },
        { open: "^__(?:END|DATA)__", close: "\0" },
        heredoc("<<~?[\"']?(?<word>[A-Za-z_]\\w*)[\"']?"),
        { open: "(?:^|(?<=[\\s;{}(),]))#" },
        quoted('"'),
        quoted("'"),
      ],
      definitions: [
        { kind: "module", is: /^package\s+(?<name>[\w:']+)[^;{\n]*;/, ends: "section", top: true, margin: true },
        { kind: "module", is: /^package\s+(?<name>[\w:']+)[^;{\n]*\{/, ends: "block", margin: true },
        {
          kind: "fn",
          is: /^(?:async\s+|my\s+|our\s+)?(?:sub|method|fun)\s+(?<name>[\w:']+)/,
          ends: "block",
          margin: true,
        },
        { kind: "fn", is: /^(?:async\s+|my\s+|our\s+)?(?:sub|method|fun)\s+(?<name>[\w:']+)/, ends: "block" },
        { kind: "const", is: /^use\s+constant\s+\+?'?(?<name>[A-Za-z_]\w*)/, ends: "statement" },
        { kind: "property", is: /^has\s+\+?["']?(?<name>\w+)/, ends: "statement", margin: true },
        { kind: "use", is: /^(?:use|require)\s+(?<name>[A-Za-z]\w*(?:::\w+)*)/, ends: "line" },
        { kind: "var", is: /^our\s+[$@%](?<name>\w+)/, ends: "line", margin: true },
      ],
    },
  },
];

/** `initWithFrame:(CGRect)frame style:(Style)style` is called `initWithFrame:style:`. */
function selectorName(written: string, kind: string): string {
  if (kind !== "method" || !written.includes(":")) return written.replace(/\s+/g, "");
  return written
    .replace(/\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)/g, " ")
    .replace(/:\s*\w+/g, ":")
    .replace(/\s+/g, "");
}

function juliaRules(): OutlineRules {
  const name = "[\\p{L}_][\\p{L}\\p{N}_!]*";
  const macros = "^(?:@[\\w.]+\\s+)*";
  const called = `(?:(?<scope>[\\p{L}\\w.]+)\\.)?:?\\(?(?<name>${name}|[-+*/\\\\^%<>=!&|~÷⊻∈⊆]+)\\)?`;
  return {
    quiet: [
      nested("#=", "=#"),
      comment("#"),
      quotedLines('"""'),
      quotedLines('"'),
      quotedLines("```"),
      { open: "(?<![\\w\\])}'])'(?:\\\\[^'\\n]+|[^'\\\\\\n]{1,2})'", close: "" },
    ],
    blocks: {
      words: [
        [
          "(?<![:.\\w@])(?:function|macro|struct|module|baremodule|begin|let|if|for|while|try|do|quote|(?:abstract|primitive)\\s+type)\\b(?!\\s*[=!.])",
          "(?<![:.\\w@])end\\b",
        ],
      ],
      stop: "(?!)",
    },
    definitions: [
      { kind: "module", is: new RegExp(`^(?:bare)?module\\s+(?<name>${name})`, "u"), ends: "words" },
      { kind: "fn", is: new RegExp(`${macros}function\\s+${called}`, "u"), ends: "words", margin: true },
      { kind: "fn", is: new RegExp(`${macros}function\\s+${called}`, "u"), ends: "words" },
      { kind: "macro", is: new RegExp(`^macro\\s+(?<name>${name})`, "u"), ends: "words" },
      { kind: "struct", is: new RegExp(`${macros}(?:mutable\\s+)?struct\\s+(?<name>${name})`, "u"), ends: "words" },
      { kind: "type", is: new RegExp(`^(?:abstract|primitive)\\s+type\\s+(?<name>${name})`, "u"), ends: "words" },
      { kind: "const", is: new RegExp(`^(?:global\\s+)?const\\s+(?<name>${name})`, "u"), ends: "line" },
      { kind: "use", is: /^(?:using|import)\s+(?<name>[\w.]+)/u, ends: "line" },
      {
        kind: "fn",
        is: new RegExp(
          `${macros}${called}(?:\\{[^}\\n]*\\})?\\((?:[^()]|\\((?:[^()]|\\([^()]*\\))*\\))*\\)(?:\\s*::[^=\\n]+)?(?:\\s*where\\s[^=\\n]+)?\\s*=(?![=>])`,
          "u",
        ),
        ends: "line",
      },
      {
        kind: "field",
        is: new RegExp(`^(?!end\\b|function\\b)(?:const\\s+)?(?<name>${name})\\s*(?:::|$|\\n|#)`, "u"),
        ends: "line",
        in: ["struct"],
      },
    ],
  };
}
