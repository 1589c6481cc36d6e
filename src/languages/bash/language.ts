/** Bash and other shells of its family. Names are global; the file prefixes them. */

import type { ImportItem } from "../../model/edges.ts";
import type { LanguageEdges, ModuleResolver } from "../../model/language-edges.ts";
import { defineLanguage, modulePath } from "../define.ts";
import { filesByTail, joinPath, nearestFile, parentFolder } from "../packages.ts";

/** References in shells: files are sourced, functions and variables are global. */
const bashEdges: LanguageEdges = {
  imports: bashImports,
  self: [],
  base: [],
  dynamic: /./,
  exactNames: true,
  separateFunctions: true,
  // A function may come from any file that was sourced before; of several, only one that this file sources is certain.
  // Two programs may each have a variable of a name.
  near: ({ language, kind }) => (language === "bash" && kind !== "use" && kind !== "var" ? 1 : 0),
  resolver: sourcedFiles(),
};

/** The shell computes what precedes the file's path: `"$DIR/lib.sh"`, `$(dirname "$0")/lib.sh`. */
function bashImports(statement: string): ImportItem[] {
  const [, written = ""] = /^(?:source|\.)\s+(?:--\s+)?([^\n;&|]+)/.exec(statement) ?? [];
  const path = /(?:^|[})"'\w])((?:\.{0,2}\/)?[\w.@%+-]+(?:\/[\w.@%+-]+)*)["']?\s*$/.exec(written)?.[1] ?? "";
  const module = /[$)}]/.test(written) ? path.replace(/^[^/]*\//, "") : path;
  if (!/[\w]/.test(module)) return [];
  return [{ module, name: "*", local: "*", exported: "*", at: Math.max(0, statement.lastIndexOf(module)) }];
}

function sourcedFiles(): ModuleResolver {
  return {
    prepare: (view) => {
      const byTail = filesByTail(view.paths, (path) => path);
      return (module, from) => {
        const sameFolder = joinPath(parentFolder(from), module);
        if (view.has(sameFolder)) return [sameFolder];
        return nearestFile(byTail(module.replace(/^(?:\.{0,2}\/)+/, "")), from);
      };
    },
  };
}

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
  exposure: "environment",
  docMarkers: ["#"],
});
