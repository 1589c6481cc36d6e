/** Java. The package is declared, not read from the path. */

import type { ImportItem } from "../../model/edges.ts";
import type { LanguageEdges } from "../../model/language-edges.ts";
import { defineLanguage, modulePath } from "../define.ts";
import { importItem, jvmPackages, nearPackage } from "../packages.ts";

const javaEdges: LanguageEdges = {
  imports: javaImports,
  self: ["this"],
  base: ["super"],
  implicitSelf: true,
  separateFunctions: true,
  types: (written) =>
    written.trim() === "var" ? "" : written.replace(/@\w+\s+/g, "").replace(/\?\s*(?:extends|super)\s+/g, ""),
  near: (symbol, user) => nearPackage(symbol, user, { nested: false }),
  resolver: jvmPackages,
};

function javaImports(statement: string): ImportItem[] {
  const found = /^import\s+(?:static\s+)?([\w$]+(?:\s*\.\s*[\w$]+)*(?:\s*\.\s*\*)?)/.exec(statement);
  if (!found) return [];
  const path = found[1]!.replace(/\s/g, "");
  return [importItem(path, undefined, statement.indexOf(found[1]!))];
}

export default defineLanguage({
  id: "java",
  title: "Java",
  aliases: [],
  extensions: [".java"],
  grammar: { npm: "@repomix/tree-sitter-wasms", wasm: "out/tree-sitter-java.wasm" },
  separator: ".",
  moduleOf: (path) => modulePath(path).slice(0, -1),
  declaresModules: true,
  methodOwners: ["class", "interface", "enum", "record"],
  visibility: ({ kind, head, parentKind }) => {
    if (kind === "use" || kind === "package" || kind === "variant") return {};
    const keyword = /^(?:(?:@[\w.]+|static|final|abstract|default|synchronized)\s+)*(public|protected|private)\b/.exec(
      head,
    )?.[1];
    if (keyword) return { keyword, visibility: keyword as "public" | "protected" | "private" };
    const open = parentKind === "interface" || (parentKind === "record" && kind === "field");
    return { visibility: open ? "public" : "internal" };
  },
  edges: javaEdges,
  sealedPrivate: true,
  docMarkers: ["/**", "//", "/*", "*/", "*"],
});
