/** References in Kotlin. */
import type { ImportItem } from "../../model/edges.ts";
import type { LanguageEdges } from "../../model/language-edges.ts";
import { jvmPackages } from "../jvm.ts";
import { importItem, nearPackage } from "../packages.ts";

export const kotlinEdges: LanguageEdges = {
  imports: kotlinImports,
  self: ["this"],
  base: ["super"],
  callsConstruct: true,
  implicitSelf: true,
  detachedMembers: true,
  separateFunctions: true,
  types: (written) => written.replace(/[?!]/g, "").replace(/\b(?:in|out)\s+/g, ""),
  near: (symbol, user) => nearPackage(symbol, user, { nested: false }),
  resolver: jvmPackages,
};

export function kotlinImports(statement: string): ImportItem[] {
  const found = /^import\s+([\w`]+(?:\.[\w`]+)*(?:\.\*)?)(?:\s+as\s+(\w+))?/.exec(statement);
  if (!found) return [];
  return [importItem(found[1]!.replaceAll("`", ""), found[2], statement.indexOf(found[1]!))];
}
