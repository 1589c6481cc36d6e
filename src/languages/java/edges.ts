/** References in Java. */
import type { ImportItem } from "../../model/edges.ts";
import type { LanguageEdges } from "../../model/language-edges.ts";
import { jvmPackages } from "../jvm.ts";
import { importItem, nearPackage } from "../packages.ts";

export const javaEdges: LanguageEdges = {
  imports: javaImports,
  self: ["this"],
  base: ["super"],
  implicitSelf: true,
  separateFunctions: true,
  types: (written) =>
    written.trim() === "var" ? "" : written.replace(/@\w+\s+/g, "").replace(/\?\s*(?:extends|super)\s+/g, ""),
  near: (symbol, user) => nearPackage(symbol, user, { nested: false }),
  resolver: jvmPackages,
};

export function javaImports(statement: string): ImportItem[] {
  const found = /^import\s+(?:static\s+)?([\w$]+(?:\s*\.\s*[\w$]+)*(?:\s*\.\s*\*)?)/.exec(statement);
  if (!found) return [];
  const path = found[1]!.replace(/\s/g, "");
  return [importItem(path, undefined, statement.indexOf(found[1]!))];
}
