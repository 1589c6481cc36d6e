/** Swift. Modules are build targets, which no file knows; names begin with the outermost type. */
import type { Visibility } from "../../model/code.ts";
import type { Kind } from "../../model/kinds.ts";
import { defineLanguage, FUNCTION_KINDS } from "../define.ts";
import { swiftEdges } from "./edges.ts";

const KEYWORD = /\b(open|public|package|internal|fileprivate|private)\b(?!\s*\(set\))/;
const MEANING: Readonly<Record<string, Visibility>> = {
  open: "public",
  public: "public",
  package: "internal",
  internal: "internal",
  fileprivate: "private",
  private: "private",
};

// As visible as what they belong to or extend.
const FOLLOWERS: ReadonlySet<Kind> = new Set(["use", "extension", "variant"]);
const OWNERS: ReadonlySet<Kind | undefined> = new Set(["protocol", "extension"]);

export default defineLanguage({
  id: "swift",
  title: "Swift",
  aliases: [],
  extensions: [".swift"],
  interpreters: ["swift"],
  // This build of the grammar reads conditional compilation that older ones fail on.
  grammar: { npm: "@cursorless/tree-sitter-wasms", wasm: "out/tree-sitter-swift.wasm" },
  separator: ".",
  moduleOf: () => [],
  methodOwners: ["class", "struct", "enum", "protocol", "extension"],
  visibility: ({ vis, kind, parentKind }) => {
    // Attributes are among the modifiers; words in their strings are not keywords.
    const keyword = vis?.replace(/"[^"]*"/g, "").match(KEYWORD)?.[1];
    if (keyword) return { keyword, visibility: MEANING[keyword]! };
    return FOLLOWERS.has(kind) || OWNERS.has(parentKind) || FUNCTION_KINDS.has(parentKind)
      ? {}
      : { visibility: "internal" };
  },
  edges: swiftEdges,
  docMarkers: ["///", "/**", "//", "/*", "*/", "*"],
});
