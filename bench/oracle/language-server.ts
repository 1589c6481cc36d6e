/** A language server as an oracle: it lists the references of each symbol. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Client, keyOf, type Location, positionOf } from "./lsp.ts";
import type { Oracle, Place, Target, Truth } from "./oracle.ts";

/** A site in a file of the repository. */
export interface ListedSite extends Pick<Location, "range"> {
  readonly path: string;
  /** Of the file. */
  readonly text: string;
  readonly definition: boolean;
}

export interface ServerOracle {
  readonly root: string;
  /** A module that Node runs. */
  readonly server: string;
  readonly languageId: string;
  readonly settings?: object;
  readonly initializationOptions?: object;
  /** Whether a message says that every file is known. */
  isReady(method: string, params: { readonly message?: string }): boolean;
  truthOf(site: ListedSite): Truth | undefined;
  /**
   * It lists a call through an interface for each implementation, and not a use through an alias: "go to definition" tells
   * which member a use means.
   */
  readonly byDefinition?: boolean;
}

export async function serverOracle(it: ServerOracle): Promise<Oracle> {
  const { root, languageId } = it;
  const ready = Promise.withResolvers<void>();
  const listen = (method: string, params: unknown) => {
    const { items = [], ...message } = (params ?? {}) as { items?: unknown[]; message?: string };
    if (it.isReady(method, message)) ready.resolve();
    return method === "workspace/configuration" ? items.map(() => it.settings ?? null) : null;
  };
  const child = spawn(process.execPath, ["--max-old-space-size=4096", it.server, "--stdio"], {
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
    ...(it.initializationOptions && { initializationOptions: it.initializationOptions }),
  });
  client.notify("initialized", {});
  await ready.promise;
  const texts = new Map<string, string>();
  const textOf = (path: string) => {
    const known = texts.get(path) ?? readFileSync(join(root, path), "utf8");
    texts.set(path, known);
    return known;
  };
  const open = (path: string) => {
    const document = pathToFileURL(join(root, path)).href;
    client.notify("textDocument/didOpen", {
      textDocument: { uri: document, languageId, version: 1, text: textOf(path) },
    });
    return { uri: document };
  };
  /** Whether "go to definition" leads from a use to the target; undefined if it leads nowhere. A definition is a range. */
  const leadsTo = async ({ path, line, column }: Place, target: Target) => {
    const textDocument = open(path);
    const position = { line: line - 1, character: column };
    const found = await client.request("textDocument/definition", { textDocument, position });
    client.notify("textDocument/didClose", { textDocument });
    const meant = [(found as Location | Location[] | null) ?? []].flat();
    if (meant.length === 0) return undefined;
    const of = positionOf(textOf(target.path), target.offset).line;
    return meant.some(
      ({ uri, range }) =>
        fileURLToPath(uri) === join(root, target.path) && range.start.line <= of && of <= range.end.line,
    );
  };
  const related = async (truth: Truth, target: Target): Promise<Truth> => {
    if (truth.definition || !truth.kind.startsWith("member")) return truth;
    return (await leadsTo(truth, target)) === false ? { ...truth, related: true } : truth;
  };
  return {
    references: async (path, offset) => {
      const text = textOf(path);
      const textDocument = open(path);
      const position = positionOf(text, offset);
      const params = { textDocument, position, context: { includeDeclaration: true } };
      const all = (await client.request("textDocument/references", params)) as Location[] | null;
      const uses = (await client.request("textDocument/references", {
        ...params,
        context: { includeDeclaration: false },
      })) as Location[] | null;
      client.notify("textDocument/didClose", { textDocument });
      if (all === null || all.length === 0) return undefined;
      const used = new Set((uses ?? []).map(keyOf));
      const truths = all.flatMap((one) => {
        const path = relative(root, fileURLToPath(one.uri));
        if (path.startsWith("..")) return [];
        return it.truthOf({ path, text: textOf(path), range: one.range, definition: !used.has(keyOf(one)) }) ?? [];
      });
      if (!it.byDefinition) return truths;
      const judged: Truth[] = [];
      for (const truth of truths) judged.push(await related(truth, { path, offset }));
      return judged;
    },
    ...(it.byDefinition && { leadsTo: async (site, target) => (await leadsTo(site, target)) === true }),
    close: () => client.close(),
  };
}
