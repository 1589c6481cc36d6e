/** Dart. A leading underscore makes a name private to its library. */
import { defineLanguage, modulePath } from "../define.ts";
import { dartEdges } from "./edges.ts";

export default defineLanguage({
  id: "dart",
  title: "Dart",
  aliases: [],
  extensions: [".dart"],
  interpreters: ["dart"],
  grammar: { npm: "@repomix/tree-sitter-wasms", wasm: "out/tree-sitter-dart.wasm" },
  separator: ".",
  moduleOf: (path) => modulePath(path),
  methodOwners: ["class", "trait", "enum", "extension"],
  visibility: ({ name, kind }) => (kind === "use" ? {} : { visibility: name.startsWith("_") ? "private" : "public" }),
  edges: dartEdges,
  docMarkers: ["///", "/**", "//", "/*", "*/", "*"],
});
