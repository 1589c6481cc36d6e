/** TypeScript. */
import { defineLanguage } from "../define.ts";
import { ecmascript } from "../ecmascript.ts";

export default defineLanguage({
  ...ecmascript,
  id: "typescript",
  title: "TypeScript",
  aliases: ["ts"],
  extensions: [".ts", ".mts", ".cts"],
  interpreters: ["ts-node", "tsx", "deno", "bun"],
  grammar: {
    npm: "@repomix/tree-sitter-wasms",
    wasm: "out/tree-sitter-typescript.wasm",
    symbols: ["typescript/symbols.scm", "ecmascript-symbols.scm"],
    edges: ["ecmascript-edges.scm", "typescript/edges.scm"],
  },
});
