/** What TypeScript, TSX and JavaScript share: modules, comments, and how a definition is exported. */
import type { CodeSymbol } from "../model/code.ts";
import type { Kind } from "../model/kinds.ts";
import type { LanguageEdges } from "../model/language-edges.ts";
import { type Language, modulePath, type VisibilityEvidence } from "./define.ts";
import { ecmascriptImports } from "./ecmascript-imports.ts";
import { ecmascriptModules } from "./ecmascript-modules.ts";

const ecmascriptEdges: LanguageEdges = {
  imports: ecmascriptImports,
  self: ["this"],
  base: ["super"],
  resolver: ecmascriptModules,
  literalTypes: true,
  isGlobal,
};

/**
 * Inside `declare global`, or in a declaration file that imports and exports nothing. Of another such file it depends on
 * the page that loads it.
 */
function isGlobal(index: number, symbols: readonly CodeSymbol[], path: string): boolean | "perhaps" {
  const { kind, parent } = symbols[index]!;
  if (kind === "use") return false;
  if (parent !== undefined) return symbols[parent]!.name === "global" && symbols[parent]!.kind === "namespace";
  if (path === "" || !isScript(symbols)) return false;
  return /\.d\.[cm]?ts$/.test(path) || "perhaps";
}

const scripts = new WeakMap<readonly CodeSymbol[], boolean>();

function isScript(symbols: readonly CodeSymbol[]): boolean {
  const known = scripts.get(symbols) ?? !symbols.some((it) => it.kind === "use" || it.visibilityKeyword === "export");
  scripts.set(symbols, known);
  return known;
}

const MEMBERS: ReadonlySet<Kind> = new Set(["method", "constructor", "field", "property"]);

export const ecmascript = {
  separator: ".",
  moduleOf: (path) => modulePath(path.replace(/\.d\.([cm]?ts)$/i, ".$1"), ["index"]),
  methodOwners: ["class", "interface"],
  visibility,
  edges: ecmascriptEdges,
  docMarkers: ["/**", "///", "//", "/*", "*/", "*"],
} satisfies Partial<Language>;

function visibility({ name, kind, vis, head, parentKind }: VisibilityEvidence): ReturnType<Language["visibility"]> {
  if (name.startsWith("#")) return { visibility: "private" };
  if (vis === "public" || vis === "private" || vis === "protected") return { keyword: vis, visibility: vis };
  if (/^export\b/.test(head)) return { keyword: "export", visibility: "public" };
  // A plain top-level name may still be exported elsewhere in the file, so its visibility is unknown.
  return MEMBERS.has(kind) && parentKind !== undefined ? { visibility: "public" } : {};
}
