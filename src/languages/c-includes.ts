/** Includes of C and C++: relative to the file, else whatever path of the view ends so. What is included is handed on. */
import type { ImportItem } from "../model/edges.ts";
import type { ModuleResolver } from "../model/language-edges.ts";
import { joinPath, parentFolder, push } from "./packages.ts";

export function includes(statement: string): ImportItem[] {
  const found = /#\s*(?:include(?:_next)?|import)\s*[<"]([^>"\n]+)[>"]/.exec(statement);
  if (!found) return [];
  return [{ module: found[1]!, name: "*", local: "*", exported: "*", at: statement.indexOf(found[1]!) }];
}

export const includeFiles: ModuleResolver = {
  prepare: (view) => {
    const byName = new Map<string, string[]>();
    for (const path of view.paths) {
      if (/\.(?:h|hh|hpp|hxx|h\+\+|inl|inc|ipp|tcc|def|c|cc|cpp|cxx)$/i.test(path)) push(byName, baseName(path), path);
    }
    return (module, from) => {
      const sameFolder = joinPath(parentFolder(from), module);
      if (view.has(sameFolder)) return [sameFolder];
      const tail = module.replace(/^(?:\.\.?\/)+/, "");
      const found = (byName.get(baseName(tail)) ?? []).filter((path) => path === tail || path.endsWith(`/${tail}`));
      return found.toSorted((a, b) => shared(b, from) - shared(a, from) || a.length - b.length).slice(0, 1);
    };
  },
};

function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function shared(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return a.lastIndexOf("/", at - 1);
}
