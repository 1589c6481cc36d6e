/** Completion scripts, derived from the commands. They complete words and flags; they never start the program. */
import { type CommandFlag, type CommandSpec, GLOBAL_FLAGS } from "../command.ts";

const SHELLS = ["bash", "zsh", "fish", "powershell"] as const;
type Shell = (typeof SHELLS)[number];

export default {
  name: "completion",
  summary: "Print a shell completion script",
  group: "Commands:",
  argument: { name: "<shell>", doc: "Shell to complete for", choices: SHELLS },
  flags: [],
  examples: [
    "completion bash > ~/.local/share/bash-completion/completions/codecompass",
    'completion zsh > "$' + '{fpath[1]}/_codecompass"',
    "completion powershell >> $PROFILE",
    "completion fish > ~/.config/fish/completions/codecompass.fish",
  ],

  async run({ words, terminal, commands }) {
    terminal.out(
      scriptFor(
        words[0] as Shell,
        await commands(),
        GLOBAL_FLAGS.filter((flag) => flag.hidden !== true),
      ),
    );
    return 0;
  },
} satisfies CommandSpec;

function scriptFor(shell: Shell, specs: readonly CommandSpec[], globals: readonly CommandFlag[]): string {
  const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript, powershell: powershellScript };
  return scripts[shell](specs, globals);
}

function visible(spec: CommandSpec): readonly CommandFlag[] {
  return spec.flags.filter((flag) => flag.hidden !== true);
}

/** `-v, --verbose` → `["-v", "--verbose"]`, without the value's name. */
function words(flag: CommandFlag): string[] {
  return flag.flags.split(/,\s*/).map((word) => word.split(" ")[0]!);
}

function flagWords(spec: CommandSpec, globals: readonly CommandFlag[]): string {
  return [...new Set([...visible(spec), ...globals].flatMap(words)), ...(spec.argument?.choices ?? [])].join(" ");
}

function bashScript(specs: readonly CommandSpec[], globals: readonly CommandFlag[]): string {
  const cases = specs.map((spec) => `    ${spec.name}) words="${flagWords(spec, globals)}" ;;`).join("\n");
  return `# codecompass completion for bash
_codecompass() {
  local current="\${COMP_WORDS[COMP_CWORD]}" command="" words="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) ;; *) command="$word"; break ;; esac
  done
  case "$command" in
    "") words="${specs.map((spec) => spec.name).join(" ")} ${globals.flatMap(words).join(" ")}" ;;
${cases}
  esac
  case "\${COMP_WORDS[COMP_CWORD-1]}" in
    --path|--workspace) COMPREPLY=($(compgen -d -- "$current")) ;;
    --config|--file) COMPREPLY=($(compgen -f -- "$current")) ;;
    *) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
  esac
}
complete -o default -F _codecompass codecompass
`;
}

function zshScript(specs: readonly CommandSpec[], globals: readonly CommandFlag[]): string {
  const quote = (text: string) => text.replace(/'/g, "'\\''").replace(/:/g, "\\:");
  const commands = specs.map((spec) => `    '${spec.name}:${quote(spec.summary)}'`).join("\n");
  const cases = specs.map((spec) => `    ${spec.name}) compadd -- ${flagWords(spec, globals)} ;;`).join("\n");
  return `#compdef codecompass
# codecompass completion for zsh
_codecompass() {
  local -a commands
  commands=(
${commands}
  )
  if (( CURRENT == 2 )); then
    _describe 'command' commands
    return
  fi
  case "$words[CURRENT-1]" in
    --path|--workspace) _files -/; return ;;
    --config|--file) _files; return ;;
  esac
  case "$words[2]" in
${cases}
  esac
}
if [ "\${funcstack[1]}" = _codecompass ]; then _codecompass "$@"; else compdef _codecompass codecompass; fi
`;
}

function fishScript(specs: readonly CommandSpec[], globals: readonly CommandFlag[]): string {
  const quote = (text: string) => `'${text.replace(/[\\']/g, "\\$&")}'`;
  const flagLine = (flag: CommandFlag, condition: string) => {
    const long = words(flag).find((word) => word.startsWith("--"))!;
    const value = flag.flags.includes("<") ? " -r" : "";
    return `complete -c codecompass${condition} -l ${long.slice(2)}${value} -d ${quote(flag.doc)}`;
  };
  return [
    "# codecompass completion for fish",
    ...specs.map(
      (spec) => `complete -c codecompass -n __fish_use_subcommand -f -a ${spec.name} -d ${quote(spec.summary)}`,
    ),
    ...globals.map((flag) => flagLine(flag, "")),
    ...specs.flatMap((spec) =>
      visible(spec).map((flag) => flagLine(flag, ` -n '__fish_seen_subcommand_from ${spec.name}'`)),
    ),
    "",
  ].join("\n");
}

function powershellScript(specs: readonly CommandSpec[], globals: readonly CommandFlag[]): string {
  const list = (words: readonly string[]) => words.map((word) => `'${word.replaceAll("'", "''")}'`).join(", ");
  const flags = specs.map((spec) => `    '${spec.name}' = @(${list(flagWords(spec, globals).split(" "))})`).join("\n");
  return `# codecompass completion for PowerShell
Register-ArgumentCompleter -Native -CommandName codecompass -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $flags = @{
${flags}
  }
  $given = @($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
  $command = $given | Where-Object { $flags.ContainsKey($_) } | Select-Object -First 1
  $words = if ($command) { $flags[$command] } else { @(${list([...specs.map((spec) => spec.name), ...globals.flatMap(words)])}) }
  $words | Where-Object { $_ -like "$wordToComplete*" } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}
`;
}
