/** intelephense as an oracle for PHP, through its language server. It is installed next to the results; it is never shipped. */
import { type ListedSite, serverOracle } from "./language-server.ts";
import type { Oracle, RefKind, Truth } from "./oracle.ts";

export function intelephenseOracle(root: string, server: string, storagePath: string): Promise<Oracle> {
  return serverOracle({
    root,
    server,
    languageId: "php",
    initializationOptions: { storagePath, globalStoragePath: storagePath, clearCache: true },
    isReady: (method) => method === "indexingEnded",
    truthOf,
    byDefinition: true,
  });
}

function truthOf({ path, text, range, definition }: ListedSite): Truth | undefined {
  const line = text.split("\n")[range.start.line] ?? "";
  const written = line.slice(range.start.character, range.end.character);
  const before = line.slice(0, range.start.character);
  // Names in comments are not code, and the name after `as` is defined by the statement.
  if (/^\s*(?:\/?\*|\/\/|#(?!\[))/.test(line) || (/^\s*use\b/.test(line) && /\bas\s+$/.test(before))) return undefined;
  // Except in an import, a name is listed with its namespace and a property with its sign: only the name is compared.
  const extra = /^\s*use\b/.test(line) ? 0 : (/^(?:.*\\|\$)/.exec(written)?.[0].length ?? 0);
  const column = range.start.character + extra;
  const declares = /\b(?:function|class|interface|trait|enum|const|case)\s+&?$/.test(before);
  const kind = kindOf(before, line.slice(range.end.character));
  return { path, line: range.start.line + 1, column, kind, definition: definition || declares };
}

function kindOf(before: string, after: string): RefKind {
  if (/^\s*use\b/.test(before)) return "import";
  if (/\b(?:extends|implements)\b[^{]*$/.test(before)) return "heritage";
  const called = /^\s*\(/.test(after);
  const member = /(?:->|::)\s*$/.test(before);
  return member ? (called ? "member call" : "member") : called ? "call" : "reference";
}
