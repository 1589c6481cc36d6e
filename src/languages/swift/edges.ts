/** References in Swift: every file of a target sees every name of it. */
import type { ImportItem } from "../../model/edges.ts";
import type { LanguageEdges, ModuleResolver, NamedSymbol, NameUser } from "../../model/language-edges.ts";
import { push } from "../packages.ts";

export const swiftEdges: LanguageEdges = {
  imports: swiftImports,
  self: ["self", "Self"],
  base: ["super"],
  callsConstruct: true,
  implicitSelf: true,
  detachedMembers: true,
  types: (written) =>
    written
      .replace(/[?!]/g, "")
      .replace(/^(?:inout|any|some)\s+/, "")
      .replace(/^\[([^:\]]+)\]$/, "$1[]"),
  near,
  resolver: swiftTargets(),
};

function near(symbol: NamedSymbol, { path, imports }: NameUser): number {
  if (symbol.language !== "swift") return 0;
  const [its, own] = [swiftModule(symbol.path), swiftModule(path)];
  if (its === own) return 2;
  return imports.some(({ module }) => module === its) ? 1 : 0;
}

/** `Sources/Vapor/…` is of Vapor; `Source/…` of whatever the project is. */
function swiftModule(path: string): string {
  return /(?:^|\/)(?:Sources|Tests)\/([^/]+)\/./.exec(path)?.[1] ?? /^[^/]*/.exec(path)![0];
}

export function swiftImports(statement: string): ImportItem[] {
  const found = /\bimport\s+(?:(?:class|struct|enum|protocol|func|var|let|typealias)\s+)?([\w.]+)/.exec(statement);
  if (!found) return [];
  const module = found[1]!.split(".")[0]!;
  return [{ module, name: "*", local: "*", at: statement.indexOf(found[1]!, found.index + 6) }];
}

function swiftTargets(): ModuleResolver {
  return {
    prepare: ({ paths }) => {
      const targets = new Map<string, string[]>();
      for (const path of paths) {
        if (path.endsWith(".swift") && /(?:^|\/)Sources\//.test(path)) push(targets, swiftModule(path), path);
      }
      return (module) => targets.get(module) ?? [];
    },
  };
}
