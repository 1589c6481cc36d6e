/** JavaScript, JSX included. */
import { defineLanguage } from "../define.ts";
import { ecmascript } from "../ecmascript.ts";
import flow, { isFlow } from "../flow/language.ts";

export default defineLanguage({
  ...ecmascript,
  id: "javascript",
  title: "JavaScript",
  aliases: ["js", "ecmascript"],
  moduleSystem: "typescript",
  extensions: [".js", ".jsx", ".mjs", ".cjs"],
  interpreters: ["node", "nodejs"],
  dialect: { language: flow, occursIn: isFlow },
  grammar: {
    npm: "@repomix/tree-sitter-wasms",
    wasm: "out/tree-sitter-javascript.wasm",
    symbols: ["javascript/symbols.scm", "ecmascript-symbols.scm"],
    edges: ["ecmascript-edges.scm", "jsx-edges.scm", "javascript/edges.scm", "commonjs-edges.scm"],
  },
});
