/** Scala 2 and 3. Packages are declared in the source. */
import { defineLanguage, FUNCTION_KINDS, modulePath } from "../define.ts";
import { scalaEdges } from "./edges.ts";

const KEYWORD = /\b(private|protected)\b(?:\[[^\]]*\])?/;

export default defineLanguage({
  id: "scala",
  title: "Scala",
  aliases: ["sc"],
  extensions: [".scala", ".sc", ".sbt"],
  interpreters: ["scala", "scala-cli"],
  grammar: { npm: "@lumis-sh/wasm-scala", wasm: "tree-sitter-scala.wasm" },
  separator: ".",
  moduleOf: (path) => modulePath(path),
  declaresModules: true,
  methodOwners: ["class", "trait", "object", "enum", "instance", "extension"],
  visibility: ({ vis, kind, parentKind }) => {
    if (kind === "use" || kind === "package" || FUNCTION_KINDS.has(parentKind)) return {};
    const found = vis?.match(KEYWORD);
    return found ? { keyword: found[0], visibility: found[1] as "private" } : { visibility: "public" };
  },
  nameOf: (written, kind) => (kind === "use" ? written.replace(/^import\s+/, "") : written),
  edges: scalaEdges,
  docMarkers: ["/**", "//", "/*", "*/", "*"],
});
