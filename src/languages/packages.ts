/** Shared by languages with packages: how imports are parsed, and how near a package is. */
import type { ImportItem } from "../model/edges.ts";
import type { ModuleResolver, NamedSymbol, NameUser } from "../model/language-edges.ts";
import { baseName } from "../model/paths.ts";

/** The package of a top-level symbol, with dots between its parts. */
export function symbolPackage({ qualifiedName }: NamedSymbol): string {
  const parts = qualifiedName.split(/::|[.\\]/);
  return parts.slice(0, -1).join(".");
}

export function dotted(name: string): string {
  return name.replace(/::|\\/g, ".").replace(/^\.+|\.+$/g, "");
}

/** Own package first, then packages around it where `nested`, then those of which every name is imported. */
export function nearPackage(
  symbol: NamedSymbol,
  { home, imports }: NameUser,
  { nested }: { readonly nested: boolean },
): number {
  const [its, own] = [symbolPackage(symbol), dotted(home)];
  if (its === own) return 4;
  if (nested && (its === "" || own.startsWith(`${its}.`))) return 3;
  return imports.some(({ local, module }) => local === "*" && dotted(module) === its) ? 2 : 0;
}

/** `a.b.C` as C of a.b; `*` for every name of it. */
export function importItem(path: string, alias: string | undefined, at: number): ImportItem {
  const dot = path.lastIndexOf(".");
  const [module, name] = [path.slice(0, Math.max(0, dot)), path.slice(dot + 1)];
  if (name === "*" || name === "_") return { module, name: "*", local: "*", at };
  return { module, name, local: alias ?? name, at: at + dot + 1 };
}

/** Packages that are folders: the files of the folders whose path ends with the package's parts. */
export function folderPackages(extension: RegExp): ModuleResolver {
  return {
    prepare: ({ paths }) => {
      const folders = new Map<string, string[]>();
      for (const path of paths) if (extension.test(path)) push(folders, parentFolder(path), path);
      const byLast = new Map<string, string[]>();
      for (const folder of folders.keys()) push(byLast, baseName(folder), folder);
      return (module) => {
        // A package, or a type of one.
        for (const parts of [dotted(module).split("."), dotted(module).split(".").slice(0, -1)]) {
          const tail = parts.join("/");
          const found = (byLast.get(parts.at(-1) ?? "") ?? []).filter((it) => it === tail || it.endsWith(`/${tail}`));
          const files = found.flatMap((folder) => folders.get(folder)!);
          const named = files.filter((path) => fileStem(path) === module.slice(module.lastIndexOf(".") + 1));
          if (files.length > 0)
            return parts.length < dotted(module).split(".").length && named.length > 0 ? named : files;
        }
        return [];
      };
    },
  };
}

export function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const known = map.get(key);
  if (known) known.push(value);
  else map.set(key, [value]);
}

export function parentFolder(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/** How many folders two paths have in common from the root. */
export function sharedFolders(a: string, b: string): number {
  let count = 0;
  for (let at = 0; at < a.length && a[at] === b[at]; at++) if (a[at] === "/") count++;
  return count;
}

/** Of several files, the one nearest to the importer. */
export function nearestFile(found: readonly string[], importer: string): string[] {
  const nearer = (a: string, b: string) => sharedFolders(b, importer) - sharedFolders(a, importer);
  return found.toSorted((a, b) => nearer(a, b) || a.length - b.length).slice(0, 1);
}

/** Finds files by the end of their path. `stemOf` leaves out what imports do not name; undefined: not a source file. */
export function filesByTail(
  paths: readonly string[],
  stemOf: (path: string) => string | undefined,
): (tail: string) => string[] {
  const byName = new Map<string, string[]>();
  for (const path of paths) {
    const stem = stemOf(path);
    if (stem !== undefined) push(byName, baseName(stem), path);
  }
  const endsWith = (stem: string, tail: string) => stem === tail || stem.endsWith(`/${tail}`);
  return (tail) => (byName.get(baseName(tail)) ?? []).filter((path) => endsWith(stemOf(path)!, tail));
}

function fileStem(path: string): string {
  return baseName(path).replace(/\.[^.]+$/, "");
}

/** Normalised; a path that leaves the view is no path of it. */
export function joinPath(folder: string, path: string): string {
  const parts: string[] = folder === "" ? [] : folder.split("/");
  for (const part of path.split("/")) {
    if (part === "..") {
      if (parts.length === 0) parts.push("\0");
      else parts.pop();
    } else if (part !== "." && part !== "") parts.push(part);
  }
  return parts.join("/");
}

/** Packages of Java, Kotlin and Scala: folders that end with their parts. */
export const jvmPackages = folderPackages(/\.(?:java|kts?|scala|sc)$/);
