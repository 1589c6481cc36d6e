import { type CommandSpec, GLOBAL_FLAGS } from "../command.ts";
import { SHELLS, type Shell, scriptFor } from "../completion.ts";

export default {
  name: "completion",
  summary: "Print a shell completion script",
  group: "Commands:",
  argument: { name: "<shell>", doc: "Shell to complete for", choices: SHELLS },
  flags: [],
  examples: [
    "completion bash > ~/.local/share/bash-completion/completions/codecompass",
    'completion zsh > "$' + '{fpath[1]}/_codecompass"',
    "completion fish > ~/.config/fish/completions/codecompass.fish",
  ],

  async run({ words, terminal, commands }) {
    terminal.out(scriptFor(words[0] as Shell, await commands(), GLOBAL_FLAGS));
    return 0;
  },
} satisfies CommandSpec;
