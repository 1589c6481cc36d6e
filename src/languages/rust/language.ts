/** Rust. Modules are files; functions inside an `impl` stay functions and carry the type's name. */

import type { ImportItem } from "../../model/edges.ts";
import type { Kind } from "../../model/kinds.ts";
import type { LanguageEdges } from "../../model/language-edges.ts";
import { defineLanguage, modulePath } from "../define.ts";
import { rustModules } from "./modules.ts";

/** References in Rust: `use` trees, modules as files, `impl` blocks. */
const rustEdges: LanguageEdges = {
  imports: rustImports,
  self: ["self", "Self"],
  base: [],
  joints: ["::"],
  tokens: true,
  lexical: true,
  derefs: true,
  composites: true,
  detachedMembers: true,
  moduleNames: true,
  // Of a module before it in the text, or exported.
  isGlobal: (index, symbols, path) => path !== "" && symbols[index]!.kind === "macro",
  types: rustType,
  passing:
    "unwrap expect clone as_ref as_mut borrow borrow_mut lock read write to_owned unwrap_or_default await iter iter_mut into_iter".split(
      " ",
    ),
  resolver: rustModules,
};

function rustType(written: string): string {
  const text = written
    .replace(/&?'\w+\s*,?\s*|&\s*|\*(?:const|mut)\s+|\bmut\s+|\b(?:dyn|impl)\s+/g, "")
    .replace(/<\s*>/g, "");
  const list = /^\[([^;\]]+)(?:;[^\]]*)?\]$/.exec(text.trim());
  return list ? `${list[1]}[]` : text.split(" + ")[0]!;
}

function rustImports(statement: string): ImportItem[] {
  const text = statement.replace(/\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (all) => " ".repeat(all.length));
  const isPublic = /^pub\b/.test(text);
  const head = /^(?:pub\s*(?:\([^)]*\))?\s*)?(use|mod|extern\s+crate)\s+/.exec(text);
  if (!head) return [];
  const start = head[0].length;
  if (head[1] === "mod") {
    const name = /^\w+/.exec(text.slice(start))?.[0] ?? "";
    return [{ module: `self::${name}`, name: "*", local: name, exported: name, at: start }];
  }
  const items = tree(text.slice(start).replace(/;\s*$/, ""), "", start);
  return items.map((item) => (isPublic && item.local !== "" ? { ...item, exported: item.local } : item));
}

/** `a::b::{c, d as e, f::*}`, each with the path before it. */
function tree(text: string, prefix: string, at: number): ImportItem[] {
  const brace = text.indexOf("{");
  if (brace < 0) return leaf(text, prefix, at);
  const head = text.slice(0, brace).replace(/\s/g, "").replace(/::$/, "");
  const inner = text.slice(brace + 1, text.lastIndexOf("}"));
  const path = [prefix, head].filter(Boolean).join("::");
  let offset = at + brace + 1;
  return splitAtCommas(inner).flatMap((part) => {
    const items = tree(part, path, offset);
    offset += part.length + 1;
    return items;
  });
}

function leaf(text: string, prefix: string, at: number): ImportItem[] {
  const [written = "", alias] = text.trim().split(/\s+as\s+/);
  const parts = [prefix, written.replace(/\s/g, "").replace(/^::/, "")].filter(Boolean).join("::").split("::");
  if (parts.at(-1) === "self") parts.pop();
  const name = parts.pop();
  if (name === undefined || name === "") return [];
  const place = at + text.slice(0, text.search(/\sas\s|$/)).trimEnd().length - name.length;
  const module = parts.join("::");
  if (name === "*") return [{ module, name: "*", local: "*", at: place }];
  // A crate or a keyword alone is a module.
  if (module === "") return [{ module: name, name: "*", local: alias ?? name, at: place }];
  return [{ module, name, local: alias === "_" ? "" : (alias ?? name), at: place }];
}

function splitAtCommas(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === "{") depth++;
    else if (text[i] === "}") depth--;
    else if (text[i] === "," && depth === 0) {
      parts.push(text.slice(start, i));
      start = i + 1;
    }
  }
  return [...parts, text.slice(start)].filter((part, i, all) => part.trim() !== "" || i < all.length - 1);
}

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
  exposure: "crate",
  docMarkers: ["///", "//!", "/**", "/*!", "//", "/*", "*/", "*"],
});
