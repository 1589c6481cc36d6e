/** C#. Namespaces are the modules, with a block or for the whole file. */
import type { Visibility } from "../../model/code.ts";
import { defineLanguage, modulePath } from "../define.ts";
import { csharpEdges } from "./edges.ts";

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
