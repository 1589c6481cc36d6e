/** PHP. A file belongs to the namespace it declares. */
import { defineLanguage, modulePath } from "../define.ts";
import { phpEdges } from "./edges.ts";

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
  docMarkers: ["/**", "//", "#", "/*", "*/", "*"],
});
