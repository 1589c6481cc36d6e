/** Go. The package is the directory; a capital letter exports. */
import { defineLanguage, modulePath } from "../define.ts";
import { goEdges } from "./edges.ts";

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
  docMarkers: ["//", "/*", "*/"],
});
