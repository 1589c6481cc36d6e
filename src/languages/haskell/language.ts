/** Haskell. The equations of a function and its type signature are one symbol. */

import type { ImportItem } from "../../model/edges.ts";
import type { LanguageEdges, ModuleResolver } from "../../model/language-edges.ts";
import { defineLanguage, modulePath } from "../define.ts";
import { filesByTail, nearestFile } from "../packages.ts";

/** References in Haskell: names come from the modules a file imports, whole or by a list, with or without a qualifier. */
const haskellEdges: LanguageEdges = {
  imports: haskellImports,
  self: [],
  base: [],
  exactNames: true,
  separateFunctions: true,
  openTypes: true,
  // A qualifier is read as a whole: `Data.Map.insert`.
  fullName: (written) => written,
  resolver: modulesByName(),
};

function haskellImports(statement: string): ImportItem[] {
  const text = statement.replace(/\{-[\s\S]*?-\}|--[^\n]*/g, (all) => " ".repeat(all.length));
  if (text.startsWith("module")) return exportsOf(text);
  const head =
    /^import\s+(?:safe\s+)?(qualified\s+)?(?:"[^"]*"\s+)?([A-Z][\w.']*)(\s+qualified)?(?:\s+as\s+([A-Z][\w.']*))?(?:\s*(hiding)?\s*(\())?/.exec(
      text,
    );
  if (!head) return [];
  const [all, before, module = "", after, alias, hiding, list] = head;
  const at = text.indexOf(module);
  const whole: ImportItem = { module, name: "*", local: alias ?? module, at };
  if (before !== undefined || after !== undefined) return [whole];
  if (list === undefined || hiding !== undefined) return [whole, { ...whole, local: "*" }];
  const items = listed(text, all.length, text.lastIndexOf(")")).flatMap(({ name, members, at }) => [
    { module, name, local: name, at },
    ...(members === ".." ? [{ module, name: "*", local: "*", at }] : []),
    ...namesIn(members).map((member) => ({ module, name: member, local: member, at })),
  ]);
  return [whole, ...items];
}

function exportsOf(text: string): ImportItem[] {
  const open = text.indexOf("(");
  if (open < 0) return [];
  return listed(text, open + 1, text.lastIndexOf(")")).map(({ name, module, at }): ImportItem => {
    if (module) return { module: name, name: "*", local: "", exported: "*", at };
    const own = name.slice(name.lastIndexOf(".") + 1) || name;
    return { module: "", name: own, local: "", exported: own, at: at + name.length - own.length };
  });
}

interface ListedName {
  readonly name: string;
  /** It is a module. */
  readonly module: boolean;
  /** What its brackets hold. */
  readonly members: string;
  readonly at: number;
}

/** The names of an import or export list. */
function listed(text: string, from: number, to: number): ListedName[] {
  const names: ListedName[] = [];
  let start = from;
  let depth = 0;
  for (let i = from; i <= to; i++) {
    if (text[i] === "(") depth++;
    else if (text[i] === ")" && i < to) depth--;
    if (i < to && (text[i] !== "," || depth > 0)) continue;
    const part = text.slice(start, i);
    const found = /^\s*(?:(module)\s+|(?:type|pattern)\s+)?\(?\s*([\w.']+|[^\s\w()]+)\s*\)?\s*(?:\(([\s\S]*)\))?/.exec(
      part,
    );
    if (found?.[2])
      names.push({
        name: found[2],
        module: found[1] !== undefined,
        members: (found[3] ?? "").trim(),
        at: start + found[0].indexOf(found[2], found[1]?.length ?? 0),
      });
    start = i + 1;
  }
  return names;
}

function namesIn(members: string): string[] {
  return members === ".." ? [] : (members.match(/[\w']+/g) ?? []);
}

function modulesByName(): ModuleResolver {
  return {
    prepare: (view) => {
      const source = /\.(?:hs|hsc|lhs)$/;
      const byTail = filesByTail(view.paths, (path) => (source.test(path) ? path.replace(source, "") : undefined));
      return (module, from) => nearestFile(byTail(module.replaceAll(".", "/")), from);
    },
  };
}

export default defineLanguage({
  id: "haskell",
  title: "Haskell",
  aliases: ["hs"],
  extensions: [".hs", ".hs-boot", ".hsc"],
  interpreters: ["runghc", "runhaskell", "stack"],
  grammar: { npm: "tree-sitter-haskell", wasm: "tree-sitter-haskell.wasm" },
  separator: ".",
  moduleOf: (path) => modulePath(path),
  declaresModules: true,
  joinsClauses: true,
  methodOwners: ["class", "instance"],
  // Exports are listed in the module's head, far from the definition.
  visibility: () => ({}),
  edges: haskellEdges,
  docMarkers: ["-- |", "-- ^", "{-|", "--", "{-", "-}"],
});
