/** TSX: TypeScript with JSX in it. The grammars differ, the definitions do not. */
import { defineLanguage } from "../define.ts";
import { ecmascript } from "../ecmascript.ts";

export default defineLanguage({
  ...ecmascript,
  id: "tsx",
  title: "TSX",
  aliases: [],
  filterWith: "typescript",
  moduleSystem: "typescript",
  extensions: [".tsx"],
  grammar: {
    npm: "@repomix/tree-sitter-wasms",
    wasm: "out/tree-sitter-tsx.wasm",
    symbols: ["typescript/symbols.scm", "ecmascript-symbols.scm"],
    edges: ["ecmascript-edges.scm", "jsx-edges.scm", "typescript/edges.scm", "tsx/edges.scm"],
  },
});
