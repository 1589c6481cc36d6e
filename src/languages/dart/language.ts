/** Dart. A leading underscore makes a name private to its library. */

import type { ImportItem } from "../../model/edges.ts";
import type { LanguageEdges, ModuleResolver } from "../../model/language-edges.ts";
import { defineLanguage, modulePath } from "../define.ts";
import { joinPath, parentFolder } from "../packages.ts";

/** References in Dart: files are imported by path or as part of a package, and bring all their names. */
const dartEdges: LanguageEdges = {
  imports: dartImports,
  self: ["this"],
  base: ["super"],
  joints: ["?.", ".."],
  tokens: true,
  callsConstruct: true,
  namedConstructors: true,
  implicitSelf: true,
  types: (written) =>
    written
      .replace(/@\w+(?:\([^)]*\))?/g, " ")
      .replace(/\b(?:final|required|covariant|late|static|const|var|external|abstract|get|set|async)\b|\?/g, " ")
      .trim(),
  resolver: dartFiles(),
};

function dartImports(statement: string): ImportItem[] {
  const found = /^(?:@\w+\s+)*(import|export|part(?:\s+of)?)\s+(["'])([^"'$]+)\2/.exec(statement);
  if (!found) return [];
  const [, word, , module = ""] = found;
  const at = statement.indexOf(module);
  if (word === "export") return [{ module, name: "*", local: "", exported: "*", at }];
  if (word === "part") return [{ module, name: "*", local: "*", exported: "*", at }];
  const prefix = /\bas\s+(\w+)/.exec(statement)?.[1];
  const shown = /\bshow\s+([\w\s,]+)/.exec(statement);
  if (prefix !== undefined || shown === null) return [{ module, name: "*", local: prefix ?? "*", at }];
  const start = shown.index + shown[0].length - shown[1]!.length;
  const names = [...shown[1]!.matchAll(/\w+/g)].filter(({ 0: name }) => name !== "hide");
  return names.map(({ 0: name, index }) => ({ module, name, local: name, at: start + index }));
}

function dartFiles(): ModuleResolver {
  return {
    configs: /^pubspec\.yaml$/,
    prepare: (view) => {
      const packages = new Map<string, string>();
      for (const path of view.paths) {
        const name = /(?:^|\/)pubspec\.yaml$/.test(path) && /^name:\s*["']?(\w+)/m.exec(view.text(path) ?? "")?.[1];
        if (name) packages.set(name, parentFolder(path));
      }
      return (module, from) => {
        const [, name, rest] = /^package:(\w+)\/(.+)$/.exec(module) ?? [];
        const folder = name === undefined ? undefined : packages.get(name);
        if (name !== undefined && folder === undefined) return [];
        const path = folder === undefined ? joinPath(parentFolder(from), module) : joinPath(folder, `lib/${rest}`);
        return view.has(path) ? [path] : [];
      };
    },
  };
}

export default defineLanguage({
  id: "dart",
  title: "Dart",
  aliases: [],
  extensions: [".dart"],
  interpreters: ["dart"],
  grammar: { npm: "@repomix/tree-sitter-wasms", wasm: "out/tree-sitter-dart.wasm" },
  separator: ".",
  moduleOf: (path) => modulePath(path),
  methodOwners: ["class", "trait", "enum", "extension"],
  visibility: ({ name, kind }) => (kind === "use" ? {} : { visibility: name.startsWith("_") ? "private" : "public" }),
  edges: dartEdges,
  sealedPrivate: true,
  docMarkers: ["///", "/**", "//", "/*", "*/", "*"],
});
