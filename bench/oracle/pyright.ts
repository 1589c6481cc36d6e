/** pyright as an oracle, through its language server. `run.ts` installs it next to the results; it is never shipped. */
import { type ListedSite, serverOracle } from "./language-server.ts";
import type { Oracle, RefKind, Truth } from "./oracle.ts";

const SETTINGS = { analysis: { diagnosticMode: "openFilesOnly", indexing: true } };

export function pyrightOracle(root: string, server: string): Promise<Oracle> {
  return serverOracle({
    root,
    server,
    languageId: "python",
    settings: SETTINGS,
    // It lists the project's files after it reported ready; queried earlier, it knows one file.
    isReady: (method, { message = "" }) =>
      method === "window/logMessage" && /found \d+ source|no source files/i.test(message),
    truthOf,
  });
}

function truthOf({ path, text, range, definition }: ListedSite): Truth | undefined {
  const line = text.split("\n")[range.start.line] ?? "";
  const before = line.slice(0, range.start.character);
  const isImport = /^\s*(?:from\b.*\bimport\b|import\b)/.test(line) || inImportList(text, range.start.line);
  // The name after `as` is defined by the statement.
  if (isImport && /\bas\s+$/.test(before)) return undefined;
  const after = line.slice(range.end.character);
  // Overloads, setters and redefinitions are not distinguished from uses.
  if (/\b(?:def|class)\s+$/.test(before))
    return { path, line: range.start.line + 1, column: range.start.character, kind: "reference", definition: true };
  return {
    path,
    line: range.start.line + 1,
    column: range.start.character,
    kind: kindOf(before, after, isImport),
    definition,
  };
}

/** Whether the line is inside the parentheses of an import. */
function inImportList(text: string, line: number): boolean {
  const lines = text.split("\n");
  for (let at = line; at >= 0 && at > line - 80; at--) {
    if (/^\s*from\b.*\bimport\b/.test(lines[at]!))
      return at === line || (lines[at]!.includes("(") && !lines.slice(at, line).some((it) => it.includes(")")));
    if (at < line && /[)=:]/.test(lines[at]!)) return false;
  }
  return false;
}

function kindOf(before: string, after: string, isImport: boolean): RefKind {
  if (isImport) return "import";
  if (/^\s*class\s+\w+\s*\([^)]*$/.test(before)) return "heritage";
  if (/^\s*=[^=]/.test(after) && /[(,]\s*$/.test(before)) return "key";
  const member = /\.\s*$/.test(before);
  const called = /^\s*\(/.test(after);
  return member ? (called ? "member call" : "member") : called ? "call" : "reference";
}
