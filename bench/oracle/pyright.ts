/** pyright as an oracle, through its language server. `run.ts` installs it next to the results; it is never shipped. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Client, keyOf, type Location, positionOf } from "./lsp.ts";
import type { Oracle, RefKind, Truth } from "./oracle.ts";

const SETTINGS = { analysis: { diagnosticMode: "openFilesOnly", indexing: true } };

export async function pyrightOracle(root: string, server: string): Promise<Oracle> {
  // It lists the project's files after it reported ready; queried earlier, it knows one file.
  const filesFound = Promise.withResolvers<void>();
  const listen = (method: string, params: unknown) => {
    const { items = [], message = "" } = params as { items?: unknown[]; message?: string };
    if (method === "window/logMessage" && /found \d+ source|no source files/i.test(message)) filesFound.resolve();
    return method === "workspace/configuration" ? items.map(() => SETTINGS) : null;
  };
  const child = spawn(process.execPath, ["--max-old-space-size=4096", server, "--stdio"], {
    cwd: root,
    stdio: ["pipe", "pipe", "ignore"],
  });
  const client = new Client(child, listen);
  const uri = pathToFileURL(root).href;
  await client.request("initialize", {
    processId: process.pid,
    rootUri: uri,
    workspaceFolders: [{ uri, name: "root" }],
    capabilities: { workspace: { configuration: true, workspaceFolders: true } },
  });
  client.notify("initialized", {});
  await filesFound.promise;
  const texts = new Map<string, string>();
  const textOf = (path: string) => {
    const known = texts.get(path) ?? readFileSync(join(root, path), "utf8");
    texts.set(path, known);
    return known;
  };
  return {
    references: async (path, offset) => {
      const text = textOf(path);
      const document = pathToFileURL(join(root, path)).href;
      client.notify("textDocument/didOpen", {
        textDocument: { uri: document, languageId: "python", version: 1, text },
      });
      const position = positionOf(text, offset);
      const params = { textDocument: { uri: document }, position, context: { includeDeclaration: true } };
      const all = (await client.request("textDocument/references", params)) as Location[] | null;
      const uses = (await client.request("textDocument/references", {
        ...params,
        context: { includeDeclaration: false },
      })) as Location[] | null;
      client.notify("textDocument/didClose", { textDocument: { uri: document } });
      if (all === null || all.length === 0) return undefined;
      const used = new Set((uses ?? []).map(keyOf));
      return all.flatMap((it) => truthOf(it, !used.has(keyOf(it)), root, textOf) ?? []);
    },
    close: () => client.close(),
  };
}

function truthOf(
  { uri, range }: Location,
  definition: boolean,
  root: string,
  textOf: (path: string) => string,
): Truth | undefined {
  const path = relative(root, fileURLToPath(uri));
  if (path.startsWith("..")) return undefined;
  const line = textOf(path).split("\n")[range.start.line] ?? "";
  const before = line.slice(0, range.start.character);
  const isImport = /^\s*(?:from\b.*\bimport\b|import\b)/.test(line) || inImportList(textOf(path), range.start.line);
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
