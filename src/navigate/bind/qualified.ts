/** Parts of names and paths that binding compares. */
import type { NamedSymbol } from "../../model/edges.ts";

export function partsOf(qualifiedName: string): string[] {
  return qualifiedName.split(/::|[.\\/]/).filter((part) => part !== "");
}

/** The type that a qualified name says its method belongs to; functions have none that all files agree on. */
export function ownerName({ qualifiedName, kind }: NamedSymbol): string {
  return kind === "method" ? (partsOf(qualifiedName).at(-2) ?? "") : "";
}

/** `Stack<T>` is `Stack`. */
export function bareName(name: string): string {
  return name.replace(/<.*$/s, "").trim();
}

export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}
