/** Haskell. The equations of a function and its type signature are one symbol. */
import { defineLanguage, modulePath } from "../define.ts";
import { haskellEdges } from "./edges.ts";

export default defineLanguage({
  id: "haskell",
  title: "Haskell",
  aliases: ["hs"],
  extensions: [".hs", ".hs-boot", ".hsc"],
  interpreters: ["runghc", "runhaskell", "stack"],
  grammar: { npm: "tree-sitter-haskell", wasm: "tree-sitter-haskell.wasm" },
  separator: ".",
  moduleOf: (path) => modulePath(path),
  declaresModules: true,
  joinsClauses: true,
  methodOwners: ["class", "instance"],
  // Exports are listed in the module's head, far from the definition.
  visibility: () => ({}),
  edges: haskellEdges,
  docMarkers: ["-- |", "-- ^", "{-|", "--", "{-", "-}"],
});
