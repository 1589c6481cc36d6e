/** Go. The package is the directory; a capital letter exports. */

import type { ImportItem } from "../../model/edges.ts";
import type { LanguageEdges, ModuleResolver } from "../../model/language-edges.ts";
import { defineLanguage, modulePath } from "../define.ts";
import { parentFolder, push } from "../packages.ts";

/** References in Go: a package is a folder, `go.mod` has the prefix of its import path. */
const goEdges: LanguageEdges = {
  imports: goImports,
  self: [],
  base: [],
  derefs: true,
  composites: true,
  assertions: true,
  typeCalls: ["new", "make"],
  blank: "_",
  lexical: true,
  detachedMembers: true,
  structuralInterfaces: true,
  types: goType,
  near: (symbol, { path }) => (symbol.language === "go" && parentFolder(symbol.path) === parentFolder(path) ? 1 : 0),
  resolver: goModules(),
};

function goImports(statement: string): ImportItem[] {
  const found = /^(?:([\w.]+)\s+)?["`]([^"`]+)["`]/.exec(statement.trim());
  if (!found) return [];
  const [, alias, module] = found as unknown as [string, string | undefined, string];
  const at = statement.indexOf(module);
  if (alias === "_") return [{ module, name: "", local: "", at }];
  return [{ module, name: "*", local: alias === "." ? "*" : (alias ?? packageName(module)), at }];
}

/** `gopkg.in/yaml.v3` and `example.org/yaml/v2` are called `yaml`. */
function packageName(module: string): string {
  const parts = module.split("/").filter((part) => !/^v\d+$/.test(part));
  return (parts.at(-1) ?? module)
    .replace(/\.v\d+$/, "")
    .replace(/^go-/, "")
    .replaceAll("-", "_");
}

/** `*T` is a T, `[]T` a list; of several results the first counts. */
function goType(written: string): string {
  const text = written.trim();
  if (text.startsWith("("))
    return goType(
      text
        .slice(1, -1)
        .split(",")[0]!
        .replace(/^\w+\s+(?=[\w*[])/, ""),
    );
  if (/^(?:\*|\.\.\.)/.test(text)) return goType(text.replace(/^(?:\*|\.\.\.)/, ""));
  const list = /^(?:\[[^\]]*\]|(?:<-)?chan(?:<-)?\s)\s*(.+)$/s.exec(text);
  if (list) return `${goType(list[1]!)}[]`;
  const map = /^map\[[^\]]*\](.+)$/s.exec(text);
  if (map) return `${goType(map[1]!)}[]`;
  return /^(?:func|struct|interface)\b/.test(text) ? "" : text.replace(/\[.*$/s, "");
}

function goModules(): ModuleResolver {
  return {
    configs: /^go\.mod$/,
    prepare: (view) => {
      const folders = new Map<string, string[]>();
      const roots: { prefix: string; folder: string }[] = [];
      for (const path of view.paths) {
        if (/\.go$/.test(path) && !/_test\.go$/.test(path)) push(folders, parentFolder(path), path);
        if (!/(?:^|\/)go\.mod$/.test(path)) continue;
        const prefix = /^module\s+"?([^\s"]+)/m.exec(view.text(path) ?? "")?.[1];
        if (prefix !== undefined) roots.push({ prefix, folder: parentFolder(path) });
      }
      roots.sort((a, b) => b.prefix.length - a.prefix.length);
      return (module) => {
        const root = roots.find(({ prefix }) => module === prefix || module.startsWith(`${prefix}/`));
        if (root === undefined) return [];
        const inside = module.slice(root.prefix.length + 1);
        return folders.get([root.folder, inside].filter(Boolean).join("/")) ?? [];
      };
    },
  };
}

export default defineLanguage({
  id: "go",
  title: "Go",
  aliases: ["golang"],
  folderPackages: true,
  extensions: [".go"],
  grammar: { npm: "@repomix/tree-sitter-wasms", wasm: "out/tree-sitter-go.wasm" },
  separator: ".",
  moduleOf: (path) => modulePath(path).slice(0, -1),
  methodOwners: ["interface", "struct", "type"],
  visibility: ({ name, kind }) => {
    if (kind === "use" || kind === "package") return {};
    return { visibility: /^\p{Lu}/u.test(name) ? "public" : "private" };
  },
  edges: goEdges,
  exposure: "packages",
  docMarkers: ["//", "/*", "*/"],
});
