/** `review`: what a pull request removes, changes or leaves untested, for people, for a comment and for code scanning. */
import { type CommandSpec, WORKSPACE_FLAGS } from "../command.ts";

const FORMATS = ["text", "markdown", "sarif"] as const;

export default {
  name: "review",
  summary: "Review a change: public symbols removed or changed, who uses them, and what no test uses",
  group: "Commands:",
  argument: { name: "[base]", doc: "Ref to compare with, the same as --base" },
  second: { name: "[head]", doc: "Ref to review, the same as --head" },
  flags: [
    { flags: "--base <ref>", doc: "Compare with this ref (default: the default branch)" },
    { flags: "--head <ref>", doc: "Ref to review, or worktree for the files on disk (default: HEAD)" },
    { flags: "--format <format>", doc: "Output format", choices: FORMATS, default: "text" },
    { flags: "--budget <n>", doc: "Tokens of the review pack in markdown", default: "8000" },
    {
      flags: "--fail-on <rule>",
      doc: "Exit 1 on findings of this rule (repeatable)",
      choices: ["removed-public", "changed-public", "untested"],
      repeatable: true,
    },
    ...WORKSPACE_FLAGS,
  ],
  examples: [
    "review main",
    "review --base main --fail-on removed-public",
    "review --base main --format markdown",
    "review --base main --format sarif",
  ],
  run: async (call) => (await import("../review.ts")).review(call),
} satisfies CommandSpec;
