/** Kotlin. Packages are declared in the source; an extension function belongs to its receiver's name. */

import type { ImportItem } from "../../model/edges.ts";
import type { LanguageEdges } from "../../model/language-edges.ts";
import { defineLanguage, FUNCTION_KINDS, modulePath } from "../define.ts";
import { importItem, jvmPackages, nearPackage } from "../packages.ts";

const kotlinEdges: LanguageEdges = {
  imports: kotlinImports,
  self: ["this"],
  base: ["super"],
  callsConstruct: true,
  implicitSelf: true,
  detachedMembers: true,
  separateFunctions: true,
  types: (written) => written.replace(/[?!]/g, "").replace(/\b(?:in|out)\s+/g, ""),
  near: (symbol, user) => nearPackage(symbol, user, { nested: false }),
  resolver: jvmPackages,
};

function kotlinImports(statement: string): ImportItem[] {
  const found = /^import\s+([\w`]+(?:\.[\w`]+)*(?:\.\*)?)(?:\s+as\s+(\w+))?/.exec(statement);
  if (!found) return [];
  return [importItem(found[1]!.replaceAll("`", ""), found[2], statement.indexOf(found[1]!))];
}

/** Context parameters, which the grammar reads as a call. */
const CONTEXT = /^([ \t]*)context\([^()\n]*\)(?=\s+(?:@|(?:[a-z]+\s+)*(?:fun|val|var|class)\b))/gm;

const KEYWORD = /\b(public|private|protected|internal)\b/;

export default defineLanguage({
  id: "kotlin",
  title: "Kotlin",
  aliases: ["kt"],
  extensions: [".kt", ".kts"],
  grammar: { npm: "@tree-sitter-grammars/tree-sitter-kotlin", wasm: "tree-sitter-kotlin.wasm" },
  quiet: (text) => text.replace(CONTEXT, (context) => " ".repeat(context.length)),
  secondTry: (text) =>
    text
      // `{ class A : S }` on one line: the grammar misses the end of the class, and with it the rest of the file.
      .replace(/(?<=[\w)>\]"'?]) \}/g, ";}")
      // It knows no annotation of a constructor at the begin of a line.
      .replace(/^[ \t]*@[\w.]+(?=[ \t]+(?:\w+[ \t]+)?constructor\b)/gm, (it) => " ".repeat(it.length)),
  separator: ".",
  moduleOf: (path) => modulePath(path),
  declaresModules: true,
  methodOwners: ["class", "interface", "enum", "object", "variant"],
  visibility: ({ vis, kind, parentKind }) => {
    if (kind === "use" || kind === "package") return {};
    // Annotations are among the modifiers; words in their strings are not keywords.
    const keyword = vis?.replace(/"[^"]*"/g, "").match(KEYWORD)?.[1];
    return keyword
      ? { keyword, visibility: keyword as "public" }
      : FUNCTION_KINDS.has(parentKind)
        ? {}
        : { visibility: "public" };
  },
  // A companion without a name is called so by the language.
  nameOf: (written, kind) => (kind === "object" && written === "companion" ? "Companion" : written),
  edges: kotlinEdges,
  sealedPrivate: true,
  docMarkers: ["/**", "//", "/*", "*/", "*"],
});
