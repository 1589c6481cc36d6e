/**
 * clangd as an oracle for C and C++. The project needs a `compile_commands.json` at its root (made by CMake, by `bear`, or
 * by hand). Files that no command reads, and lines that the preprocessor removes, are not judged.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Documents, type Position } from "./clangd-documents.ts";
import { Client, keyOf, type Location, positionOf } from "./lsp.ts";
import type { Oracle, Place, RefKind, Target, Truth } from "./oracle.ts";
import { placeKey } from "./tally.ts";

const PROGRAMS = ["clangd", "clangd-14", "clangd-15", "clangd-16", "clangd-19"];

export async function clangdOracle(root: string): Promise<Oracle> {
  const read = filesRead(root);
  const indexed = Promise.withResolvers<void>();
  const listen = (method: string, params: unknown) => {
    const { value, token } = params as { value?: { kind?: string }; token?: unknown };
    if (method === "$/progress" && token === "backgroundIndexProgress" && value?.kind === "end") indexed.resolve();
    return null;
  };
  const clangd = program();
  const isLimited = spawnSync(clangd, ["--help"], { encoding: "utf8" }).stdout.includes("--limit-references");
  const flags = [
    ...["--background-index", "--limit-results=0", "--log=error", "-j=2", `--compile-commands-dir=${root}`],
    ...(isLimited ? ["--limit-references=0"] : []),
  ];
  const child = spawn(clangd, flags, { cwd: root, stdio: ["pipe", "pipe", "ignore"] });
  const documents = new Documents(root, new Client(child, listen));
  const legend = await documents.start();
  await documents.open(read.values().next().value!);
  await indexed.promise;
  const judge = new InactiveLines(documents, legend.indexOf("comment"));
  return {
    references: (path, offset) => references(documents, path, offset),
    leadsTo: (site, symbol) => leadsTo(documents, site, symbol),
    reads: (path) => read.has(path),
    judges: (site) => judge.isActive(site),
    note: `${read.size} files read`,
    close: () => documents.client.close(),
  };
}

function program(): string {
  const found = PROGRAMS.find((it) => spawnSync(it, ["--version"]).status === 0);
  if (found === undefined) throw new Error("This oracle needs clangd on the PATH (Debian: clangd-14).");
  return found;
}

interface Command {
  readonly directory: string;
  readonly file: string;
  readonly arguments?: readonly string[];
  readonly command?: string;
}

/** The sources of the commands and every file of the project that they include. */
function filesRead(root: string): ReadonlySet<string> {
  const database = join(root, "compile_commands.json");
  if (!existsSync(database)) throw new Error(`${database} is missing: make it with CMake, bear, or by hand.`);
  const files = new Set<string>();
  for (const { directory, file, ...said } of JSON.parse(readFileSync(database, "utf8")) as Command[]) {
    const [compiler = "cc", ...given] = said.arguments ?? said.command!.split(/\s+/);
    const kept = given.filter((it, i) => it !== "-c" && it !== "-o" && given[i - 1] !== "-o" && !it.endsWith(".o"));
    const { stdout } = spawnSync(compiler, [...kept, "-MM"], { cwd: directory, encoding: "utf8" });
    for (const one of [file, ...stdout.replace(/^[^:]*:|\\\n/g, " ").split(/\s+/)]) {
      const path = relative(root, resolve(directory, one));
      if (one !== "" && !path.startsWith("..")) files.add(path);
    }
  }
  return files;
}

async function references(documents: Documents, path: string, offset: number): Promise<Truth[] | undefined> {
  const asked = positionOf(documents.text(path), offset);
  const own = await referencesAt(documents, path, asked);
  const here = placeKey({ path, line: asked.line + 1, column: asked.character });
  // A macro call that reads like a definition (`TEST_F(A, b) {`) defines nothing of its name.
  if (!own.some((it) => it.definition && placeKey(it) === here)) return undefined;
  const all = new Map(own.map((it) => [placeKey(it), it]));
  // Overloads are one query here: a use of one of them counts for each.
  for (const declared of own.filter((it) => it.definition)) {
    for (const position of await documents.overloads(declared)) {
      if (all.get(placeKey({ path: declared.path, line: position.line + 1, column: position.character }))?.definition)
        continue;
      for (const it of await referencesAt(documents, declared.path, position)) all.set(placeKey(it), it);
    }
  }
  return [...all.values()];
}

async function referencesAt(documents: Documents, path: string, position: Position): Promise<Truth[]> {
  const textDocument = documents.open(path);
  const name = /^\w*/.exec((documents.lines(path)[position.line] ?? "").slice(position.character))![0];
  const ask = async (includeDeclaration: boolean) => {
    const params = { textDocument, position, context: { includeDeclaration } };
    return ((await documents.client.request("textDocument/references", params)) ?? []) as Location[];
  };
  const uses = new Set((await ask(false)).map(keyOf));
  return (await ask(true)).flatMap((it) => truthOf(it, !uses.has(keyOf(it)), documents, name) ?? []);
}

/** Implicit uses (made by a macro, or the constructor of a declared variable) have no name to find. */
function truthOf({ uri, range }: Location, definition: boolean, documents: Documents, name: string): Truth | undefined {
  const path = relative(documents.root, fileURLToPath(uri));
  if (path.startsWith("..")) return undefined;
  const line = documents.lines(path)[range.start.line] ?? "";
  if (!line.startsWith(name, range.start.character)) return undefined;
  const [before, after] = [line.slice(0, range.start.character), line.slice(range.end.character)];
  const { line: row, character: column } = range.start;
  return {
    path,
    line: row + 1,
    column,
    kind: kindOf(before, after),
    definition: definition || isDeclaration(before, after, name),
  };
}

/** Characters before a name that is declared, not called. */
const DECLARED =
  /^\s*(?:(?!(?:return|else|new|delete|throw|case|goto)\b)[\w:]+(?:<[^;()]*>)?(?:\s*[*&]+\s*|\s+))+(?:[\w]+::)*~?$/;

/** clangd lists declarations of overridden members, and constructors and destructors of a class, among its uses. */
function isDeclaration(before: string, after: string, name: string): boolean {
  if (!/^\s*\(/.test(after)) return false;
  return DECLARED.test(before) || /^\s*~?$/.test(before) || before.endsWith(`${name}::`) || before.endsWith("~");
}

function kindOf(before: string, after: string): RefKind {
  if (/^\s*(?:class|struct)\s+\w+[^;{(]*:[^;{(]*$/.test(before)) return "heritage";
  if (/[{,]\s*\.$/.test(before) && /^\s*=/.test(after)) return "key";
  const member = /(?:\.|->|::)\s*$/.test(before);
  const called = /^\s*(?:<[^;()]*>)?\(/.test(after);
  return member ? (called ? "member call" : "member") : called ? "call" : "reference";
}

async function leadsTo(documents: Documents, site: Place, symbol: Target): Promise<boolean> {
  const textDocument = documents.open(site.path);
  const position = { line: site.line - 1, character: site.column };
  const found = await documents.client.request("textDocument/definition", { textDocument, position });
  const at = positionOf(documents.text(symbol.path), symbol.offset);
  const uri = pathToFileURL(join(documents.root, symbol.path)).href;
  return ((found ?? []) as Location[]).some(
    (it) => it.uri === uri && it.range.start.line === at.line && it.range.start.character === at.character,
  );
}

/** What a macro's body names is known only where the macro is used; `#ifndef A` before `#define A` guards a definition. */
function definitionLines(lines: readonly string[]): number[] {
  return lines.flatMap((line, i) => {
    const guarded = /^\s*#\s*ifndef\s+(\w+)/.exec(line)?.[1];
    const isGuard = guarded !== undefined && new RegExp(`^\\s*#\\s*define\\s+${guarded}\\b`).test(lines[i + 1] ?? "");
    let start = i;
    while (start > 0 && lines[start - 1]!.endsWith("\\")) start--;
    return isGuard || /^\s*#\s*define\b/.test(lines[start]!) ? [i + 1] : [];
  });
}

/** Lines that the preprocessor removes: clangd shows them as comments that begin at the start of a line. */
class InactiveLines {
  private readonly documents: Documents;
  private readonly comment: number;
  private readonly known = new Map<string, ReadonlySet<number>>();

  constructor(documents: Documents, comment: number) {
    this.documents = documents;
    this.comment = comment;
  }

  async isActive({ path, line }: Place): Promise<boolean> {
    const lines = this.known.get(path) ?? (await this.read(path));
    this.known.set(path, lines);
    return !lines.has(line);
  }

  private async read(path: string): Promise<ReadonlySet<number>> {
    const textDocument = this.documents.open(path);
    const answer = await this.documents.client.request("textDocument/semanticTokens/full", { textDocument });
    const { data = [] } = (answer ?? {}) as { data?: number[] };
    const lines = new Set<number>(definitionLines(this.documents.lines(path)));
    let at = 0;
    for (let i = 0; i < data.length; i += 5) {
      at += data[i]!;
      if (data[i + 3] === this.comment) lines.add(at + 1);
    }
    return lines;
  }
}
