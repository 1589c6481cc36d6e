/** Scala 2 and 3. Packages are declared in the source. */

import type { ImportItem } from "../../model/edges.ts";
import type { LanguageEdges } from "../../model/language-edges.ts";
import { defineLanguage, FUNCTION_KINDS, modulePath } from "../define.ts";
import { importItem, jvmPackages, nearPackage } from "../packages.ts";

const scalaEdges: LanguageEdges = {
  imports: scalaImports,
  self: ["this"],
  base: ["super"],
  callsConstruct: true,
  implicitSelf: true,
  // A parameter that has no name: `_ startsWith prefix`.
  dynamic: /^_$/,
  types: (written) =>
    written
      .replace(/\[/g, "<")
      .replace(/\]/g, ">")
      .replace(/^=>\s*/, ""),
  near: (symbol, user) => nearPackage(symbol, user, { nested: true }),
  resolver: jvmPackages,
};

/** `import a.b.{C, D => E, _}, f.G`. */
function scalaImports(statement: string): ImportItem[] {
  const start = /^(?:import|export)\s+/.exec(statement)?.[0].length ?? 0;
  const items: ImportItem[] = [];
  for (const found of statement
    .slice(start)
    .matchAll(/([\w.$`]+?)\.?(?:\{([^}]*)\}|(\.[*_])|(?=\s*(?:,|$|\sas\s)))(?:\s+as\s+(\w+))?/g)) {
    const at = start + found.index;
    const path = found[1]!.replaceAll("`", "");
    if (found[2] === undefined)
      items.push(importItem(found[3] ? `${path}.*` : path.replace(/\.(?:given)$/, ".*"), found[4], at));
    for (const one of found[2]?.split(",") ?? []) {
      const [name = "", alias] = one.trim().split(/\s*(?:=>|\bas\b)\s*/);
      if (name === "" || alias === "_") continue;
      items.push({ ...importItem(`${path}.${/^(?:_|\*|given\b.*)$/.test(name) ? "*" : name}`, alias, at), at });
    }
  }
  return items;
}

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
  sealedPrivate: true,
  docMarkers: ["/**", "//", "/*", "*/", "*"],
});
