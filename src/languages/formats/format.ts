/** A language that is read by a table of rules instead of a grammar, or not at all. */
import type { Visibility } from "../../model/code.ts";
import { defineLanguage, type Language, modulePath } from "../define.ts";
import { type OutlineRules, outlineReader } from "../outline/outline.ts";

export interface LanguageRow {
  readonly id: string;
  readonly title: string;
  readonly extensions: readonly string[];
  readonly aliases?: readonly string[];
  readonly filenames?: readonly string[];
  readonly interpreters?: readonly string[];
  readonly contested?: NonNullable<Language["contested"]>;
  /** Absent: searchable text with a name of its own. A function where the patterns are slow to make. */
  readonly outline?: OutlineRules | (() => OutlineRules);
  readonly separator?: "::" | ".";
  readonly declaresModules?: true;
  readonly joinsClauses?: true;
  /** Without it, the path names the module. */
  readonly modules?: "declared";
  readonly nameOf?: NonNullable<Language["nameOf"]>;
  /** Of comments above a definition; see `Language`. */
  readonly docMarkers?: readonly string[];
}

const SCOPES: ReadonlySet<string> = new Set<Visibility>(["public", "private", "protected", "internal"]);

export function format({ outline, modules, ...it }: LanguageRow): Language {
  return defineLanguage({
    aliases: [],
    separator: ".",
    docMarkers: [],
    ...it,
    ...(outline && { read: lazily(() => outlineReader(typeof outline === "function" ? outline() : outline)) }),
    moduleOf: modules === "declared" ? () => [] : (path) => modulePath(path),
    methodOwners: [],
    visibility: ({ vis }) =>
      vis === undefined
        ? {}
        : { keyword: vis, ...(SCOPES.has(vis.toLowerCase()) && { visibility: vis.toLowerCase() as Visibility }) },
  });
}

/** Patterns are compiled when a file of the language is met. */
function lazily(make: () => NonNullable<Language["read"]>): NonNullable<Language["read"]> {
  let read: Language["read"];
  return (text) => {
    read ??= make();
    return read(text);
  };
}
