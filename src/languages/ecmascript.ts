/** What TypeScript, TSX and JavaScript share: modules, comments, and how a definition is exported. */
import type { CodeSymbol } from "../model/code.ts";
import type { ImportItem } from "../model/edges.ts";
import type { Kind } from "../model/kinds.ts";
import type { LanguageEdges } from "../model/language-edges.ts";
import { type Language, modulePath, type VisibilityEvidence } from "./define.ts";
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
  exposure: "module exports",
  quiet: disposablesAsConstants,
  docMarkers: ["/**", "///", "//", "/*", "*/", "*"],
} satisfies Partial<Language>;

/** The grammars do not know `using x = …` and `await using x = …`. */
function disposablesAsConstants(text: string): string {
  if (!text.includes("using ")) return text;
  return text.replace(/(?<![\w$.])(?:await +)?using(?= +[\w$]+ *(?:=(?![=>])|:|of\b))/g, (word) =>
    word.length === 5 ? "const" : `const/${"*".repeat(word.length - 7)}/`,
  );
}

function visibility({ name, kind, vis, head, parentKind }: VisibilityEvidence): ReturnType<Language["visibility"]> {
  if (name.startsWith("#")) return { visibility: "private" };
  if (vis === "public" || vis === "private" || vis === "protected") return { keyword: vis, visibility: vis };
  if (/^export\b/.test(head)) return { keyword: "export", visibility: "public" };
  // A plain top-level name may still be exported elsewhere in the file, so its visibility is unknown.
  return MEMBERS.has(kind) && parentKind !== undefined ? { visibility: "public" } : {};
}

/** Import and export statements of JavaScript and TypeScript, CommonJS included, as items. */
export function ecmascriptImports(statement: string): ImportItem[] {
  const text = blankComments(statement);
  if (/^import\b/.test(text)) return importItems(text);
  if (/^export\b/.test(text)) return exportItems(text);
  return commonItems(text);
}

/** Comments become spaces, so that every offset stays. */
function blankComments(text: string): string {
  if (!text.includes("//") && !text.includes("/*")) return text;
  return text.replace(/("[^"\n]*"|'[^'\n]*')|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, (all, string?: string) =>
    string === undefined ? " ".repeat(all.length) : all,
  );
}

const SOURCE = /(?:\bfrom|^import|\brequire\s*\()\s*(["'])([^"'\n]*)\1/;

function importItems(text: string): ImportItem[] {
  const source = SOURCE.exec(text);
  if (!source) return [];
  const module = source[2]!;
  const required = /^import\s+(?:type\s+)?([\w$]+)\s*=\s*require/.exec(text);
  if (required) return [{ module, name: "=", local: required[1]!, required: true, at: text.indexOf(required[1]!, 6) }];
  const clause = text.slice(0, source.index);
  const items = clauseItems(clause, module, (name, local, at) => ({ module, name, local, at }));
  const whole = /\*\s*as\s+([\w$]+)/.exec(clause);
  if (whole) items.push({ module, name: "*", local: whole[1]!, at: whole.index });
  const byDefault = /^import\s+(?:type\s+(?!from\b|,))?([\w$]+)\s*(?:,|$)/.exec(clause);
  if (byDefault)
    items.push({ module, name: "default", local: byDefault[1]!, at: byDefault[0].lastIndexOf(byDefault[1]!) });
  return items.length > 0 ? items : [{ module, name: "", local: "", at: source.index + source[0].indexOf(module) }];
}

function exportItems(text: string): ImportItem[] {
  const source = SOURCE.exec(text);
  const module = source?.[2] ?? "";
  const one = /^export\s+default\s+([\w$]+)|^export\s*=\s*([\w$]+)/.exec(text);
  if (one) {
    const name = (one[1] ?? one[2])!;
    const exported = one[1] === undefined ? "=" : "default";
    return [{ module: "", name, local: "", exported, at: text.indexOf(name, one[0].length - name.length) }];
  }
  const star = /^export\s+(?:type\s+)?\*\s*(?:as\s+([\w$]+|"[^"]*"))?/.exec(text);
  if (star) return [{ module, name: "*", local: "", exported: star[1] ?? "*", at: text.indexOf("*") }];
  return clauseItems(text, module, (name, exported, at) => ({ module, name, local: "", exported, at }));
}

/** The names between braces: `{ a, b as c, type D }`. */
function clauseItems(
  text: string,
  module: string,
  item: (name: string, other: string, at: number) => ImportItem,
): ImportItem[] {
  const open = text.indexOf("{");
  const close = text.indexOf("}", open);
  if (open < 0 || close < 0) return [];
  const items: ImportItem[] = [];
  const part = /(?:type\s+(?!as\b))?([\w$]+|"[^"]*")(?:\s+as\s+([\w$]+|"[^"]*"))?\s*(?=,|$)/g;
  for (const found of text.slice(open + 1, close).matchAll(part)) {
    const name = found[1]!;
    items.push(item(name, found[2] ?? name, open + 1 + found.index + found[0].indexOf(name)));
  }
  return items.length === 0 && module !== "" ? [{ module, name: "", local: "", at: open }] : items;
}

const REQUIRE = /require\s*\(\s*(["'])([^"'\n]*)\1\s*\)/;

/** `x = require("m")`, `{ a, b: c } = require("m")`, `module.exports = …`, `exports.a = …`. */
function commonItems(text: string): ImportItem[] {
  const equals = text.indexOf("=");
  const left = text.slice(0, equals).trim();
  const exported = /^(?:module\.)?exports(?:\.([\w$]+))?$/.exec(left);
  if (exported && (exported[1] !== undefined || left === "module.exports")) {
    return exportedValue(text, equals + 1, exported[1] ?? "=");
  }
  const call = REQUIRE.exec(text);
  if (!call) return [];
  const module = call[2]!;
  const member = /^\s*\.([\w$]+)\s*$/.exec(text.slice(call.index + call[0].length))?.[1];
  const required = { module, required: true } as const;
  if (/^[\w$]+$/.test(left)) return [{ ...required, name: member ?? "=", local: left, at: 0 }];
  return objectPairs(text, text.indexOf("{")).map(({ name, value, at }) => ({ ...required, name, local: value, at }));
}

function exportedValue(text: string, from: number, exported: string): ImportItem[] {
  const right = text.slice(from).trim();
  const at = from + text.slice(from).search(/\S/);
  const required = REQUIRE.exec(right);
  if (required && required.index === 0) {
    const member = /^\s*\.([\w$]+)\s*$/.exec(right.slice(required[0].length))?.[1];
    return [{ module: required[2]!, name: member ?? "=", local: "", exported, required: true, at }];
  }
  if (/^[\w$]+$/.test(right)) return [{ module: "", name: right, local: "", exported, at }];
  const made = /^new\s+([\w$]+)/.exec(right);
  if (made) return [];
  if (!right.startsWith("{") || exported !== "=") return [];
  return objectPairs(text, at).map(({ name, value, at: place }) => ({
    module: "",
    name: value,
    local: "",
    exported: name,
    at: place,
  }));
}

/** The plain pairs of an object or a pattern that begins at `open`. */
function objectPairs(text: string, open: number): { name: string; value: string; at: number }[] {
  if (open < 0) return [];
  const pairs = /(?<=[{,]\s*)([\w$]+)\s*(?::\s*([\w$]+)\s*)?(?:=[^,}]*)?(?=[,}])/g;
  return [...text.slice(open).matchAll(pairs)].map((found) => ({
    name: found[1]!,
    value: found[2] ?? found[1]!,
    at: open + found.index,
  }));
}
