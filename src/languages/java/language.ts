/** Java. The package is declared, not read from the path. */
import { defineLanguage, modulePath } from "../define.ts";
import { javaEdges } from "./edges.ts";

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
  docMarkers: ["/**", "//", "/*", "*/", "*"],
});
