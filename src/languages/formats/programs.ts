/** Languages for programs, contracts and builds that are neither functional nor scripts. */
import { block, comment, nested, quoted, quotedLines } from "../outline/mask.ts";
import type { LanguageRow } from "./format.ts";

const C_DOCS = ["/**", "///", "//", "/*", "*/", "*"];
const C_QUIET = [comment("//"), block("/*", "*/"), quoted('"'), quoted("'")];
const CHAR = { open: "'(?:\\\\[^'\\n]{1,9}|[^'\\\\\\n])'", close: "" };

export const PROGRAMS: readonly LanguageRow[] = [
  {
    id: "groovy",
    title: "Groovy",
    extensions: [".groovy", ".gradle", ".gvy", ".nf"],
    aliases: ["gradle"],
    docMarkers: C_DOCS,
    declaresModules: true,
    ...{ filenames: ["Jenkinsfile"] },
    outline: {
      quiet: [
        comment("(?<![:\\w])//"),
        block("/*", "*/"),
        quotedLines('"""'),
        quotedLines("'''"),
        quoted('"'),
        quoted("'"),
      ],
      blocks: { lines: true },
      definitions: [
        { kind: "package", is: /^package\s+(?<name>[\w.]+)/, ends: "line", margin: true },
        { kind: "use", is: /^import\s+(?:static\s+)?(?<name>[\w.*]+)/, ends: "line", margin: true },
        { kind: "class", is: groovy("class|@interface"), ends: "block" },
        { kind: "interface", is: groovy("interface"), ends: "block" },
        { kind: "trait", is: groovy("trait"), ends: "block" },
        { kind: "enum", is: groovy("enum"), ends: "block" },
        { kind: "target", is: /^task\s+(?<name>\w+)/, ends: "block" },
        { kind: "target", is: /^tasks\.(?:register|create)\s*\(\s*(?<name>"[^"\n]+"|'[^'\n]+')/, ends: "block" },
        { kind: "target", is: /^(?:process|workflow)\s+(?<name>\w+)\s*\{/, ends: "block" },
        { kind: "target", is: /^stage\s*\(\s*(?<name>"[^"\n]+"|'[^'\n]+')\s*\)\s*\{/, ends: "block" },
        {
          kind: "method",
          is: /^(?!(?:return|else|new|throw|if|while|for|switch|assert|in|as)\b)(?:(?:@\w+(?:\([^)\n]*\))?|public|private|protected|static|final|abstract|synchronized)\s+)*(?:<[^>\n]*>\s*)?(?:def|void|[a-z]+|[A-Z][\w.]*(?:<[^\n{}()]*>)?)(?:\[\])*\s+(?<name>\w+|"[^"\n]+"|'[^'\n]+')\s*\((?=[^{};]*\)[^;{}()]*\{)/,
          ends: "block",
          in: ["class", "trait", "enum", "interface"],
        },
        {
          kind: "method",
          is: /^(?:[\w.<>]+\s+)?(?<name>\w+)\s*\([^{};\n]*\)\s*(?:;|\n|$)/,
          ends: "line",
          in: ["interface"],
        },
        {
          kind: "fn",
          is: /^(?:(?:private|static|final)\s+)*(?:def|void|[A-Z][\w.]*(?:<[^\n{}()]*>)?)\s+(?<name>\w+)\s*\((?=[^{};]*\)[^;{}()]*\{)/,
          ends: "block",
          notIn: ["class", "trait", "enum", "interface"],
        },
        { kind: "var", is: /^(?:@Field\s+)?(?:final\s+)?(?:def|ext\.)\s*(?<name>\w+)\s*=/, ends: "line", margin: true },
      ],
    },
  },
  {
    id: "powershell",
    title: "PowerShell",
    extensions: [".ps1", ".psm1", ".psd1"],
    aliases: ["ps1", "pwsh"],
    interpreters: ["pwsh"],
    docMarkers: ["<#", "#>", "#"],
    outline: {
      quiet: [
        block("<#", "#>"),
        { open: '@"[ \\t]*$', close: '\n"@', string: true, lines: true },
        { open: "@'[ \\t]*$", close: "\n'@", string: true, lines: true },
        comment("(?<![\\w`$])#"),
        { open: "`.", close: "" },
        quotedLines('"', '"', "`"),
        quotedLines("'", "'", ""),
      ],
      definitions: [
        {
          kind: "fn",
          is: /^(?:function|filter|workflow|configuration)\s+(?:(?:global|script|local|private):)?(?<name>[\w.:-]+)/i,
          ends: "block",
          margin: true,
        },
        // A script is often one function with all others in it.
        {
          kind: "fn",
          is: /^(?:function|filter|workflow|configuration)\s+(?:(?:global|script|local|private):)?(?<name>[\w.:-]+)/i,
          ends: "block",
          in: ["fn"],
          deep: true,
        },
        {
          kind: "fn",
          is: /^(?:function|filter|workflow|configuration)\s+(?:(?:global|script|local|private):)?(?<name>[\w.:-]+)/i,
          ends: "block",
        },
        { kind: "class", is: /^class\s+(?<name>\w+)/i, ends: "block" },
        { kind: "enum", is: /^enum\s+(?<name>\w+)/i, ends: "block" },
        {
          kind: "method",
          is: /^(?:(?:static|hidden)\s+)*(?:\[[^\n]+?\]\s*)?(?<name>\w+)\s*\(/i,
          ends: "block",
          in: ["class"],
        },
        {
          kind: "property",
          is: /^(?:(?:static|hidden)\s+)*(?:\[[^\n]+?\]\s*)*\$(?<name>\w+)/i,
          ends: "line",
          in: ["class"],
        },
        { kind: "variant", is: /^(?<name>\w+)/i, ends: "line", in: ["enum"] },
        {
          kind: "use",
          is: /^(?:using\s+(?:module|namespace)|import-module)\s+(?:-name\s+)?(?<name>[\w.\\/$-]+)/i,
          ends: "line",
        },
        { kind: "var", is: /^\$(?:script|global):(?<name>\w+)\s*=/i, ends: "line", margin: true },
      ],
    },
  },
  {
    id: "solidity",
    title: "Solidity",
    extensions: [".sol"],
    aliases: ["sol"],
    docMarkers: C_DOCS,
    outline: {
      quiet: C_QUIET,
      starts: "statement",
      definitions: [
        {
          kind: "use",
          is: /^import\s+(?:[^"'\n;]*?from\s+)?(?<name>"[^"\n]+"|'[^'\n]+')/,
          ends: "statement",
          top: true,
        },
        { kind: "class", is: /^(?:abstract\s+)?contract\s+(?<name>[\w$]+)/, ends: "block" },
        { kind: "module", is: /^library\s+(?<name>[\w$]+)/, ends: "block" },
        { kind: "interface", is: /^interface\s+(?<name>[\w$]+)/, ends: "block" },
        { kind: "struct", is: /^struct\s+(?<name>[\w$]+)/, ends: "block" },
        { kind: "enum", is: /^enum\s+(?<name>[\w$]+)/, ends: "block" },
        {
          kind: "method",
          is: /^function\s+(?<name>[\w$]+)(?=[^{};]*?\b(?<vis>public|private|internal|external)\b)?/,
          ends: "block",
        },
        { kind: "constructor", is: /^(?<name>constructor|receive|fallback)\s*\(/, ends: "block", in: ["class"] },
        { kind: "macro", is: /^modifier\s+(?<name>[\w$]+)/, ends: "block" },
        { kind: "type", is: /^(?:event|error|type)\s+(?<name>[\w$]+)/, ends: "statement" },
        {
          kind: "field",
          is: /^(?!(?:return|emit|using|delete|revert|require|assembly)\b)(?:mapping\s*\([^;{}]*?\)|[\w$.]+(?:\s*\[[^\]\n]*\])*)(?:\s+(?:public|private|internal|constant|immutable|override|transient|payable))*\s+(?<name>[\w$]+)\s*[=;]/,
          ends: "statement",
          in: ["class", "struct", "module"],
        },
        { kind: "variant", is: /^(?<name>[A-Za-z_$][\w$]*)\s*(?:,|\}|\n|$)/, ends: "line", in: ["enum"] },
      ],
    },
  },
  {
    id: "prisma",
    title: "Prisma",
    extensions: [".prisma"],
    docMarkers: ["///", "//"],
    outline: {
      quiet: [comment("//"), quoted('"')],
      definitions: [
        { kind: "table", is: /^(?:model|view|type)\s+(?<name>\w+)/, ends: "block", top: true },
        { kind: "enum", is: /^enum\s+(?<name>\w+)/, ends: "block", top: true },
        { kind: "object", is: /^(?:datasource|generator)\s+(?<name>\w+)/, ends: "block", top: true },
        { kind: "field", is: /^(?<name>\w+)\s+[A-Z]/, ends: "line", in: ["table"] },
        { kind: "variant", is: /^(?<name>\w+)/, ends: "line", in: ["enum"] },
      ],
    },
  },
  {
    id: "thrift",
    title: "Thrift",
    extensions: [".thrift"],
    docMarkers: C_DOCS,
    outline: {
      quiet: [comment("//"), comment("#"), block("/*", "*/"), quoted('"'), quoted("'")],
      definitions: [
        { kind: "use", is: /^include\s+(?<name>"[^"\n]+")/, ends: "line" },
        { kind: "struct", is: /^(?:struct|exception)\s+(?<name>\w+)/, ends: "block" },
        { kind: "union", is: /^union\s+(?<name>\w+)/, ends: "block" },
        { kind: "enum", is: /^enum\s+(?<name>\w+)/, ends: "block" },
        { kind: "interface", is: /^service\s+(?<name>\w+)/, ends: "block" },
        { kind: "type", is: /^typedef\s+[^\n;]*?(?<name>\w+)\s*(?:\n|;|$)/, ends: "line" },
        { kind: "const", is: /^const\s+[^\n=]*?(?<name>\w+)\s*=/, ends: "line" },
        {
          kind: "field",
          is: /^\d+\s*:\s*(?:(?:optional|required)\s+)?[\w.]+(?:\s*<[^\n]*>)?\s+(?<name>\w+)/,
          ends: "line",
          in: ["struct", "union"],
        },
        {
          kind: "method",
          is: /^(?:oneway\s+)?[\w.]+(?:<[^\n]*>)?\s+(?<name>\w+)\s*\(/,
          ends: "line",
          in: ["interface"],
        },
        { kind: "variant", is: /^(?<name>\w+)/, ends: "line", in: ["enum"] },
      ],
    },
  },
  {
    id: "starlark",
    title: "Starlark",
    extensions: [".bzl", ".star", ".bazel"],
    filenames: ["BUILD", "BUILD.bazel", "WORKSPACE", "Tiltfile"],
    ...{ aliases: ["bazel"], docMarkers: ["#"] },
    outline: {
      quiet: [comment("#"), quotedLines('"""'), quotedLines("'''"), quoted('"'), quoted("'")],
      blocks: { stop: "(?!)", lines: true },
      definitions: [
        { kind: "fn", is: /^def\s+(?<name>\w+)/, ends: "indent", margin: true },
        { kind: "use", is: /^load\(\s*(?<name>"[^"\n]+")/, ends: "line", margin: true },
        {
          kind: "target",
          is: /^(?<scope>\w+)\((?:\s*\w+\s*=\s*(?!\[)[^\n]*,\n)*?\s*name\s*=\s*(?<name>"[^"\n]+")/,
          ends: "line",
          margin: true,
        },
        { kind: "var", is: /^(?<name>\w+)\s*=(?!=)/, ends: "line", top: true, margin: true },
      ],
    },
  },
  {
    id: "tcl",
    title: "Tcl",
    extensions: [".tcl", ".tm"],
    interpreters: ["tclsh", "wish"],
    docMarkers: ["#"],
    outline: {
      quiet: [{ open: "^[ \\t]*#" }, { open: "\\\\.", close: "" }],
      blocks: { stop: "(?!)" },
      definitions: [
        { kind: "namespace", is: /^namespace\s+eval\s+(?<name>[\w:]+)\s+\{/, ends: "group" },
        { kind: "class", is: /^(?:oo::class\s+create|itcl::class|snit::type)\s+(?<name>[\w:]+)\s+\{/, ends: "group" },
        {
          kind: "fn",
          is: /^(?:proc|method)\s+(?<name>[^\s{}]+)\s+(?:\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}|[^\s{}]+)\s+\{/,
          ends: "group",
        },
      ],
    },
  },
  {
    id: "vimscript",
    title: "Vim script",
    extensions: [".vim"],
    filenames: [".vimrc", "vimrc"],
    aliases: ["vim", "viml"],
    docMarkers: ['"'],
    outline: {
      quiet: [{ open: '^[ \\t]*"' }],
      blocks: {
        words: [
          [
            "^[ \\t]*(?:export[ \\t]+)?(?:fu(?:n(?:c(?:t(?:i(?:on?)?)?)?)?)?!?[ \\t]+(?=[\\w:.#<>{}]+\\s*\\()|def[ \\t]+)",
            "^[ \\t]*(?:endf(?:u(?:n(?:c(?:t(?:i(?:on?)?)?)?)?)?)?|enddef)\\b",
          ],
        ],
        stop: "(?!)",
      },
      definitions: [
        {
          kind: "fn",
          is: /^(?:export\s+)?(?:fu(?:n(?:c(?:t(?:i(?:on?)?)?)?)?)?!?|def!?)\s+(?<name>[\w:.#<>{}]+)\s*\(/,
          ends: "words",
          margin: true,
        },
        {
          kind: "fn",
          is: /^(?:export\s+)?(?:fu(?:n(?:c(?:t(?:i(?:on?)?)?)?)?)?!?|def!?)\s+(?<name>[\w:.#<>{}]+)\s*\(/,
          ends: "words",
        },
        {
          kind: "macro",
          is: /^(?:silent!?\s+)?com(?:m(?:a(?:nd?)?)?)?!?\s+(?:-\S+\s+)*(?<name>[A-Z]\w*)/,
          ends: "line",
        },
        { kind: "namespace", is: /^aug(?:r(?:o(?:up?)?)?)?\s+(?!END\b)(?<name>\S+)/i, ends: "line" },
        { kind: "var", is: /^(?:let|const)\s+(?<name>[gs]:[\w#]+)\s*=/, ends: "line", margin: true },
      ],
    },
  },
  {
    id: "nim",
    title: "Nim",
    extensions: [".nim", ".nims", ".nimble"],
    docMarkers: ["##", "#"],
    outline: {
      quiet: [nested("#[", "]#"), comment("#"), quotedLines('"""', '"""', ""), CHAR, quoted('"')],
      blocks: { stop: "(?!)" },
      definitions: [
        { kind: "use", is: /^(?:import|from|include)\s+(?<name>[\w/.]+)/, ends: "line", margin: true },
        { kind: "fn", is: /^(?:proc|func|method|iterator|converter)\s+(?<name>\w+|`[^`\n]+`)/, ends: "indent" },
        { kind: "macro", is: /^(?:template|macro)\s+(?<name>\w+|`[^`\n]+`)/, ends: "indent" },
        {
          kind: "type",
          is: /^(?:type\s+)?(?<name>[A-Z]\w*)\*?(?:\s*\[[^\]\n]*\])?\s*(?:\{\.[^}\n]*\.\})?\s*=\s*(?:ref\s+|ptr\s+)?(?:object|enum|tuple|distinct|concept|proc|ref|ptr|set|seq|[A-Z])/,
          ends: "indent",
        },
        { kind: "const", is: /^(?:const|let|var)\s+(?<name>\w+)/, ends: "indent", margin: true },
      ],
    },
  },
  {
    id: "crystal",
    title: "Crystal",
    extensions: [".cr"],
    aliases: ["cr"],
    interpreters: ["crystal"],
    docMarkers: ["#"],
    outline: {
      quiet: [comment("(?<!\\\\)#(?!\\{)"), quotedLines('"'), CHAR],
      blocks: { stop: "(?!)" },
      definitions: [
        { kind: "use", is: /^require\s+(?<name>"[^"\n]+")/, ends: "line" },
        { kind: "class", is: /^(?:private\s+)?(?:abstract\s+)?(?:class|annotation)\s+(?<name>[\w:]+)/, ends: "indent" },
        { kind: "struct", is: /^(?:private\s+)?(?:abstract\s+)?struct\s+(?<name>[\w:]+)/, ends: "indent" },
        { kind: "module", is: /^(?:module|lib)\s+(?<name>[\w:]+)/, ends: "indent" },
        { kind: "enum", is: /^(?:private\s+)?enum\s+(?<name>[\w:]+)/, ends: "indent" },
        { kind: "macro", is: /^(?:private\s+)?macro\s+(?<name>\w+[?!=]?)/, ends: "indent" },
        {
          kind: "fn",
          is: /^(?:(?<vis>private|protected)\s+)?(?:abstract\s+)?(?:def|fun)\s+(?:self\.)?(?<name>\w+[?!=]?|[^\s\w(]+)/,
          ends: "indent",
        },
        { kind: "const", is: /^(?<name>[A-Z]\w*)\s*=(?!=)/, ends: "line" },
      ],
    },
  },
  {
    id: "d",
    title: "D",
    extensions: [".d", ".di"],
    aliases: ["dlang"],
    docMarkers: ["/**", "/++", "///", "//", "/*", "*/", "+/", "*", "+"],
    declaresModules: true,
    outline: {
      quiet: [comment("//"), block("/*", "*/"), nested("/+", "+/"), quotedLines("`", "`", ""), CHAR, quotedLines('"')],
      definitions: [
        { kind: "package", is: /^module\s+(?<name>[\w.]+)/, ends: "statement", margin: true },
        {
          kind: "use",
          is: /^(?:public\s+|static\s+|private\s+)*import\s+(?:\w+\s*=\s*)?(?<name>[\w.]+)/,
          ends: "statement",
        },
        { kind: "class", is: dlang("class"), ends: "block" },
        { kind: "interface", is: dlang("interface"), ends: "block" },
        { kind: "struct", is: dlang("struct"), ends: "block" },
        { kind: "union", is: dlang("union"), ends: "block" },
        { kind: "enum", is: dlang("enum(?=\\s+\\w+\\s*[:{])"), ends: "block" },
        { kind: "macro", is: dlang("(?:mixin\\s+)?template"), ends: "block" },
        { kind: "type", is: dlang("alias"), ends: "statement" },
        {
          kind: "fn",
          is: /^(?!(?:return|else|if|for|foreach|while|switch|assert|throw|new|case|mixin|import|static\s+if|version|debug|unittest|import|do|with|synchronized)\b)(?:(?:@\w+(?:\([^)\n]*\))?|[\w.!]+(?:\([^()\n]*\))?(?:\[[^\]\n]*\])*\**)\s+)+(?<name>\w+)\s*(?=\((?:[^(){};]|\((?:[^()]|\([^()]*\))*\))*\)(?:\s*\((?:[^(){};]|\([^()]*\))*\))?\s*(?:(?:const|pure|nothrow|@\w+|inout|immutable|return|scope|ref|shared|if\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)|in|out|do|body)\s*)*[{;=])/,
          ends: "block",
        },
        { kind: "constructor", is: /^(?<name>this)\s*\(/, ends: "block", in: ["class", "struct"] },
      ],
    },
  },
];

function groovy(word: string): RegExp {
  return new RegExp(
    `^(?:(?:@\\w+(?:\\([^)\\n]*\\))?|public|private|protected|static|final|abstract)\\s+)*(?:${word})\\s+(?<name>\\w+)`,
  );
}

function dlang(word: string): RegExp {
  return new RegExp(
    `^(?:(?:(?<vis>public|private|protected)|package|static|final|abstract|export|extern\\s*\\([^)\\n]*\\)|const|shared|immutable|@\\w+)\\s+)*(?:${word})\\s+(?<name>\\w+)`,
  );
}
