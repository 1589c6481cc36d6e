/** What the page in the browser asks for beyond the tools. They run as tools do and are never listed to MCP clients. */
import { z } from "zod";
import type { Reading, ViewStatus } from "../compass/compass.ts";
import type { SymbolHit } from "../model/search.ts";
import { defineTool, type Fields, type ToolDefinition, VIEW_ERRORS } from "./define.ts";
import * as fields from "./input.ts";
import { metadataSchema } from "./wire/metadata.ts";

/** The same for all: no client reads the listing of these. */
const UNLISTED = {
  description: "For the page of codecompass only.",
  access: "read",
  output: () => z.looseObject({ metadata: metadataSchema() }),
  example: {},
} as const;

/** Where an answer is about no index. */
const NO_VIEW: ViewStatus = {
  ref: "live",
  freshness: "fresh",
  indexing: "ready",
  schema: "compatible",
  complete: true,
  warnings: [],
};

const MOST_PATHS = 500;

const place = () => ({ workspace: fields.workspace, ref: fields.ref });

const workspaces = defineTool({
  ...UNLISTED,
  name: "page_workspaces",
  title: "List the workspaces that the page offers",
  source: "server",
  input: () => z.object({}),
  errors: [],
  async run(_, { compass }) {
    const { projects } = await compass.health();
    const served = projects.map(({ project }) => project.root);
    const here = (await compass.workspaces()).filter(({ autoDiscovered }) => !autoDiscovered).map(({ root }) => root);
    const roots = [...new Set([...served, ...here, ...(await compass.repositories())])];
    return { viewStatus: NO_VIEW, body: { workspaces: roots, default: served[0] ?? null } };
  },
});

const refs = defineTool({
  ...UNLISTED,
  name: "page_refs",
  title: "List branches and tags",
  source: "project",
  input: () => z.object({ workspace: fields.workspace }),
  errors: [],
  async run(_, { compass, project }) {
    const { viewStatus } = await compass.status(project);
    const indexed = viewStatus.indexing === "not_indexed" ? [] : await compass.refs(project);
    const { branches, tags } = await compass.refNames(project);
    const known = indexed.filter(({ status }) => status !== "gone").map(({ ref }) => ref);
    const names = { checked_out: viewStatus.ref, branches, tags, indexed: known };
    return { viewStatus, body: { ...names, vcs: project.vcs, published: project.published !== undefined } };
  },
});

const file = defineTool({
  ...UNLISTED,
  name: "page_file",
  title: "Read a file of a ref",
  source: "view",
  input: () => z.object({ path: fields.path, freshness_policy: fields.freshnessPolicy, ...place() }),
  errors: [...VIEW_ERRORS, "file_not_found"],
  async run({ path, ref }, { reading, project }) {
    const { text, ...rest } = await reading.source(path);
    const isOnDisk = ref === undefined && !project.published;
    return { needsSymbols: false, body: { ...rest, text, root: isOnDisk ? project.root : null } };
  },
});

const paths = defineTool({
  ...UNLISTED,
  name: "page_paths",
  title: "Find files by their paths",
  source: "view",
  input: () => z.object({ words: z.string().max(1_000), limit: fields.limit(50), ...place() }),
  errors: VIEW_ERRORS,
  async run({ words, limit }, { reading }) {
    const { paths, total } = await reading.findPaths(words, Math.min(limit, MOST_PATHS));
    return { needsSymbols: false, body: { paths, total } };
  },
});

const whyNot = defineTool({
  ...UNLISTED,
  name: "page_why_not",
  title: "Explain where a line ranks in a search",
  source: "view",
  usesModel: true,
  input: () =>
    z.object({ query: fields.query, path: fields.path, line: z.int().min(1), limit: fields.limit(10), ...place() }),
  errors: VIEW_ERRORS,
  async run({ query, limit, path, line }, { reading }) {
    return { body: { ...(await reading.whyNot({ query, limit }, path, line)) } };
  },
});

const definition = defineTool({
  ...UNLISTED,
  name: "page_definition",
  title: "Find what a name in a line means",
  source: "view",
  input: () => z.object({ path: fields.path, line: z.int().min(1), name: z.string().min(1).max(1_000), ...place() }),
  errors: VIEW_ERRORS,
  async run({ path, line, name }, { reading }) {
    const meant = await reading.definitions({ path, line, name });
    // Where the meaning is not known, and at a definition itself, symbols of the name are all that can be shown.
    const results = meant.length > 0 ? meant : (await named(name, reading)).slice(0, MOST_DEFINITIONS);
    const own = results.toSorted((a, b) => Number(isAt(b, path, line)) - Number(isAt(a, path, line)));
    return {
      body: { is_certain: meant.length > 0 || own.some((it) => isAt(it, path, line)), results: own.map(symbolFields) },
    };
  },
});

const MOST_DEFINITIONS = 20;

async function named(name: string, reading: Reading): Promise<SymbolHit[]> {
  const { hits } = await reading.locate({ name, limit: MOST_DEFINITIONS, brief: true });
  return hits.flatMap(({ symbol }) => (symbol?.symbol.name === name ? [symbol] : []));
}

function isAt({ path, symbol }: SymbolHit, file: string, line: number): boolean {
  return path === file && (symbol.nameLine ?? symbol.span.lineStart) === line;
}

function symbolFields({ path, symbol }: SymbolHit): Fields {
  return {
    path,
    line_start: symbol.nameLine ?? symbol.span.lineStart,
    kind: symbol.kind,
    qualified_name: symbol.qualifiedName,
    signature: symbol.signature,
  };
}

const PAGE_TOOLS: readonly ToolDefinition[] = [workspaces, refs, file, paths, whyNot, definition];

export function findPageTool(name: string): ToolDefinition | undefined {
  return PAGE_TOOLS.find((tool) => tool.name === name);
}
