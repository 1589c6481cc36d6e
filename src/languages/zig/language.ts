/** Zig. A file is a struct; types are constants that hold one. */

import type { ImportItem } from "../../model/edges.ts";
import type { LanguageEdges, ModuleResolver } from "../../model/language-edges.ts";
import { defineLanguage, modulePath } from "../define.ts";
import { joinPath, nearestFile, parentFolder } from "../packages.ts";

/** References in Zig: a file is a struct, and `@import` is a value like any other. */
const zigEdges: LanguageEdges = {
  imports: zigImports,
  self: ["Self"],
  base: [],
  builtins: true,
  derefs: true,
  composites: true,
  implicitSelf: true,
  // `error.Full` may be of any error set.
  dynamic: /^error$/,
  blank: "_",
  types: zigType,
  resolver: zigFiles(),
};

/** `!*const T` is a T, `[]const T` a list of them. */
function zigType(written: string): string {
  const text = written
    .replace(/^[^(]*!/, "")
    .replace(/\b(?:const|comptime|volatile)\b|align\([^)]*\)|^[*?\s]+/g, " ")
    .trim();
  const list = /^\[[^\]]*\]\s*([^[]+)$/.exec(text);
  return list ? `${list[1]!.replace(/^[*?\s]+/, "")}[]` : text.replace(/^[*?\s]+/, "").replace(/\(.*$/s, "");
}

function zigImports(statement: string): ImportItem[] {
  const named = /^(pub\s+)?const\s+(\w+)[^=]*=\s*@import\(\s*"([^"]+)"\s*\)(?:\.(\w+))?\s*;?$/.exec(statement);
  const module = named?.[3] ?? /^@import\(\s*"([^"]+)"/.exec(statement)?.[1];
  if (module === undefined) return [];
  const at = statement.indexOf(module);
  if (!named) return [{ module, name: "", local: "", at }];
  const [, isPublic, local = "", , name = "*"] = named;
  const place = name === "*" ? at : statement.lastIndexOf(name);
  return [{ module, name, local, ...(isPublic !== undefined && { exported: local }), at: place }];
}

/** Files by their path; a package by a file of its name, or by the root of its sources. */
function zigFiles(): ModuleResolver {
  return {
    prepare: (view) => {
      const sources = view.paths.filter((path) => path.endsWith(".zig"));
      return (module, from) => {
        if (module.endsWith(".zig")) {
          const path = joinPath(parentFolder(from), module);
          return view.has(path) ? [path] : [];
        }
        const names = new Set([`${module}.zig`, `src/${module}.zig`, `${module}/${module}.zig`]);
        const found = sources.filter((path) => [...names].some((name) => path === name || path.endsWith(`/${name}`)));
        return nearestFile(found, from);
      };
    },
  };
}

export default defineLanguage({
  id: "zig",
  title: "Zig",
  aliases: [],
  extensions: [".zig", ".zon"],
  grammar: { npm: "@tree-sitter-grammars/tree-sitter-zig", wasm: "tree-sitter-zig.wasm" },
  separator: ".",
  moduleOf: (path) => modulePath(path, ["root"]),
  methodOwners: ["struct", "enum", "union"],
  visibility: ({ vis, kind }) => {
    if (vis === "pub" || vis === "export") return { keyword: vis, visibility: "public" };
    const follows = kind === "field" || kind === "variant" || kind === "test" || kind === "use";
    return follows ? {} : { visibility: "private" };
  },
  edges: zigEdges,
  docMarkers: ["///", "//!", "//"],
});
