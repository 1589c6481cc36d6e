/** Infrastructure and build files. */
import { block, comment, heredoc, quoted, quotedLines } from "../outline/mask.ts";
import type { OutlineRules } from "../outline/outline.ts";
import type { LanguageRow } from "./format.ts";

const HASH_DOCS = ["##", "#"];
const C_DOCS = ["/**", "///", "//", "/*", "*/", "*"];

export const INFRASTRUCTURE: readonly LanguageRow[] = [
  {
    id: "terraform",
    title: "Terraform",
    extensions: [".tf", ".tfvars", ".hcl", ".tofu"],
    aliases: ["hcl"],
    docMarkers: [...C_DOCS, ...HASH_DOCS],
    outline: {
      quiet: [comment("#"), comment("//"), block("/*", "*/"), heredoc("<<-?(?<word>\\w+)"), quoted('"')],
      blocks: { lines: true },
      definitions: [
        {
          kind: "resource",
          is: /^(?:resource|data|ephemeral)\s+"(?<scope>[^"\n]+)"\s+"(?<name>[^"\n]+)"/,
          ends: "block",
          top: true,
        },
        { kind: "module", is: /^module\s+"(?<name>[^"\n]+)"/, ends: "block", top: true },
        { kind: "var", is: /^variable\s+"(?<name>[^"\n]+)"/, ends: "block", top: true },
        { kind: "property", is: /^output\s+"(?<name>[^"\n]+)"/, ends: "block", top: true },
        { kind: "object", is: /^(?:provider|check|run|mock_provider)\s+"(?<name>[^"\n]+)"/, ends: "block", top: true },
        { kind: "resource", is: /^[a-z]\w*\s+"(?<scope>[^"\n]+)"\s+"(?<name>[^"\n]+)"\s*\{/, ends: "block", top: true },
        { kind: "resource", is: /^[a-z]\w*\s+"(?<name>[^"\n]+)"\s*\{/, ends: "block", top: true },
        { kind: "namespace", is: /^(?<name>locals|terraform)\s*\{/, ends: "block", top: true },
        { kind: "const", is: /^(?<name>\w[\w-]*)\s*=(?!=)/, ends: "line", in: ["namespace"] },
        { kind: "var", is: /^(?<name>\w[\w-]*)\s*=(?!=)/, ends: "line", top: true },
      ],
    },
  },
  {
    id: "dockerfile",
    title: "Dockerfile",
    extensions: [".dockerfile"],
    filenames: ["Dockerfile", "Containerfile"],
    ...{ aliases: ["docker"], docMarkers: HASH_DOCS },
    outline: {
      quiet: [{ open: "^[ \\t]*#" }, heredoc("<<-?[\"']?(?<word>\\w+)[\"']?")],
      definitions: [
        { kind: "target", is: /^FROM\s(?:[^\n]*\s)?AS\s+(?<name>[\w.-]+)/i, ends: "section" },
        { kind: "target", is: /^FROM\s+(?:--\S+\s+)*(?<name>\S+)/i, ends: "section" },
        { kind: "const", is: /^(?:ARG|ENV)\s+(?<name>\w+)/i, ends: "line" },
      ],
    },
  },
  {
    id: "makefile",
    title: "Makefile",
    extensions: [".mk", ".mak"],
    aliases: ["make"],
    ...{ filenames: ["Makefile", "makefile", "GNUmakefile"], docMarkers: HASH_DOCS },
    outline: {
      quiet: [{ open: "(?:^|(?<=[ \\t]))#" }],
      blocks: { words: [["^define\\b", "^endef\\b"]], stop: "(?!)" },
      definitions: [
        { kind: "macro", is: /^(?:override\s+|export\s+)*define\s+(?<name>[^\s=:]+)/, ends: "words", margin: true },
        { kind: "use", is: /^-?s?include\s+(?<name>[^\s#]+)/, ends: "line", margin: true },
        {
          kind: "var",
          is: /^(?:override\s+|export\s+)*(?<name>[\w.${}()-]+)[ \t]*(?:::?:?|[?!])?=/,
          ends: "line",
          notIn: ["target", "macro"],
        },
        {
          kind: "target",
          is: /^(?!export\b|override\b|ifn?eq\b|else\b|\.[A-Z])(?<name>[\w./%${}()*+@~-]+)(?:[ \t]+[^\s:=#][^:=\n#]*)?[ \t]*&?::?(?!=)/,
          ends: "indent",
          margin: true,
        },
      ],
    },
  },
  {
    id: "cmake",
    title: "CMake",
    extensions: [".cmake"],
    filenames: ["CMakeLists.txt"],
    docMarkers: HASH_DOCS,
    outline: {
      quiet: [{ open: "#?\\[(?<level>=*)\\[", close: "]$<level>]" }, comment("#"), quotedLines('"')],
      blocks: {
        words: [["^[ \\t]*(?:function|macro)\\b(?=[ \\t]*\\()", "^[ \\t]*end(?:function|macro)\\b"]],
        folded: true,
      },
      definitions: [
        { kind: "fn", is: /^function\s*\(\s*"?(?<name>[^\s()"]+)/i, ends: "words", margin: true },
        { kind: "macro", is: /^macro\s*\(\s*"?(?<name>[^\s()"]+)/i, ends: "words", margin: true },
        { kind: "fn", is: /^function\s*\(\s*"?(?<name>[^\s()"]+)/i, ends: "words" },
        { kind: "macro", is: /^macro\s*\(\s*"?(?<name>[^\s()"]+)/i, ends: "words" },
        { kind: "module", is: /^project\s*\(\s*(?<name>[^\s()"]+)/i, ends: "statement" },
        {
          kind: "target",
          is: /^add_(?:library|executable|custom_target)\s*\(\s*"?(?<name>[^\s()"]+)/i,
          ends: "statement",
        },
        { kind: "const", is: /^option\s*\(\s*(?<name>[^\s()"]+)/i, ends: "statement" },
        {
          kind: "use",
          is: /^(?:include|find_package|add_subdirectory)\s*\(\s*"?(?<name>[^\s()"]+)/i,
          ends: "statement",
        },
        { kind: "var", is: /^set\s*\(\s*(?<name>[^\s()"]+)/i, ends: "statement" },
      ],
    },
  },
];

export const SCHEMAS: readonly LanguageRow[] = [
  {
    id: "sql",
    title: "SQL",
    extensions: [".sql", ".ddl", ".pgsql", ".plsql", ".psql"],
    docMarkers: ["--", "/**", "/*", "*/", "*"],
    nameOf: (written) => written.replace(/^[["`]|[\]"`]$/g, ""),
    outline: sqlRules,
  },
  {
    id: "proto",
    title: "Protocol Buffers",
    extensions: [".proto"],
    aliases: ["protobuf"],
    docMarkers: C_DOCS,
    declaresModules: true,
    outline: {
      quiet: [comment("//"), block("/*", "*/"), quoted('"'), quoted("'")],
      starts: "statement",
      definitions: [
        { kind: "package", is: /^package\s+(?<name>[\w.]+)/, ends: "statement", top: true },
        { kind: "use", is: /^import\s+(?:public\s+|weak\s+)?(?<name>"[^"\n]+")/, ends: "statement", top: true },
        { kind: "struct", is: /^message\s+(?<name>\w+)/, ends: "block" },
        { kind: "enum", is: /^enum\s+(?<name>\w+)/, ends: "block" },
        { kind: "interface", is: /^service\s+(?<name>\w+)/, ends: "block" },
        { kind: "extension", is: /^extend\s+(?<name>[\w.]+)/, ends: "block" },
        { kind: "union", is: /^oneof\s+(?<name>\w+)/, ends: "block", in: ["struct"] },
        { kind: "method", is: /^rpc\s+(?<name>\w+)/, ends: "block", in: ["interface"] },
        {
          kind: "field",
          is: /^(?!option\b|reserved\b|extensions\b)(?:(?:optional|required|repeated)\s+)?(?:group|map\s*<[^>\n]*>|\.?\w[\w.]*)\s+(?<name>\w+)\s*=\s*\d/,
          ends: "statement",
          in: ["struct", "union", "extension"],
        },
        { kind: "variant", is: /^(?!option\b)(?<name>\w+)\s*=\s*-?\d/, ends: "statement", in: ["enum"] },
      ],
    },
  },
  {
    id: "graphql",
    title: "GraphQL",
    extensions: [".graphql", ".gql", ".graphqls"],
    aliases: ["gql"],
    docMarkers: HASH_DOCS,
    modules: "declared",
    outline: {
      quiet: [comment("#"), quotedLines('"""'), quoted('"')],
      starts: "statement",
      blocks: { lines: true, stop: "(?!)" },
      definitions: [
        {
          kind: "extension",
          is: /^extend\s+(?:type|interface|input|enum|union)\s+(?<name>\w+)/,
          ends: "block",
          top: true,
        },
        { kind: "struct", is: /^(?:type|input)\s+(?<name>\w+)/, ends: "block", top: true },
        { kind: "interface", is: /^interface\s+(?<name>\w+)/, ends: "block", top: true },
        { kind: "enum", is: /^enum\s+(?<name>\w+)/, ends: "block", top: true },
        { kind: "union", is: /^union\s+(?<name>\w+)/, ends: "indent", top: true },
        { kind: "type", is: /^scalar\s+(?<name>\w+)/, ends: "line", top: true },
        { kind: "macro", is: /^directive\s+@(?<name>\w+)/, ends: "indent", top: true },
        { kind: "fn", is: /^(?:query|mutation|subscription|fragment)\s+(?<name>\w+)/, ends: "block", top: true },
        { kind: "field", is: /^(?<name>\w+)\s*[(:]/, ends: "line", in: ["struct", "interface", "extension"] },
        { kind: "variant", is: /^(?<name>[A-Za-z_]\w*)/, ends: "line", in: ["enum"] },
      ],
    },
  },
];

function sqlRules(): OutlineRules {
  const name = String.raw`(?:(?<scope>[\w$]+|"[^"\n]+"|\[[^\]\n]+\]|${"`[^`\\n]+`"})\s*\.\s*)?(?<name>[\w$]+|"[^"\n]+"|\[[^\]\n]+\]|${"`[^`\\n]+`"})`;
  const words =
    "(?:(?:or\\s+(?:replace|alter)|global|local|temp|temporary|unlogged|external|foreign|transient|virtual|materialized|recursive|unique|bitmap|clustered|nonclustered|columnstore|aggregate|constraint|editionable|noneditionable|definer\\s*=\\s*\\S+|algorithm\\s*=\\s*\\w+|sql\\s+security\\s+\\w+)\\s+)*";
  const create = (what: string) =>
    new RegExp(
      `^create\\s+${words}(?:${what})\\s+(?:concurrently\\s+)?(?:if\\s+not\\s+exists\\s+)?(?:body\\s+)?${name}`,
      "i",
    );
  return {
    quiet: [
      comment("--"),
      block("/*", "*/"),
      { open: "\\$(?:[A-Za-z_]\\w*)?\\$", close: { same: true }, string: true, lines: true },
      quotedLines("'", "'", ""),
      quoted('"', ""),
      quoted("`", ""),
    ],
    starts: "statement",
    blocks: {
      words: [["\\bbegin\\b(?!\\s*(?:;|tran|work))|\\bcase\\b", "\\bend\\b(?!\\s+(?:if|loop|while|repeat|for)\\b)"]],
      stop: ";|^[ \\t]*go[ \\t]*\\r?$|^(?=create\\b|alter\\b|insert\\b|drop\\b|comment\\b)",
      folded: true,
    },
    definitions: [
      { kind: "table", is: create("table"), ends: "statement" },
      { kind: "table", is: create("view"), ends: "statement" },
      { kind: "fn", is: create("function|procedure|proc|trigger|rule|event"), ends: "statement" },
      { kind: "type", is: create("type|domain"), ends: "statement" },
      { kind: "property", is: create("index"), ends: "statement" },
      { kind: "namespace", is: create("schema|database"), ends: "line" },
      { kind: "module", is: create("package"), ends: "statement" },
      { kind: "var", is: create("sequence|synonym"), ends: "statement" },
      {
        kind: "var",
        is: /^(?:with\s+(?:recursive\s+)?|,\s*)(?<name>[\w$]+|"[^"\n]+")\s*(?:\([^()\n]*\)\s*)?as\s+(?:not\s+)?(?:materialized\s+)?\(/i,
        ends: "group",
      },
      {
        kind: "field",
        is: /^(?!(?:constraint|primary|foreign|unique|check|key|index|exclude|like|period|partition|fulltext|spatial)\b)(?<name>[\w$]+|"[^"\n]+"|\[[^\]\n]+\]|`[^`\n]+`)\s+["[`A-Za-z]/i,
        ends: "line",
        in: ["table"],
      },
    ],
  };
}
