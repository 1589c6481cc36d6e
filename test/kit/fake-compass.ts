/** A core over fixed data with small hand-written rules, to test tools and wire format alone. */
import { createHash } from "node:crypto";
import type {
  Compass,
  Diff,
  Health,
  Project,
  ProjectStatus,
  Reading,
  ReadOptions,
  RefStatus,
  ViewStatus,
} from "../../src/compass/compass.ts";
import type { DiffRequest } from "../../src/model/changes.ts";
import type { CodeSymbol } from "../../src/model/code.ts";
import type { EdgeKind } from "../../src/model/edges.ts";
import { CompassError } from "../../src/model/errors.ts";
import { type JobId, type ProjectId, resultId, symbolId, symbolStableId } from "../../src/model/ids.ts";
import type { Job } from "../../src/model/jobs.ts";
import type { Kind } from "../../src/model/kinds.ts";
import { matchesKind, parseKindFilter } from "../../src/model/kinds.ts";
import type { ReferenceHit, ReferencesAnswer, ReferencesRequest } from "../../src/model/navigation.ts";
import type {
  OutlineNode,
  ScorePart,
  SearchAnswer,
  SearchHit,
  SemanticAnswer,
  SemanticRequest,
  SymbolHit,
} from "../../src/model/search.ts";
import { fakeGrep } from "./fake-grep.ts";
import { fakeNavigation } from "./fake-navigation.ts";

const hash = (input: string | Uint8Array) => createHash("sha256").update(input).digest("hex");

export const PROJECT: Project = { id: "a1b2c3d4e5f60718" as ProjectId, root: "/work/fixture", vcs: true };

const LONG_BODY = Array.from({ length: 90 }, (_, i) => `    let step_${i} = decode(token, key, ${i})?;`).join("\n");

export const FILES: Readonly<Record<string, string>> = {
  "src/auth.rs": `use crate::types::Role;

/// Checks a token and returns its claims.
pub fn validate_token(token: &str, key: &[u8]) -> Result<Claims, AuthError> {
${LONG_BODY}
    Ok(Claims { role: Role::Admin })
}

pub struct Claims {
    role: Role,
}

fn is_expired(at: u64) -> bool { at < 1 }
`,
  "src/types.rs": `pub enum Role { Admin, Guest }

pub struct User { role: Role }

impl User {
    pub fn has_role(&self, role: Role) -> bool {
        self.role == role
    }
}
`,
  "docs/README.md": "No symbols here.\n",
};

type Row = readonly [
  path: string,
  kind: Kind,
  name: string,
  from: number,
  to: number,
  signature: string,
  parent?: string,
];

const ROWS: readonly Row[] = [
  [
    "src/auth.rs",
    "fn",
    "validate_token",
    4,
    96,
    "pub fn validate_token(token: &str, key: &[u8]) -> Result<Claims, AuthError>",
  ],
  ["src/auth.rs", "struct", "Claims", 98, 100, "pub struct Claims"],
  ["src/auth.rs", "fn", "is_expired", 102, 102, "fn is_expired(at: u64) -> bool"],
  ["src/types.rs", "enum", "Role", 1, 1, "pub enum Role"],
  ["src/types.rs", "struct", "User", 3, 3, "pub struct User"],
  ["src/types.rs", "impl", "User", 5, 9, "impl User"],
  ["src/types.rs", "fn", "has_role", 6, 8, "pub fn has_role(&self, role: Role) -> bool", "User"],
];

const SYMBOLS = ROWS.map(symbolHit);

function symbolHit([path, kind, name, lineStart, lineEnd, signature, owner]: Row): SymbolHit {
  const module = path.replace(/^src\/(.*)\.rs$/, "$1");
  const qualifiedName = [module, owner, name].filter(Boolean).join("::");
  const identity = { language: "rust", path, kind, qualifiedName, ordinal: 0 };
  const parent = owner === undefined ? undefined : ROWS.find((row) => row[2] === owner && row[1] === "impl");
  return {
    symbolId: symbolId(PROJECT.id, identity, hash),
    symbolStableId: symbolStableId(identity, hash),
    path,
    language: "rust",
    symbol: codeSymbol(kind, name, qualifiedName, lineStart, lineEnd, signature),
    ...(parent !== undefined && {
      parent: codeSymbol(parent[1], parent[2], parent[2], parent[3], parent[4], parent[5]),
    }),
  };
}

function codeSymbol(
  kind: Kind,
  name: string,
  qualifiedName: string,
  lineStart: number,
  lineEnd: number,
  signature: string,
): CodeSymbol {
  const exported = signature.startsWith("pub ");
  return {
    kind,
    name,
    qualifiedName,
    span: { start: 0, end: 0, lineStart, lineEnd },
    signature,
    ordinal: 0,
    visibility: exported ? "public" : "private",
    ...(exported && { visibilityKeyword: "pub" }),
  };
}

function linesOf(path: string, from: number, to: number): string {
  return (FILES[path] ?? "")
    .split("\n")
    .slice(from - 1, to)
    .join("\n");
}

function hitOf(symbol: SymbolHit, rank: number, type: SearchHit["type"]): SearchHit {
  const parts: ScorePart[] = [
    { factor: "bm25", value: 0.72 / rank, reason: "body" },
    { factor: "exact_match", value: rank === 1 ? 0.2 : 0, cap: 0.2, reason: "the query is the name" },
    { factor: "definition_boost", value: 0.15, cap: 0.15, reason: "a definition" },
    { factor: "kind_match", value: 0.025, cap: 0.05, reason: "functions answer how" },
    { factor: "test_penalty", value: -0.01, reason: "near a test" },
  ];
  const total = parts.reduce((sum, part) => sum + part.value, 0);
  const { lineStart, lineEnd } = symbol.symbol.span;
  return {
    type,
    ...(type === "snippet" && { resultId: resultId("snip", [symbol.path, lineStart], hash) }),
    path: symbol.path,
    language: symbol.language,
    lineStart,
    lineEnd,
    symbol,
    text: linesOf(symbol.path, lineStart, lineEnd),
    score: total / (1 + total),
    total,
    bm25: 12.34567 / rank,
    parts,
  };
}

export const READY: ViewStatus = {
  ref: "main",
  freshness: "fresh",
  indexing: "ready",
  schema: "compatible",
  coverage: { filesIndexed: 3, filesSkipped: 2, skippedReasons: { binary: 1, secret: 1 } },
  complete: true,
  warnings: [],
};

const REFS: readonly RefStatus[] = [
  {
    ref: "main",
    isDefault: true,
    lastIndexedCommit: "abc123def456",
    fileCount: 3,
    symbolCount: 7,
    status: "active",
    lastAccessedAt: Date.UTC(2026, 1, 23, 10, 30),
  },
  {
    ref: "feat/auth",
    isDefault: false,
    lastIndexedCommit: "def789abc012",
    mergeBase: "abc123def456",
    fileCount: 1,
    symbolCount: 4,
    status: "active",
    lastAccessedAt: Date.UTC(2026, 1, 23, 11, 15),
  },
];

export interface FakeOptions {
  readonly standing?: ViewStatus;
  /** Repeats every hit, for answers that are too large. */
  readonly times?: number;
  /** Awaited before a search answers. */
  readonly gate?: (signal: AbortSignal | undefined) => Promise<void>;
  readonly jobs?: (onProgress: (job: Job) => void) => Promise<Job>;
}

export function fakeCompass(options: FakeOptions = {}): Compass & { readonly closed: () => boolean } {
  const standing = options.standing ?? READY;
  let closed = false;
  const switched = new Map<string, string>();
  return {
    project: async (workspace) => {
      if (workspace === undefined || workspace === PROJECT.root) return PROJECT;
      throw new CompassError("workspace_not_registered", { workspace });
    },
    embeddingModel: "default",
    resolvePath: async (path, workspace) => {
      const known = workspace === undefined || workspace === PROJECT.root;
      if (known && !path.startsWith("/")) return { project: PROJECT, under: path === "." ? "" : path };
      if (known && path === PROJECT.root) return { project: PROJECT, under: "" };
      throw new CompassError("workspace_not_registered", { workspace: workspace ?? path, parameter: "path" });
    },
    register: async () => PROJECT,
    forget: async () => PROJECT,
    workspaces: async () => [],
    damagedWorkspaces: async () => [],
    repositories: async () => [],
    complete: async () => {},
    readMany: async () => {
      throw new CompassError("workspace_not_registered", { workspace: "all" });
    },
    read: (_, read, use) => use(reading(standing, options, read)),
    refs: async () => REFS,
    switchRef: async (_, { ref, session }) => {
      if (ref !== "main" && ref !== "feat/auth")
        throw new CompassError("ref_not_indexed", { ref, reason: "it is not there" });
      if (session !== undefined) switched.set(session, ref);
      const at = { ref, previousRef: "main", switched: session !== undefined, lastIndexedCommit: "def789abc012" };
      return { ...at, viewStatus: { ...standing, ref } };
    },
    refNames: async () => ({ branches: ["main"], tags: [] }),
    sessionRef: (_, session) => switched.get(session),
    isCurrent: async () => true,
    freshen: async () => {},
    index: async (_, index) => options.jobs?.(index.onProgress ?? (() => {})) ?? RUNNING,
    status: async () => statusOf(standing),
    viewContents: async () => {
      const { fileCount, symbolCount } = statusOf(standing);
      return { ref: standing.ref, fileCount, symbolCount };
    },
    prune: async () => ({ removed: [], kept: [], bytesFreed: 0, versionsRemoved: 0 }),
    exportState: async (_, file) => ({ file, bytes: 0, refs: [], files: 0 }),
    importState: async (_, file) => ({ file, bytes: 0, refs: [], files: 0 }),
    importScip: async () => ({
      tool: "scip",
      documents: 0,
      imported: 0,
      edges: 0,
      missing: 0,
      changed: 0,
      leftOut: [],
    }),
    diff: async (_, ask) => diffOf(ask, standing),
    verify: async () => [],
    ingestLagMs: async () => 90_000,
    health: async () => healthOf(standing),
    prewarm: () => {},
    close: async () => {
      closed = true;
    },
    closed: () => closed,
  };
}

function reading(standing: ViewStatus, options: FakeOptions, read: ReadOptions): Reading {
  if (read.policy === "strict" && standing.freshness === "stale") {
    throw new CompassError("index_stale", { reason: "HEAD moved", last_indexed_commit: "abc", current_head: "def" });
  }
  if (read.ref !== undefined && read.ref !== "main")
    throw new CompassError("ref_not_indexed", { ref: read.ref, reason: "it is not there" });
  const search: Reading["search"] = async (ask) => {
    await options.gate?.(read.signal);
    const words = ask.query.toLowerCase().split(/\W+/).filter(Boolean);
    const found = standing.complete ? SYMBOLS.filter((one) => mentions(one, words)) : [];
    const hits = found.flatMap((one, i) => {
      const type = one.symbol.name === ask.query ? "symbol" : "snippet";
      return Array.from({ length: options.times ?? 1 }, () => hitOf(one, i + 1, type));
    });
    return {
      intent: words.length === 1 ? "symbol" : "natural_language",
      hits: hits.slice(0, ask.limit),
      totalCandidates: hits.length,
      suppressedDuplicates: 1,
      joins: { hits: hits.length, misses: 0 },
      completeness: "complete",
      notes: [],
    };
  };
  return {
    project: PROJECT,
    status: standing,
    layer: async (path) => (path === "src/types.rs" ? "overlay" : "base"),
    generation: standing.complete ? 1 : 0,
    search,
    semantic: async (ask) => meaningOf(await search({ ...ask, limit: 1000 }), ask, "semantic"),
    hybrid: async (ask) => meaningOf(await search({ ...ask, limit: 1000 }), ask, "hybrid"),
    locate: async (ask) => {
      const kinds = ask.kind === undefined ? undefined : parseKindFilter(ask.kind);
      const found = SYMBOLS.filter((one) => one.symbol.name === ask.name || one.symbolId === ask.symbolId)
        .filter((one) => kinds === undefined || matchesKind(kinds, one.symbol.kind, one.parent?.kind))
        .filter((one) => ask.languages?.includes(one.language) ?? true)
        .flatMap((one, i) => Array.from({ length: options.times ?? 1 }, () => hitOf(one, i + 1, "symbol")));
      return { hits: found.slice(0, ask.limit), totalCandidates: found.length };
    },
    outline: async (path, depth) => {
      if (FILES[path] === undefined) throw new CompassError("file_not_found", { path, ref: standing.ref });
      const own = SYMBOLS.filter((one) => one.path === path);
      const nodes = own.filter((one) => one.parent === undefined).map((one) => nodeOf(one, depth === "all" ? own : []));
      const nodeCount = depth === "all" ? own.length : nodes.length;
      const language = path.endsWith(".md") ? "markdown" : "rust";
      return { path, language, nodes, nodeCount, symbolCount: own.length, parseErrors: [] };
    },
    source: async (path) => {
      if (FILES[path] === undefined) throw new CompassError("file_not_found", { path, ref: standing.ref });
      return { path, language: path.endsWith(".md") ? "markdown" : "rust", text: FILES[path] };
    },
    findPaths: async (words) => {
      const paths = Object.keys(FILES).filter((path) => path.includes(words));
      return { paths, total: paths.length };
    },
    explain: async (ask, path, line) => {
      const answer = await search(ask);
      const hit = answer.hits.find((one) => one.path === path && one.lineStart === line);
      if (hit === undefined) throw new CompassError("result_not_found", { path, line });
      return { hit };
    },
    whyNot: async () => ({ verdict: "not_indexed" }),
    grep: async (ask) => fakeGrep(FILES, ask),
    searchedFiles: async () => Object.keys(FILES),
    body: async (hit) => linesOf(hit.path, hit.symbol.span.lineStart, hit.symbol.span.lineEnd),
    affectedCode: async ({ changed }) => ({
      callers: changed
        .filter(({ signature }) => signature)
        .map(({ qualifiedName }) => ({
          of: qualifiedName,
          path: "src/auth.rs",
          line: 5,
          context: "let step_0 = decode(token, key, 0)?;",
          from: "auth::validate_token",
          resolution: "import" as const,
        })),
      totalCallers: 2,
      tests: [{ path: "tests/auth_test.rs", reason: "named_alike" as const, uses: ["has_role"] }],
    }),
    related: async (hit, limit) => SYMBOLS.filter((one) => one !== hit).slice(0, limit),
    references: async ({ name, limit, kind }) => references(name, kind, limit),
    ...fakeNavigation(SYMBOLS, options.times),
  };
}

/** `has_role` has a new parameter, `is_expired` is removed. */
function diffOf({ baseRef = "main", headRef = "feat/oauth2" }: DiffRequest, standing: ViewStatus): Diff {
  for (const ref of [baseRef, headRef])
    if (ref === "none") throw new CompassError("ref_not_indexed", { ref, reason: "it is not there" });
  const [role, expired] = ["has_role", "is_expired"].map((name) => SYMBOLS.find((one) => one.symbol.name === name)!);
  const before = { ...role!, symbol: { ...role!.symbol, signature: "pub fn has_role(&self) -> bool" } };
  return {
    baseRef,
    headRef,
    mergeBase: "abc123def456",
    files: [
      { path: "src/auth.rs", change: "modified" },
      { path: "src/types.rs", change: "modified" },
      { path: "logo.png", change: "added", skipped: "binary" },
    ],
    changes: [
      { change: "deleted", before: expired! },
      { change: "modified", before, after: role! },
    ],
    textOf: (hit, side) =>
      linesOf(hit.path, hit.symbol.span.lineStart, hit.symbol.span.lineEnd).replace(
        side === "before" ? ", role: Role" : "\0",
        "",
      ),
    warnings: [],
    viewStatus: { ...standing, ref: headRef },
  };
}

function meaningOf({ hits }: SearchAnswer, ask: SemanticRequest, mode: "semantic" | "hybrid"): SemanticAnswer {
  const { threshold, offset, limit, topK = hits.length } = ask;
  const kept = hits.filter(({ score }) => score * (mode === "hybrid" ? 0.05 : 1) >= threshold).slice(0, topK);
  const shown = kept.slice(offset, offset + limit).map((hit) => ({ ...hit, tokens: 7 }));
  return { hits: shown, total: kept.length, mode, notes: [], completeness: "complete" };
}

function mentions(one: SymbolHit, words: readonly string[]): boolean {
  const text = `${one.symbol.name} ${one.symbol.signature}`.toLowerCase();
  return words.some((word) => text.includes(word));
}

function nodeOf(one: SymbolHit, all: readonly SymbolHit[]): OutlineNode {
  const inside = one.symbol.kind === "impl" ? all.filter((other) => other.parent?.name === one.symbol.name) : [];
  return { symbol: one.symbol, children: inside.map((child) => nodeOf(child, [])) };
}

export const RUNNING: Job = {
  id: "job1" as JobId,
  ref: "main",
  mode: "full",
  status: "running",
  progress: { stage: "parsing", filesScanned: 40, filesTotal: 40, filesIndexed: 10, symbolsExtracted: 99 },
  startedAt: Date.UTC(2026, 1, 23, 10, 29, 15),
};

export const PUBLISHED: Job = {
  ...RUNNING,
  status: "published",
  changedFiles: 3,
  finishedAt: RUNNING.startedAt + 45_000,
};

function statusOf(standing: ViewStatus): ProjectStatus {
  return {
    project: PROJECT,
    viewStatus: standing,
    currentSchemaVersion: 1,
    requiredSchemaVersion: 1,
    ...(standing.complete && { lastIndexedAt: RUNNING.startedAt }),
    fileCount: 3,
    symbolCount: 7,
    chunkCount: 9,
    languages: ["rust", "markdown"],
    indexSizeBytes: 12_345,
    indexingTimeMs: 45_200,
    ...(standing.indexing === "indexing" && { activeJob: RUNNING }),
    recentJobs: [PUBLISHED],
    problems: [],
  };
}

function healthOf(standing: ViewStatus): Health {
  return {
    status: standing.indexing === "indexing" ? "indexing" : "ready",
    uptimeMs: 3_600_500,
    memoryBytes: 104_857_600,
    storeOk: true,
    fullText: { engine: "segments", ok: true },
    grammars: { available: ["go", "python", "rust", "typescript"], missing: [] },
    prewarm: "complete",
    warmset: { enabled: true, capacity: 3, members: [PROJECT.root] },
    watcher: "native",
    projects: [statusOf(standing)],
  };
}

/** Everything else in the file uses the symbol, on its first line; the last use matches by name only. */
function references(
  name: string,
  kind: NonNullable<ReferencesRequest["kind"]> = "calls",
  limit: number,
): ReferencesAnswer {
  const symbol = SYMBOLS.find((one) => one.symbol.name === name);
  if (symbol === undefined) throw new CompassError("symbol_not_found", { name, ref: "main" });
  const all = SYMBOLS.filter((one) => one !== symbol).map((from, i, { length }): ReferenceHit => {
    const place = { name, path: from.path, line: from.symbol.span.lineStart, column: 0, from: i };
    const resolution = i === length - 1 ? "name_only" : "import";
    return { edge: { kind: kind as EdgeKind, resolution, ...place }, context: `${name}()`, from };
  });
  const counts = {
    total: all.length,
    nameOnly: 1,
    byCompiler: 0,
    possible: 0,
    connected: 0,
    byKind: { [kind]: all.length },
  };
  return { symbol, references: all.slice(0, limit), ...counts, withoutReferences: [], limits: [] };
}
