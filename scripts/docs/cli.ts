/** docs/cli.md: the help of every command. */
import { allSpecs, buildProgram } from "../../src/cli/program.ts";
import { block } from "./markdown.ts";

export async function cliPage(): Promise<string> {
  const help = await helpTexts();
  const sections = [...help].map(([name, text]) => `## ${name}\n\n${block("text", text)}`);
  return `# Command line

Exit codes are those of grep: 0 found or done, 1 nothing found, 2 error (stderr says what happened and what to do next),
or nothing found by \`search --regex\` where not everything could be searched; 130 interrupted. \`search -q\` prints nothing and answers with its code alone.
\`--path\` and \`--workspace\` mean the same on every command. Answers go to stdout, everything else to stderr;
colours, links, the pager and the progress bar appear on a terminal only (no colours and links with \`NO_COLOR\` or
\`--no-color\`). The pager is \`CODECOMPASS_PAGER\`, \`PAGER\` or \`less\`; empty or \`cat\` means none.

Control, bidirectional and zero-width characters of a repository (in paths, names, code, refs) are printed as escapes
such as \`\\u001b\` and \`\\u202e\`, in JSON too, where they keep their meaning. The matches of \`search --regex\`
and the paths of \`--files-with-matches\` are exact when they go into a pipe or a file, as those of grep and ripgrep are.

A line without a command is a search: \`codecompass "where is a request validated"\`. Flags of patterns (\`-i\`, \`-w\`, \`-o\`,
\`-e\` …) select \`--regex\` and say so on stderr; \`-C\` and \`-q\` also apply to questions. \`-v\` inverts a pattern
search; everywhere else it is \`--verbose\`.

${sections.join("\n")}`;
}

/** Help by command, the program's own first, at a fixed width. */
export async function helpTexts(): Promise<Map<string, string>> {
  const writers = { out: () => {}, err: () => {}, matches: () => {} };
  const silent = { ...writers, outIsTty: false, errIsTty: false, colour: false, columns: 80 };
  const given = { terminal: silent, env: {}, cwd: ".", signal: new AbortController().signal };
  const program = buildProgram(await allSpecs(), given, () => {});
  const commands = [program, ...program.commands];
  for (const command of commands) command.configureHelp({ ...command.configureHelp(), helpWidth: 80 });
  return new Map(commands.map((command) => [command.name(), helpOf(command)]));
}

function helpOf(command: ReturnType<typeof buildProgram>): string {
  let text = "";
  command.configureOutput({
    writeOut: (part) => {
      text += part;
    },
  });
  command.outputHelp();
  return text;
}
