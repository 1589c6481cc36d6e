/** References in JavaScript and TypeScript. */
import type { LanguageEdges } from "../model/language-edges.ts";
import { ecmascriptImports } from "./ecmascript-imports.ts";
import { ecmascriptModules } from "./ecmascript-modules.ts";

export const ecmascriptEdges: LanguageEdges = {
  imports: ecmascriptImports,
  self: ["this"],
  base: ["super"],
  overridesAreUses: "both",
  resolver: ecmascriptModules,
};
