/** The commands that people type most: a tool under a short name, with a few of its flags. */
import { type CommandSpec, OPEN_FLAG } from "./command.ts";
import { type ShortCommand, shortCommand } from "./tool-commands.ts";

const SYMBOL = { name: "<symbol>", doc: "Name, qualified name, path:line or path#Name", field: "symbol_name" } as const;
const WHERE = ["path", "ref"] as const;

const SHORT: readonly ShortCommand[] = [
  {
    name: "def",
    tool: "locate_symbol",
    summary: "Find where a symbol is defined",
    words: [{ ...SYMBOL, field: "name" }],
    fields: ["kind", "language", ...WHERE, "limit"],
    extra: [OPEN_FLAG],
    examples: ["def validate_token", "def User --kind class --ref main"],
  },
  {
    name: "refs",
    tool: "find_references",
    summary: "Find every use of a symbol",
    words: [SYMBOL],
    fields: ["kind", ...WHERE, "limit"],
    extra: [OPEN_FLAG],
    examples: ["refs validate_token", "refs src/auth.rs:12 --kind calls"],
  },
  {
    name: "callers",
    tool: "get_call_graph",
    summary: "Show who calls a function",
    words: [SYMBOL],
    fields: ["direction", "depth", ...WHERE, "limit"],
    extra: [OPEN_FLAG],
    preset: { direction: "callers" },
    examples: ["callers validate_token --depth 2", "callers handle --direction callees"],
  },
  {
    name: "outline",
    tool: "get_file_outline",
    summary: "Outline a file",
    words: [{ name: "<file>", doc: "Path of the file", field: "path" }],
    fields: ["depth", "ref"],
    examples: ["outline src/auth.rs --depth top"],
  },
  {
    name: "context",
    tool: "get_code_context",
    summary: "Collect the relevant code within a token budget",
    words: [{ name: "<query...>", doc: "Question or name; quotes are optional", field: "query" }],
    fields: ["max_tokens", "strategy", "language", ...WHERE],
    examples: ['context "how are tokens validated" --max-tokens 8000'],
  },
  {
    name: "diff",
    tool: "diff_context",
    summary: "List the symbols that changed between two refs",
    words: [
      { name: "[base]", doc: "Ref to compare with (default: the default branch)", field: "base_ref" },
      { name: "[head]", doc: "Ref to compare, or worktree (default: what is checked out)", field: "head_ref" },
    ],
    fields: ["path_filter", "limit", "pack"],
    examples: ["diff main", "diff v1.0 v1.1 --pack 8000"],
  },
];

export function shortCommands(): CommandSpec[] {
  return SHORT.map(shortCommand);
}
