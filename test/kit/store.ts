/** Building blocks of store tests: a clock that is set by hand, processes that live and die on request, files given as text. */
import { createHash, randomUUID } from "node:crypto";
import type { CodeSymbol, FileRecord } from "../../src/model/code.ts";
import { type Facts, importedModules, mentionedNames, NO_FACTS } from "../../src/model/edges.ts";
import { type ContentHash, type JobId, type ProjectId, symbolId, symbolStableId } from "../../src/model/ids.ts";
import type { Job } from "../../src/model/jobs.ts";
import type { Build, Publication } from "../../src/ports/build.ts";
import type { Env, ProcessIdentity } from "../../src/ports/env.ts";
import type { Stamped, ViewChange } from "../../src/ports/snapshot.ts";
import type { GcReport, Lease, Store } from "../../src/ports/store.ts";
import type { FileBatch, StoredFile, VersionKey } from "../../src/ports/versions.ts";
import { SegmentBuilder } from "../../src/segment/build.ts";
import { encodeFacts } from "../../src/segment/facts.ts";
import { encodeRecord, encodeText } from "../../src/segment/stored-content.ts";

export const PROJECT = "0123456789abcdef" as ProjectId;
export const sha256 = (input: string | Uint8Array) => createHash("sha256").update(input).digest("hex");

export interface TestEnv extends Env {
  /** Set it to move the clock. */
  time: number;
  readonly dead: Set<number>;
}

export function testEnv(): TestEnv {
  let words = 0;
  const env: TestEnv = {
    time: 1_800_000_000_000,
    dead: new Set(),
    now: () => env.time,
    monotonic: () => performance.now(),
    sleep: async () => {},
    self: processIdentity(1),
    isAlive: ({ pid }) => !env.dead.has(pid),
    machine: "here",
    freeMemory: () => {},
    uniqueWord: () => `w${++words}x${Math.floor(performance.now() * 1000).toString(36)}`,
  };
  return env;
}

export function processIdentity(pid: number): ProcessIdentity {
  return { pid, incarnation: `boot:${pid}` };
}

export interface TextFile {
  /** Names that the file uses, and modules it imports; absent for a file without facts. */
  readonly uses?: readonly string[];
  readonly imports?: readonly string[];
  readonly path: string;
  /** Blank lines separate chunks; `def NAME` defines a symbol; words are terms. */
  readonly text: string;
  readonly language?: string;
  readonly problem?: "parse_error" | "parse_timeout";
}

export const EXTRACTOR = "test@1";

export function keyOf(file: TextFile): VersionKey {
  return { path: file.path, contentHash: sha256(file.text) as ContentHash, extractor: EXTRACTOR };
}

export function batchOf(files: readonly TextFile[]): FileBatch {
  const builder = new SegmentBuilder();
  const stored = files.map((file): StoredFile => {
    const record = testRecord(file);
    builder.beginFile();
    builder.text(file.text);
    for (const chunk of chunksOf(file.text)) {
      builder.beginChunk();
      for (const word of wordsOf(chunk)) builder.term(word);
    }
    for (const symbol of record.symbols) builder.symbol(symbol.name, ...idsOf(file, symbol));
    const facts = testFacts(file);
    if (facts) builder.mentions(mentionedNames(facts), importedModules(facts));
    return {
      ...keyOf(file),
      language: record.language,
      symbolCount: record.symbols.length,
      chunkCount: record.chunks.length,
      byteCount: record.byteCount,
      ...(file.problem && { problem: file.problem }),
      record: encodeRecord(record),
      facts: encodeFacts(facts),
      text: encodeText(file.text),
    };
  });
  return { files: stored, segment: builder.finish() };
}

export function testFacts({ uses, imports = [] }: TextFile): Facts | undefined {
  if (uses === undefined) return undefined;
  const names = uses.toSorted();
  const column = <T>(make: (at: number) => T) => names.map((_, at) => make(at));
  const sites = {
    count: names.length,
    names: Uint32Array.from(column((at) => at)),
    kinds: Uint8Array.from(column(() => 1)),
    lines: Uint32Array.from(column((at) => at + 1)),
    columns: Uint32Array.from(column(() => 0)),
    from: Int32Array.from(column(() => -1)),
    bound: Int32Array.from(column(() => -1)),
    receivers: Int32Array.from(column(() => -1)),
  };
  const facts = imports.map((module) => ({ module, name: "*", local: "m", line: 1, column: 0 }));
  return { ...NO_FACTS, names, sites, imports: facts };
}

export function testRecord(file: TextFile): FileRecord {
  const symbols = [...file.text.matchAll(/\bdef (\w+)/g)].map((match): CodeSymbol => {
    const span = { start: match.index, end: match.index + match[0].length, lineStart: 1, lineEnd: 1 };
    return { kind: "fn", name: match[1]!, qualifiedName: `m::${match[1]}`, span, ordinal: 0 };
  });
  return {
    path: file.path,
    contentHash: keyOf(file).contentHash,
    language: file.language ?? "text",
    lineCount: file.text.split("\n").length,
    byteCount: file.text.length,
    symbols,
    chunks: chunksOf(file.text).map((_, at) => ({ lineStart: at + 1, lineEnd: at + 1 })),
    problems: file.problem ? [{ kind: file.problem }] : [],
  };
}

/** `symbol_id` and `symbol_stable_id`. */
export function idsOf(file: TextFile, symbol: Pick<CodeSymbol, "kind" | "name">): [string, string] {
  const language = file.language ?? "text";
  const identity = { language, path: file.path, kind: symbol.kind, qualifiedName: `m::${symbol.name}`, ordinal: 0 };
  return [symbolId(PROJECT, identity, sha256), symbolStableId(identity, sha256)];
}

export function show(file: TextFile): ViewChange {
  return { path: file.path, version: keyOf(file) };
}

export function stamped(file: TextFile, stamp: string): Stamped {
  return { path: file.path, version: keyOf(file), stamp };
}

export function publication(changes: readonly ViewChange[], rest: Partial<Publication> = {}): Publication {
  return { jobId: randomUUID() as string as JobId, changes, uncounted: {}, publishedAt: 1_800_000_000_000, ...rest };
}

export function testJob(id: string, rest: Partial<Job> = {}): Job {
  const progress = { stage: "parsing", filesScanned: 1, filesTotal: 1, filesIndexed: 0, symbolsExtracted: 0 } as const;
  return { id: id as JobId, ref: "main", mode: "full", status: "running", progress, startedAt: 1, ...rest };
}

export async function takeLease(
  store: Store,
  owner: ProcessIdentity = processIdentity(1),
  ttlMs = 30_000,
): Promise<Lease> {
  const answer = await store.lease(owner, ttlMs);
  if ("held" in answer) throw new Error(`the lease is held by ${answer.by.pid}`);
  return answer.lease;
}

/** Takes the lease, builds, publishes and releases the lease. */
export async function publishFiles(
  store: Store,
  files: readonly TextFile[],
  options: {
    ref?: string;
    mode?: "update" | "reset";
    also?: readonly ViewChange[];
    publication?: Partial<Publication>;
    /** The batch, if files are more than their text. */
    batch?: FileBatch;
  } = {},
): Promise<number> {
  const lease = await takeLease(store);
  try {
    const build = await store.begin(lease, options.ref ?? "main", options.mode ?? "update");
    await (options.batch === undefined ? putMissing(build, files) : build.put(options.batch));
    const changes = [...files.map((file) => show(file)), ...(options.also ?? [])];
    return await build.publish(publication(changes, options.publication));
  } finally {
    await lease.release();
  }
}

/** Takes the lease and collects garbage. */
export async function collectGarbage(store: Store): Promise<GcReport> {
  const lease = await takeLease(store);
  try {
    return await store.gc(lease);
  } finally {
    await lease.release();
  }
}

export const removal = (path: string): ViewChange => ({ path, removed: true });

export async function putMissing(build: Build, files: readonly TextFile[]): Promise<void> {
  if (files.length > 0) await build.put(batchOf(files));
}

function chunksOf(text: string): string[] {
  return text.split(/\n\s*\n/).filter((chunk) => chunk.trim() !== "");
}

function wordsOf(text: string): string[] {
  return (text.match(/\w+/g) ?? []).map((word) => word.toLowerCase());
}
