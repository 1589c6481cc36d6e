/** The files of a project as clangd sees them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Client, Location } from "./lsp.ts";
import type { Place } from "./oracle.ts";

export type Position = Location["range"]["start"];

interface DocumentSymbol {
  readonly name: string;
  readonly selectionRange: Location["range"];
  readonly children?: readonly DocumentSymbol[];
}

/** One document is open at a time: each has its own syntax tree. */
export class Documents {
  readonly root: string;
  readonly client: Client;
  private readonly texts = new Map<string, string>();
  private readonly split = new Map<string, readonly string[]>();
  private readonly symbols = new Map<string, readonly DocumentSymbol[]>();
  private current: string | undefined;

  constructor(root: string, client: Client) {
    this.root = root;
    this.client = client;
  }

  async start(): Promise<readonly string[]> {
    const documentSymbol = { hierarchicalDocumentSymbolSupport: true };
    const textDocument = { semanticTokens: SEMANTIC_TOKENS, documentSymbol };
    const capabilities = { window: { workDoneProgress: true }, textDocument };
    const rootUri = pathToFileURL(this.root).href;
    const answer = await this.client.request("initialize", { processId: process.pid, rootUri, capabilities });
    this.client.notify("initialized", {});
    type Tokens = { capabilities: { semanticTokensProvider: { legend: { tokenTypes: string[] } } } };
    return (answer as Tokens).capabilities.semanticTokensProvider.legend.tokenTypes;
  }

  /** Locations of the symbols with the same name and owner as the one declared at a location. */
  async overloads({ path, line, column }: Place): Promise<readonly Position[]> {
    const known = this.symbols.get(path) ?? (await this.readSymbols(path));
    this.symbols.set(path, known);
    return namesakes(known, { line: line - 1, character: column }) ?? [];
  }

  private async readSymbols(path: string): Promise<readonly DocumentSymbol[]> {
    const textDocument = this.open(path);
    return ((await this.client.request("textDocument/documentSymbol", { textDocument })) ?? []) as DocumentSymbol[];
  }

  text(path: string): string {
    const known = this.texts.get(path) ?? readFileSync(join(this.root, path), "utf8");
    this.texts.set(path, known);
    return known;
  }

  lines(path: string): readonly string[] {
    const known = this.split.get(path) ?? this.text(path).split("\n");
    this.split.set(path, known);
    return known;
  }

  open(path: string): { uri: string } {
    const uri = pathToFileURL(join(this.root, path)).href;
    if (this.current === uri) return { uri };
    if (this.current !== undefined)
      this.client.notify("textDocument/didClose", { textDocument: { uri: this.current } });
    this.current = uri;
    const languageId = /\.[ch]$/.test(path) ? "c" : "cpp";
    this.client.notify("textDocument/didOpen", {
      textDocument: { uri, languageId, version: 1, text: this.text(path) },
    });
    return { uri };
  }
}

/** Locations of every symbol in the list with the name of the one at a location. */
function namesakes(list: readonly DocumentSymbol[], at: Position): Position[] | undefined {
  for (const { children = [] } of list) {
    const inside = namesakes(children, at);
    if (inside !== undefined) return inside;
  }
  const own = list.find(({ selectionRange: { start } }) => start.line === at.line && start.character === at.character);
  return own && list.filter(({ name }) => name === own.name).map(({ selectionRange }) => selectionRange.start);
}

const SEMANTIC_TOKENS = { requests: { full: true }, tokenTypes: [], tokenModifiers: [], formats: ["relative"] };
