/** PHP. A file belongs to the namespace it declares. */

import type { ImportItem } from "../../model/edges.ts";
import type { LanguageEdges, ModuleResolver } from "../../model/language-edges.ts";
import { defineLanguage, modulePath } from "../define.ts";
import { dotted, folderPackages, joinPath, nearPackage, parentFolder } from "../packages.ts";

const folders = folderPackages(/\.php$/);

const phpModules: ModuleResolver = {
  prepare: (view) => {
    const byFolder = folders.prepare(view);
    return (module, from) => {
      if (!/\.(?:php|inc)$/.test(module)) return byFolder(module, from);
      const sameFolder = joinPath(parentFolder(from), module.replace(/^\//, ""));
      return view.has(sameFolder) ? [sameFolder] : [];
    };
  },
};

/** References in PHP: namespaces, `use`, and files that are required. */
const phpEdges: LanguageEdges = {
  openNamespaces: true,
  imports: phpImports,
  self: ["$this", "self", "static"],
  base: ["parent"],
  joints: ["?->", "->", "::"],
  namespaces: true,
  separateFunctions: true,
  types: (written) => written.replace(/^[?\\]+/, "").replaceAll("\\", "."),
  near: (symbol, user) => nearPackage(symbol, user, { nested: false }) || (isFallback(symbol) ? 1 : 0),
  resolver: phpModules,
};

/** Functions and constants fall back to the global namespace. */
function isFallback({ kind, qualifiedName }: { readonly kind: string; readonly qualifiedName: string }): boolean {
  return (kind === "fn" || kind === "const") && !qualifiedName.includes(".");
}

function phpImports(statement: string): ImportItem[] {
  const required = /^(?:require|include)(?:_once)?\b[^"']*(["'])([^"']+)\1/.exec(statement);
  if (required) return [{ module: required[2]!, name: "", local: "", at: statement.indexOf(required[2]!) }];
  const head = /^use\s+(?:function\s+|const\s+)?/.exec(statement);
  if (!head) return [];
  const items: ImportItem[] = [];
  for (const found of statement.slice(head[0].length).matchAll(/([\w\\]+)\s*(?:\{([^}]*)\}|(?:as\s+(\w+))?)/g)) {
    const at = head[0].length + found.index;
    if (found[2] === undefined) items.push(item(found[1]!, found[3], at));
    for (const one of found[2]?.split(",") ?? []) {
      const [name = "", alias] = one
        .trim()
        .replace(/^(?:function|const)\s+/, "")
        .split(/\s+as\s+/);
      if (name !== "") items.push(item(found[1]! + name, alias, at));
    }
  }
  return items;
}

function item(path: string, alias: string | undefined, at: number): ImportItem {
  const parts = dotted(path).split(".");
  const name = parts.pop()!;
  return { module: parts.join("."), name, local: alias ?? name, at };
}

export default defineLanguage({
  id: "php",
  title: "PHP",
  aliases: [],
  extensions: [".php", ".phtml", ".php5"],
  interpreters: ["php"],
  grammar: { npm: "@repomix/tree-sitter-wasms", wasm: "out/tree-sitter-php.wasm" },
  separator: ".",
  moduleOf: (path) => modulePath(path),
  declaresModules: true,
  methodOwners: ["class", "interface", "trait", "enum"],
  visibility: ({ vis, parentKind }) => {
    if (vis === "public" || vis === "protected" || vis === "private") return { keyword: vis, visibility: vis };
    return parentKind && parentKind !== "namespace" ? { visibility: "public" } : {};
  },
  nameOf: (written, kind) => (kind === "use" ? written.replace(/^use\s+/, "") : written),
  edges: phpEdges,
  sealedPrivate: true,
  docMarkers: ["/**", "//", "#", "/*", "*/", "*"],
});
