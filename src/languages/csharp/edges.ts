/** References in C#: namespaces do not correspond to files, so names are found by their qualified names. */
import type { ImportItem } from "../../model/edges.ts";
import type { LanguageEdges } from "../../model/language-edges.ts";
import { nearPackage } from "../packages.ts";

export const csharpEdges: LanguageEdges = {
  openNamespaces: true,
  imports: csharpImports,
  self: ["this"],
  base: ["base"],
  implicitSelf: true,
  detachedMembers: true,
  types: (written) => (written.trim() === "var" ? "" : written.replace(/\?/g, "")),
  near: (symbol, user) => nearPackage(symbol, user, { nested: true }),
  resolver: { prepare: () => () => [] },
};

export function csharpImports(statement: string): ImportItem[] {
  const found = /^(?:global\s+)?using\s+(?:(static|unsafe)\s+)?(?:(\w+)\s*=\s*)?(?:global::)?([\w.]+)/.exec(statement);
  if (!found) return [];
  const [, , alias, path] = found as unknown as [string, string | undefined, string | undefined, string];
  const at = statement.indexOf(path, (alias?.length ?? 0) + 5);
  if (alias === undefined) return [{ module: path, name: "*", local: "*", at }];
  const dot = path.lastIndexOf(".");
  return [{ module: path.slice(0, Math.max(0, dot)), name: path.slice(dot + 1), local: alias, at }];
}
