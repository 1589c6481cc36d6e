/** Hardware, numerics and older languages. */
import { block, comment, quoted } from "../outline/mask.ts";
import type { LanguageRow } from "./format.ts";

/** Words before which `function`, `class` and so on open nothing: prototypes, `virtual interface`, assertions. */
const OPENS_NOTHING =
  "virtual|typedef|extern|pure|import|export|modport|assert|assume|cover|expect|disable|restrict|wait";

const SYSTEM_VERILOG_WORDS = "module package class interface program function task property sequence checker primitive"
  .split(" ")
  .map(
    (word) =>
      [`\\b${word}\\b(?<!\\b(?:${OPENS_NOTHING})\\b[^\\n;]{0,60}${word})(?!\\s*[;=(])`, `\\bend${word}\\b`] as const,
  );

export const MACHINES: readonly LanguageRow[] = [
  {
    id: "verilog",
    title: "Verilog, SystemVerilog",
    extensions: [".v", ".vh", ".sv", ".svh"],
    aliases: ["systemverilog", "sv"],
    docMarkers: ["/**", "//", "/*", "*/", "*"],
    outline: {
      quiet: [comment("//"), block("/*", "*/"), quoted('"')],
      blocks: { words: SYSTEM_VERILOG_WORDS },
      definitions: [
        { kind: "macro", is: /^`define\s+(?<name>\w+)/, ends: "line" },
        { kind: "use", is: /^`include\s+(?<name>"[^"\n]+")/, ends: "line" },
        { kind: "use", is: /^import\s+(?<name>\w+)::/, ends: "statement" },
        {
          kind: "module",
          is: /^(?:module|macromodule|program|primitive|checker)\s+(?:automatic\s+|static\s+)?(?<name>\w+)/,
          ends: "words",
        },
        { kind: "namespace", is: /^package\s+(?:automatic\s+|static\s+)?(?<name>\w+)/, ends: "words" },
        { kind: "interface", is: /^interface\s+(?!class\b)(?:automatic\s+)?(?<name>\w+)/, ends: "words" },
        { kind: "class", is: /^(?:virtual\s+|interface\s+)?class\s+(?:automatic\s+)?(?<name>\w+)/, ends: "words" },
        {
          kind: "fn",
          is: /^(?!import\b|export\b)(?:(?:extern|virtual|static|protected|local|pure|automatic)\s+)*function\b(?:[^;(]*?[\s\]])(?:(?<scope>\w+)::)?(?<name>\w+)\s*[;(]/,
          ends: "words",
        },
        {
          kind: "fn",
          is: /^(?:(?:extern|virtual|static|protected|local|pure|automatic)\s+)*task\s+(?:automatic\s+|static\s+)?(?:(?<scope>\w+)::)?(?<name>\w+)/,
          ends: "words",
        },
        {
          kind: "type",
          is: /^typedef\b[^;{]*(?:\{[^}]*\}\s*)?(?:\[[^\]\n]*\]\s*)*(?<name>\w+)\s*(?:\[[^\]\n]*\]\s*)*;/,
          ends: "statement",
        },
        {
          kind: "const",
          is: /^(?:parameter|localparam)\b(?:[^=;,()]*?[\s\]])(?<name>\w+)\s*(?:\[[^\]\n]*\]\s*)*=/,
          ends: "line",
        },
        { kind: "property", is: /^(?:property|sequence)\s+(?<name>\w+)/, ends: "words" },
      ],
    },
  },
  {
    id: "vhdl",
    title: "VHDL",
    extensions: [".vhd", ".vhdl"],
    docMarkers: ["--!", "--"],
    outline: {
      quiet: [comment("--"), block("/*", "*/"), quoted('"', "")],
      definitions: [
        { kind: "use", is: /^use\s+(?<name>[\w.]+)/i, ends: "line" },
        { kind: "module", is: /^entity\s+(?<name>\w+)\s+is\b/i, ends: "section" },
        { kind: "impl", is: /^architecture\s+(?<name>\w+)\s+of\b/i, ends: "section" },
        { kind: "namespace", is: /^package\s+(?:body\s+)?(?<name>\w+)\s+is\b/i, ends: "section" },
        { kind: "object", is: /^(?:configuration|context)\s+(?<name>\w+)\s+(?:of|is)\b/i, ends: "section" },
        // A declaration: what follows is not in it.
        {
          kind: "fn",
          is: /^(?:pure\s+|impure\s+)?(?:function|procedure)\s+(?<name>\w+|"[^"\n]+")\s*(?:\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))?\s*(?:return\s+[\w.]+\s*(?:\([^()]*\))?)?\s*;/i,
          ends: "statement",
        },
        {
          kind: "fn",
          is: /^(?:pure\s+|impure\s+)?(?:function|procedure)\s+(?<name>\w+|"[^"\n]+")/i,
          ends: "section",
          level: 1,
        },
        // Functions before it have ended: its constants are its own.
        {
          kind: "object",
          is: /^(?<name>\w+)\s*:\s*(?:if|for|case)\b[^;]*?\bgenerate\b/i,
          ends: "section",
          level: 1,
        },
        { kind: "interface", is: /^component\s+(?<name>\w+)/i, ends: "section", level: 1 },
        { kind: "type", is: /^(?:sub)?type\s+(?<name>\w+)\s+is\b/i, ends: "statement" },
        { kind: "const", is: /^constant\s+(?<name>\w+)/i, ends: "statement", notIn: ["fn"] },
        { kind: "var", is: /^signal\s+(?<name>\w+)/i, ends: "statement", notIn: ["fn"] },
        { kind: "object", is: /^(?<name>\w+)\s*:\s*(?:postponed\s+)?process\b/i, ends: "section", level: 1 },
      ],
    },
  },
  {
    id: "fortran",
    title: "Fortran",
    extensions: [".f90", ".f95", ".f03", ".f08", ".f", ".for", ".f77", ".fpp"],
    aliases: ["f90"],
    docMarkers: ["!!", "!>", "!<", "!"],
    outline: {
      quiet: [{ open: "^[cC*](?=[ \\t*-]|$)(?!\\s*=)" }, comment("!"), quoted("'", ""), quoted('"', "")],
      blocks: {
        words: [
          [
            "^[ \\t]*(?!end)(?:(?:(?:pure|impure|elemental|recursive|non_recursive|module(?=[ \\t]+(?:subroutine|function|pure|elemental|recursive|integer|real|logical|character|type|class|double|complex)\\b)|integer|real|logical|character|complex|double[ \\t]+precision|type(?=[ \\t]*\\()|class(?=[ \\t]*\\())(?:[ \\t]*\\([^()\\n]*(?:\\([^()\\n]*\\)[^()\\n]*)*\\)|\\*\\d+)?)[ \\t]+){0,6}(?:subroutine[ \\t]+\\w|function[ \\t]+\\w|program[ \\t]+\\w|module(?![ \\t]+procedure\\b)[ \\t]+\\w|submodule[ \\t]*\\(|block[ \\t]*data\\b|(?:abstract[ \\t]+)?interface\\b|type(?:[ \\t]*,[^:\\n]*)?(?:[ \\t]*::[ \\t]*|[ \\t]+)(?!is\\b)\\w+[ \\t]*\\r?$)",
            "^[ \\t]*end[ \\t]*(?:subroutine|function|program|module|submodule|interface|type|block[ \\t]*data)?(?:[ \\t]+\\w[\\w()=+*/.-]*)?[ \\t]*\\r?$(?<!^[ \\t]*end[ \\t]*(?:do|if|select|where|associate|block|forall|critical|enum|team|procedure)\\b[^\\n]*)",
          ],
          ["^[ \\t]*module[ \\t]+procedure[ \\t]+(?=\\w+[ \\t]*\\r?$)", "^[ \\t]*end[ \\t]*procedure\\b"],
        ],
        stop: "(?!)",
        folded: true,
      },
      definitions: [
        { kind: "use", is: /^use\b(?:\s*,[^:\n]*)?\s*(?:::)?\s*(?<name>\w+)/i, ends: "line" },
        {
          kind: "module",
          is: /^(?:module(?!\s+(?:procedure|subroutine|function|pure|elemental|recursive|integer|real|logical|character|type|class|double|complex)\b)|program|block\s*data)\s+(?<name>\w+)\s*(?:$|\n|!)/i,
          ends: "words",
        },
        { kind: "module", is: /^submodule\s*\([^)\n]*\)\s*(?<name>\w+)/i, ends: "words" },
        {
          kind: "fn",
          is: /^(?:(?:pure|impure|elemental|recursive|non_recursive|module)\s+)*subroutine\s+(?<name>\w+)/i,
          ends: "words",
        },
        {
          kind: "fn",
          is: /^(?!end)(?:(?:pure|impure|elemental|recursive|non_recursive|module|integer|real|logical|character|complex|double\s+precision|type|class)(?:\s*\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)|\*\d+)?\s+)*function\s+(?<name>\w+)\s*\(/i,
          ends: "words",
        },
        { kind: "fn", is: /^module\s+procedure\s+(?<name>\w+)\s*(?:$|\n|!)/i, ends: "words", in: ["module"] },
        {
          kind: "struct",
          is: /^type(?:\s*,[^:\n]*)?(?:\s*::\s*|\s+)(?!is\b)(?<name>\w+)\s*(?:$|\n|!)/i,
          ends: "words",
        },
        { kind: "interface", is: /^interface[ \t]+(?<name>\w+(?:[ \t]*\([^)\n]*\))?)/i, ends: "words" },
        { kind: "method", is: /^procedure\b[^:\n]*::\s*(?<name>\w+)/i, ends: "line", in: ["struct"] },
        {
          kind: "field",
          is: /^(?!procedure|generic|final|contains|private|public|sequence)[a-z][^:\n]*::\s*(?<name>\w+)/i,
          ends: "line",
          in: ["struct"],
        },
      ],
    },
  },
  {
    id: "pascal",
    title: "Pascal",
    extensions: [".pas", ".pp", ".dpr", ".lpr", ".dpk"],
    aliases: ["delphi", "objectpascal"],
    docMarkers: ["///", "//", "{", "}"],
    outline: {
      quiet: [block("(*", "*)"), block("{", "}"), comment("//"), quoted("'", "")],
      blocks: {
        words: [
          [
            "\\b(?:class(?![ \\t]*(?:of\\b|;|\\([^)\\n]*\\)[ \\t]*;))|record|object(?![ \\t]*;)|(?:disp)?interface(?![ \\t]*;))\\b(?<==[ \\t]{0,4}(?:packed[ \\t]+)?\\w+)|\\bbegin\\b|\\bcase\\b(?=[^;\\n]*\\bof\\b[ \\t]*\\r?$)|\\btry\\b|\\basm\\b",
            "\\bend\\b",
          ],
        ],
        folded: true,
      },
      definitions: [
        { kind: "module", is: /^(?:unit|program|library|package)\s+(?<name>[\w.]+)\s*;/i, ends: "section" },
        {
          kind: "class",
          is: /^(?:type\s+)?(?<name>\w+(?:<[^>\n]*>)?)\s*=\s*(?:class|object)\b(?!\s*(?:of\b|;))/i,
          ends: "words",
        },
        { kind: "record", is: /^(?:type\s+)?(?<name>\w+(?:<[^>\n]*>)?)\s*=\s*(?:packed\s+)?record\b/i, ends: "words" },
        {
          kind: "interface",
          is: /^(?:type\s+)?(?<name>\w+(?:<[^>\n]*>)?)\s*=\s*(?:disp)?interface\b(?!\s*;)/i,
          ends: "words",
        },
        {
          kind: "method",
          is: /^(?:class\s+)?(?:procedure|function|constructor|destructor|operator)\s+(?<name>\w+)(?!\s*\.|\w)/i,
          ends: "statement",
          in: ["class", "record", "interface"],
        },
        {
          kind: "property",
          is: /^(?:class\s+)?property\s+(?<name>\w+)/i,
          ends: "statement",
          in: ["class", "record", "interface"],
        },
        { kind: "field", is: /^(?<name>\w+)\s*(?:,[^:\n]*)?:\s*\w/i, ends: "statement", in: ["class", "record"] },
        {
          kind: "fn",
          is: /^(?:class\s+)?(?:procedure|function|constructor|destructor|operator)\s+(?:(?<scope>[\w.<>, ]+)\.)?(?<name>\w+)/i,
          ends: "section",
          level: 1,
          margin: true,
        },
        { kind: "type", is: /^(?:type\s+)(?<name>\w+)\s*=/i, ends: "statement", notIn: ["class", "record"] },
      ],
    },
  },
  {
    id: "cobol",
    title: "COBOL",
    extensions: [".cbl", ".cob", ".cpy", ".cobol"],
    docMarkers: ["*>", "*"],
    outline: {
      quiet: [{ open: "^.{6}[*/]" }, comment("\\*>"), quoted("'", ""), quoted('"', "")],
      blocks: { stop: "\\.(?=\\s|$)" },
      definitions: [
        { kind: "module", is: /^(?:\d{6}\s*)?(?:PROGRAM|FUNCTION|CLASS)-ID\s*\.\s*(?<name>[\w-]+)/i, ends: "section" },
        { kind: "namespace", is: /^(?:\d{6}\s*)?(?<name>[\w-]+)\s+DIVISION\b/i, ends: "section", level: 1 },
        { kind: "fn", is: /^(?:\d{6}\s+)?(?<name>[A-Z0-9][\w-]*)\s+SECTION\s*\./i, ends: "section", level: 2 },
        { kind: "record", is: /^(?:\d{6}\s+)?(?:01|FD|SD)\s+(?<name>[A-Z0-9][\w-]*)/i, ends: "statement" },
        {
          kind: "field",
          is: /^(?:\d{6}\s+)?(?:0[2-9]|[1-4]\d|77)\s+(?!FILLER\b)(?<name>[A-Z0-9][\w-]*)/i,
          ends: "statement",
        },
        {
          kind: "fn",
          is: /^(?:\d{6}\s)?(?!(?:EXIT|GOBACK|CONTINUE|STOP|EJECT|SKIP\d|END-[A-Z]+|ELSE|DECLARATIVES|END|COPY|SOURCE-COMPUTER|OBJECT-COMPUTER|SPECIAL-NAMES|FILE-CONTROL|I-O-CONTROL|INSTALLATION|AUTHOR|DATE-WRITTEN|DATE-COMPILED|SECURITY|REMARKS|REPOSITORY)\s*\.)(?<name>(?=[\d-]*[A-Z])[A-Z0-9][\w-]*)\s*\.[ \t]*(?:\d{8})?[ \t]*(?:\r?\n|$)/i,
          ends: "section",
          level: 3,
          maxIndent: 10,
        },
      ],
    },
  },
  {
    id: "ada",
    title: "Ada",
    extensions: [".adb", ".ads", ".gpr"],
    docMarkers: ["--"],
    outline: {
      quiet: [comment("--"), quoted('"', "")],
      definitions: [
        { kind: "use", is: /^with\s+(?<name>[\w.]+)/i, ends: "statement", margin: true },
        { kind: "module", is: /^(?:private\s+)?package\s+(?:body\s+)?(?<name>[\w.]+)/i, ends: "indent" },
        {
          kind: "fn",
          is: /^(?:overriding\s+|not\s+overriding\s+)?(?:function|procedure)\s+(?<name>[\w.]+|"[^"\n]+")/i,
          ends: "indent",
        },
        { kind: "object", is: /^(?:task|protected)\s+(?:type\s+|body\s+)?(?<name>\w+)/i, ends: "indent" },
        { kind: "type", is: /^(?:sub)?type\s+(?<name>\w+)/i, ends: "indent" },
        { kind: "class", is: /^(?<name>\w+)\s*:\s*exception\b/i, ends: "line" },
      ],
    },
  },
  {
    id: "awk",
    title: "AWK",
    extensions: [".awk"],
    interpreters: ["awk", "gawk", "mawk"],
    docMarkers: ["#"],
    outline: {
      quiet: [comment("#"), quoted('"')],
      definitions: [{ kind: "fn", is: /^func(?:tion)?\s+(?<name>\w+)/, ends: "block" }],
    },
  },
];
