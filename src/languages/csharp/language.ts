/** C#. Namespaces are the modules, with a block or for the whole file. */
import type { Visibility } from "../../model/code.ts";
import type { ImportItem } from "../../model/edges.ts";
import type { LanguageEdges } from "../../model/language-edges.ts";
import { defineLanguage, modulePath } from "../define.ts";
import { nearPackage } from "../packages.ts";

/** References in C#: namespaces do not correspond to files, so names are found by their qualified names. */
const csharpEdges: LanguageEdges = {
  openNamespaces: true,
  imports: csharpImports,
  sharedImports: "global using ",
  tagName: (written) => (written.endsWith("Attribute") ? written : `${written}Attribute`),
  extensions: true,
  self: ["this"],
  base: ["base"],
  implicitSelf: true,
  detachedMembers: true,
  types: (written) => (written.trim() === "var" ? "" : written.replace(/\?/g, "")),
  near: (symbol, user) => nearPackage(symbol, user, { nested: true }),
  resolver: { prepare: () => () => [] },
};

function csharpImports(statement: string): ImportItem[] {
  const found = /^(?:global\s+)?using\s+(?:(static|unsafe)\s+)?(?:(\w+)\s*=\s*)?(?:global::)?([\w.]+)/.exec(statement);
  if (!found) return [];
  const [, , alias, path] = found as unknown as [string, string | undefined, string | undefined, string];
  const at = statement.indexOf(path, (alias?.length ?? 0) + 5);
  const shared = statement.startsWith("global") && { exported: "*" };
  if (alias === undefined) return [{ module: path, name: "*", local: "*", at, ...shared }];
  const dot = path.lastIndexOf(".");
  return [{ module: path.slice(0, Math.max(0, dot)), name: path.slice(dot + 1), local: alias, at }];
}

const MODIFIERS =
  /^(?:(?:static|sealed|abstract|partial|readonly|unsafe|new|async|override|virtual)\s+)*((?:public|private|protected|internal)(?:\s+(?:protected|internal))?)\b/;

export default defineLanguage({
  id: "csharp",
  title: "C#",
  aliases: ["c#", "cs", "dotnet"],
  extensions: [".cs", ".csx"],
  grammar: { npm: "@repomix/tree-sitter-wasms", wasm: "out/tree-sitter-c_sharp.wasm" },
  // Directives may be anywhere, even inside an expression. Both branches are read.
  quiet: (text) => text.replace(/^[ \t]*#.*$/gm, (directive) => " ".repeat(directive.length)),
  separator: ".",
  moduleOf: (path) => modulePath(path),
  declaresModules: true,
  methodOwners: ["class", "struct", "interface", "record"],
  visibility: ({ kind, head, parentKind }) => {
    if (kind === "use" || kind === "namespace" || kind === "variant") return {};
    const keyword = MODIFIERS.exec(head)?.[1];
    if (keyword) return { keyword, visibility: keyword.split(/\s/)[0] as Visibility };
    if (parentKind === "interface") return { visibility: "public" };
    return { visibility: parentKind === undefined || parentKind === "namespace" ? "internal" : "private" };
  },
  edges: csharpEdges,
  docMarkers: ["///", "/**", "//", "/*", "*/", "*", "<summary>", "</summary>"],
});
