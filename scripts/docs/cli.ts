/** docs/cli.md: the help of every command. */
import { allSpecs, buildProgram } from "../../src/cli/program.ts";
import { block } from "./markdown.ts";

export async function cliPage(): Promise<string> {
  const help = await helpTexts();
  const sections = [...help].map(([name, text]) => `## ${name}\n\n${block("text", text)}`);
  return `# Command line

Exit codes: 0 found or done, 1 nothing found, 2 error (stderr says what happened and what to do next), 130 interrupted.
\`--path\` and \`--workspace\` mean the same on every command. Answers go to stdout, everything else to stderr;
colours and the progress bar appear on a terminal only (never with \`NO_COLOR\` or \`--no-color\`).

Control, bidirectional and zero-width characters of a repository (in paths, names, code, refs) are printed as escapes
such as \`\\u001b\` and \`\\u202e\`, in JSON too, where they keep their meaning. The matches of \`search --regex\`
and the paths of \`--files-with-matches\` are exact when they go into a pipe or a file, as those of grep and ripgrep are.

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
