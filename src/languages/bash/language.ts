/** Bash and other shells of its family. Names are global; the file prefixes them. */
import { defineLanguage, modulePath } from "../define.ts";
import { bashEdges } from "./edges.ts";

export default defineLanguage({
  id: "bash",
  title: "Bash",
  aliases: ["sh", "shell", "zsh"],
  extensions: [".sh", ".bash", ".bats", ".zsh", ".ksh"],
  filenames: [".bashrc", ".bash_profile", ".bash_aliases", ".profile", ".zshrc", ".envrc", "PKGBUILD"],
  interpreters: ["bash", "sh", "zsh", "ksh", "dash", "bats"],
  grammar: { npm: "tree-sitter-bash", wasm: "tree-sitter-bash.wasm" },
  separator: ".",
  moduleOf: (path) => modulePath(path),
  methodOwners: [],
  visibility: () => ({}),
  // `alias ll='ls -l'`: the grammar includes the `=` in the name.
  nameOf: (written, kind) => (kind === "macro" ? written.replace(/=.*$/, "") : written),
  edges: bashEdges,
  docMarkers: ["#"],
});
