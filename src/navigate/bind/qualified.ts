/** Parts of names and paths that binding compares. */
import type { CodeSymbol } from "../../model/code.ts";
import type { SymbolLocation } from "../../model/edges.ts";

export function nameParts(qualifiedName: string): string[] {
  return qualifiedName.split(/::|[.\\/]/).filter((part) => part !== "");
}

/** The whole name of a symbol, with dots between its parts; "" of none. */
export function fullName(symbol: { readonly qualifiedName: string } | undefined): string {
  return symbol === undefined ? "" : nameParts(symbol.qualifiedName).join(".");
}

/** `Stack<T>` is `Stack`. */
export function bareName(name: string): string {
  return name.replace(/<.*$/s, "").trim();
}

export function parentFolder(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

export function locationKey({ path, index }: SymbolLocation): string {
  return `${path}\0${index}`;
}

/** The namespaces and the types around a symbol. A detached method has its owner in its qualified name. */
export function enclosingNames(symbols: readonly CodeSymbol[], index: number): { space: string; owner: string } {
  const [spaces, owners]: [string[], string[]] = [[], []];
  const { kind, parent, qualifiedName } = symbols[index]!;
  for (let at = parent; at !== undefined; at = symbols[at]!.parent) {
    const { kind: around, name } = symbols[at]!;
    if (around === "namespace") spaces.unshift(...nameParts(name));
    else owners.unshift(bareName(name));
  }
  const space = spaces.join("::");
  if (owners.length > 0 || (kind !== "method" && kind !== "constructor")) return { space, owner: owners.join("::") };
  const written = nameParts(qualifiedName).slice(0, -1);
  // Outside of namespaces a qualified name begins with the path, and only its last part is certain to be a type.
  const own = spaces.length > 0 ? written.slice(written.lastIndexOf(spaces.at(-1)!) + 1) : written.slice(-1);
  return { space, owner: own.map(bareName).join("::") };
}
