/** pyright as an oracle, through its language server. Installed by `run.ts` beside the results, never shipped. */
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Oracle, RefKind, Truth } from "./oracle.ts";

interface Location {
  readonly uri: string;
  readonly range: {
    readonly start: { readonly line: number; readonly character: number };
    readonly end: { readonly character: number };
  };
}

export async function pyrightOracle(root: string, server: string): Promise<Oracle> {
  const client = new Client(
    spawn(process.execPath, ["--max-old-space-size=4096", server, "--stdio"], {
      cwd: root,
      stdio: ["pipe", "pipe", "ignore"],
    }),
  );
  const uri = pathToFileURL(root).href;
  await client.request("initialize", {
    processId: process.pid,
    rootUri: uri,
    workspaceFolders: [{ uri, name: "root" }],
    capabilities: { workspace: { configuration: true, workspaceFolders: true } },
  });
  client.notify("initialized", {});
  await client.filesFound;
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
      const position = placeOf(text, offset);
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

function keyOf({ uri, range }: Location): string {
  return `${uri}:${range.start.line}:${range.start.character}`;
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
  // The name after `as` is one that the statement makes.
  if (isImport && /\bas\s+$/.test(before)) return undefined;
  const after = line.slice(range.end.character);
  // Overloads, setters and redefinitions are not told from uses.
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

/** Whether the line stands between the parentheses of an import. */
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

function placeOf(text: string, offset: number): { line: number; character: number } {
  const before = text.slice(0, offset);
  return { line: before.split("\n").length - 1, character: offset - before.lastIndexOf("\n") - 1 };
}

/** As much of the protocol as an oracle needs. */
class Client {
  private readonly process: ChildProcess;
  private readonly open = new Map<number, (result: unknown) => void>();
  private buffer = Buffer.alloc(0);
  private last = 0;
  private readonly found = Promise.withResolvers<void>();
  /** It looks for the project's files after it has said that it is ready; asked before, it knows one file. */
  readonly filesFound = this.found.promise;

  constructor(process: ChildProcess) {
    this.process = process;
    process.stdout!.on("data", (bytes: Buffer) => this.hear(bytes));
  }

  request(method: string, params: unknown): Promise<unknown> {
    const id = ++this.last;
    return new Promise((answer) => {
      this.open.set(id, answer);
      this.send({ id, method, params });
    });
  }

  notify(method: string, params: unknown): void {
    this.send({ method, params });
  }

  close(): void {
    this.process.kill();
  }

  private send(message: object): void {
    const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }));
    this.process.stdin!.write(Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]));
  }

  private hear(bytes: Buffer): void {
    this.buffer = Buffer.concat([this.buffer, bytes]);
    for (;;) {
      const end = this.buffer.indexOf("\r\n\r\n");
      const length = Number(
        /Content-Length: (\d+)/i.exec(this.buffer.subarray(0, Math.max(0, end)).toString())?.[1] ?? Number.NaN,
      );
      if (end < 0 || !(this.buffer.length >= end + 4 + length)) return;
      const message = JSON.parse(this.buffer.subarray(end + 4, end + 4 + length).toString()) as {
        id?: number;
        method?: string;
        result?: unknown;
        params?: { items?: unknown[]; message?: string };
      };
      this.buffer = this.buffer.subarray(end + 4 + length);
      this.take(message);
    }
  }

  private take({
    id,
    method,
    result,
    params,
  }: {
    id?: number;
    method?: string;
    result?: unknown;
    params?: { items?: unknown[]; message?: string };
  }): void {
    if (method === "window/logMessage" && /found \d+ source|no source files/i.test(params?.message ?? ""))
      this.found.resolve();
    if (process.env.ORACLE_LOG && method === "window/logMessage") console.error(params?.message);
    if (method !== undefined) {
      if (id !== undefined)
        this.send({
          id,
          result:
            method === "workspace/configuration"
              ? (params?.items ?? []).map(() => ({ analysis: { diagnosticMode: "openFilesOnly", indexing: true } }))
              : null,
        });
      return;
    }
    this.open.get(id!)?.(result ?? null);
    this.open.delete(id!);
  }
}
