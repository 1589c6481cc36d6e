/** Rust. Modules are files; functions inside an `impl` stay functions and carry the type's name. */
import type { Kind } from "../../model/kinds.ts";
import { defineLanguage, modulePath } from "../define.ts";
import { rustEdges } from "./edges.ts";

// What belongs to one of these is as visible as its owner.
const INHERITS: ReadonlySet<Kind | undefined> = new Set(["enum", "variant", "trait"]);

export default defineLanguage({
  id: "rust",
  title: "Rust",
  aliases: ["rs"],
  extensions: [".rs"],
  grammar: { npm: "@repomix/tree-sitter-wasms", wasm: "out/tree-sitter-rust.wasm" },
  separator: "::",
  moduleOf: (path) => modulePath(path, ["mod", "lib", "main"]),
  methodOwners: [],
  visibility: ({ vis, kind, parentKind }) => {
    if (vis === "pub") return { keyword: "pub", visibility: "public" };
    if (vis !== undefined) return { keyword: vis, visibility: "internal" };
    return INHERITS.has(parentKind) || kind === "impl" || kind === "macro" ? {} : { visibility: "private" };
  },
  edges: rustEdges,
  docMarkers: ["///", "//!", "/**", "/*!", "//", "/*", "*/", "*"],
});
