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
  // A call signature (`<U>(b: U): V`) behind a member without a semicolon: the grammar reads it as arguments of that type.
  secondTry: (text) => text.replace(/^([ \t]*)[ \t](?=<[\w\s])/gm, "$1;"),
});
