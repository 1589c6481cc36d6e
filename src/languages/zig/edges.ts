/** References in Zig: a file is a struct, and `@import` is a value like any other. */
import type { ImportItem } from "../../model/edges.ts";
import type { LanguageEdges, ModuleResolver } from "../../model/language-edges.ts";
import { joinPath, parentFolder, sharedFolders } from "../packages.ts";

export const zigEdges: LanguageEdges = {
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

export function zigImports(statement: string): ImportItem[] {
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
        return found
          .toSorted((a, b) => sharedFolders(b, from) - sharedFolders(a, from) || a.length - b.length)
          .slice(0, 1);
      };
    },
  };
}
