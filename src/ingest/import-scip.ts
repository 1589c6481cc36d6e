/**
 * Imports a SCIP index: what a compiler says of the uses in each file whose indexed content is the one that the compiler
 * read. Documents of other contents are counted and left out; nothing is shown before all is stored.
 */
import { COMPILER_VIEW, type CompilerEdges, compilerPath, type ScipImportReport } from "../model/compiler-edges.ts";
import { CompassError } from "../model/errors.ts";
import { isLongTurn, nextTurn } from "../model/event-loop.ts";
import type { ContentHash, Hash, JobId } from "../model/ids.ts";
import type { Build } from "../ports/build.ts";
import type { FileRow, Snapshot, ViewChange } from "../ports/snapshot.ts";
import type { Lease, Store } from "../ports/store.ts";
import type { StoredFile } from "../ports/versions.ts";
import { type DecodedDocument, readScip, ScipError, type ScipMetadata } from "../scip/decode.ts";
import { SegmentBuilder } from "../segment/build.ts";
import { encodeRecord, encodeText } from "../segment/stored-content.ts";
import { definitionsIn, edgesIn, matchDocument, type ScipDefinitions } from "./scip-match.ts";
import { pathMapping } from "./scip-paths.ts";
import { packageName } from "./scip-symbols.ts";

export interface ScipImport {
  readonly store: Store;
  readonly lease: Lease;
  /** The view whose contents the documents are compared with. */
  readonly at: Snapshot;
  /** Directory of the workspace. */
  readonly root: string;
  /** The file from its beginning, each time. */
  readonly open: () => AsyncIterable<Uint8Array>;
  readonly hash: Hash;
  readonly jobId: () => string;
  readonly now: number;
  readonly signal: AbortSignal;
}

const MAX_DOCUMENTS = 1_000_000;
const MAX_DEFINITIONS = 5_000_000;
const NAMED_PATHS = 5;
const BATCH_FILES = 500;
const BATCH_BYTES = 3_000_000;
const READER = "scip-1";

/** Throws `invalid_input` for a file that is no SCIP index. */
export async function importScip(it: ScipImport): Promise<ScipImportReport> {
  try {
    return await new Import(it).run();
  } catch (error) {
    if (!(error instanceof ScipError)) throw error;
    const reason = `the file cannot be imported as a SCIP index: ${error.message}`;
    throw new CompassError("invalid_input", { reason, suggestion: SUGGESTION }, { cause: error });
  }
}

const SUGGESTION = "Make the index again, for example with `scip-typescript index`. The present edges are unchanged.";

class Import {
  readonly #it: ScipImport;
  readonly #left = { missing: 0, changed: 0, paths: [] as string[] };
  readonly #batch: StoredFile[] = [];
  readonly #changes: ViewChange[] = [];
  #bytes = 0;
  #edges = 0;

  constructor(it: ScipImport) {
    this.#it = it;
  }

  async run(): Promise<ScipImportReport> {
    const { store, lease, at } = this.#it;
    const { metadata, paths } = await this.#survey();
    const mapped = pathMapping(metadata.projectRoot, this.#it.root, paths, await this.#rows());
    const { definitions, accepted } = await this.#collectDefinitions(mapped);
    const extractor = (await at.extractor()) ?? "";
    const packages = new Set([...(await ownPackages(at)), ...[...definitions.keys()].map(packageName)]);
    const build = await store.begin(lease, COMPILER_VIEW, "update");
    const head = { tool: metadata.tool, extractor };
    for await (const { document, row } of this.#documents(mapped)) {
      if (!accepted.delete(row.path)) continue;
      const matched = await matchDocument(document, row, at);
      if (matched === undefined) throw new ScipError("it changed while it was read");
      const edges = edgesIn(matched, { definitions, packages });
      this.#edges += edges.uses.length;
      await this.#put(build, row, { ...head, ...edges });
    }
    await this.#flush(build);
    const imported = this.#changes.length;
    this.#changes.push(...(await this.#outdated(build)));
    this.#it.signal.throwIfAborted();
    await build.publish({
      jobId: this.#it.jobId() as JobId,
      changes: this.#changes,
      uncounted: {},
      publishedAt: this.#it.now,
    });
    await this.#showAgain();
    const { missing, changed, paths: leftOut } = this.#left;
    return { tool: metadata.tool, documents: paths.length, imported, edges: this.#edges, missing, changed, leftOut };
  }

  /** Reads the file once to its end, so that a damaged one is refused before anything is written. */
  async #survey(): Promise<{ readonly metadata: ScipMetadata; readonly paths: readonly string[] }> {
    let metadata: ScipMetadata | undefined;
    const paths: string[] = [];
    for await (const part of this.#parts()) {
      if ("metadata" in part) metadata ??= part.metadata;
      else if (paths.push(part.document.path) > MAX_DOCUMENTS)
        throw new ScipError(`it has more than ${MAX_DOCUMENTS} documents`);
    }
    return { metadata: metadata!, paths };
  }

  async *#parts() {
    for await (const part of readScip(this.#it.open())) {
      this.#it.signal.throwIfAborted();
      if (isLongTurn()) await nextTurn();
      yield part;
    }
  }

  async #rows(): Promise<ReadonlyMap<string, FileRow>> {
    return new Map((await this.#it.at.files()).map((row) => [row.path, row]));
  }

  /** The documents of files that the view has. */
  async *#documents(mapped: ReadonlyMap<string, FileRow>) {
    for await (const part of this.#parts()) {
      const row = "document" in part ? mapped.get(part.document.path) : undefined;
      if ("document" in part && row !== undefined) yield { document: part.document, row };
    }
  }

  async #collectDefinitions(
    mapped: ReadonlyMap<string, FileRow>,
  ): Promise<{ readonly definitions: ScipDefinitions; readonly accepted: Set<string> }> {
    const definitions: ScipDefinitions = new Map();
    const accepted = new Set<string>();
    for await (const part of this.#parts()) {
      if ("metadata" in part) continue;
      const row = mapped.get(part.document.path);
      const matched = row && (await matchDocument(part.document, row, this.#it.at));
      if (matched === undefined) this.#leaveOut(part.document, row);
      else if (!accepted.has(matched.row.path)) accepted.add(matched.row.path);
      // Symbols that a document defines are not outside of the repository, whatever became of its content.
      for (const [symbol, defined] of definitionsIn(part.document, matched))
        definitions.set(symbol, [...(definitions.get(symbol) ?? []), ...defined]);
      if (definitions.size > MAX_DEFINITIONS) throw new ScipError(`it has more than ${MAX_DEFINITIONS} definitions`);
    }
    return { definitions, accepted };
  }

  #leaveOut({ path }: DecodedDocument, row: FileRow | undefined): void {
    if (row === undefined) this.#left.missing++;
    else this.#left.changed++;
    if (this.#left.paths.length < NAMED_PATHS) this.#left.paths.push(row?.path ?? path);
  }

  async #put(build: Build, row: FileRow, edges: CompilerEdges): Promise<void> {
    const path = compilerPath(row.path, row.contentHash);
    const text = JSON.stringify(edges);
    const contentHash = this.#it.hash(text) as ContentHash;
    const head = { path, contentHash, language: "json", lineCount: 1, byteCount: text.length };
    const file: StoredFile = {
      path,
      contentHash,
      extractor: READER,
      language: "json",
      symbolCount: 0,
      chunkCount: 0,
      byteCount: text.length,
      record: encodeRecord({ ...head, symbols: [], chunks: [], problems: [] }),
      text: encodeText(text),
      facts: new Uint8Array(0),
    };
    this.#changes.push({ path, version: { path, contentHash, extractor: READER } });
    this.#batch.push(file);
    this.#bytes += text.length;
    if (this.#batch.length >= BATCH_FILES || this.#bytes >= BATCH_BYTES) await this.#flush(build);
  }

  async #flush(build: Build): Promise<void> {
    if (this.#batch.length === 0) return;
    const builder = new SegmentBuilder();
    for (const _ of this.#batch) builder.beginFile();
    await build.put({ files: this.#batch.splice(0), segment: builder.finish() });
    this.#bytes = 0;
  }

  /** Edges of contents that no view shows any more. */
  async #outdated(build: Build): Promise<ViewChange[]> {
    const { store } = this.#it;
    const unused = new Set((await build.entries()).keys());
    for (const { path } of this.#changes) unused.delete(path);
    for (const { ref } of unused.size === 0 ? [] : await store.views()) {
      const shown = await store.snapshot(ref);
      for (const { path, contentHash } of (await shown?.files()) ?? []) unused.delete(compilerPath(path, contentHash));
      shown?.release();
    }
    return [...unused].map((path) => ({ path, removed: true }));
  }

  /** What was answered of the other views is cached by their generations. */
  async #showAgain(): Promise<void> {
    const { store, lease, jobId } = this.#it;
    for (const { ref, commit, publishedAt } of await store.views()) {
      const build = await store.begin(lease, ref, "update");
      await build.publish({
        jobId: jobId() as JobId,
        changes: [],
        ...(commit !== undefined && { commit }),
        publishedAt,
      });
    }
  }
}

/** Names under which other programs know the packages of a view, from their manifests. */
const MANIFEST = /(?:^|\/)(?:package\.json|pyproject\.toml|setup\.cfg|Cargo\.toml|go\.mod|pom\.xml)$/;
const MAX_MANIFESTS = 1_000;
const NAME = /^\s*"?name"?\s*[:=]\s*["']?([^"'\s,]+)|^module\s+(\S+)|<artifactId>([^<]+)<\/artifactId>/gm;

async function ownPackages(at: Snapshot): Promise<ReadonlySet<string>> {
  const manifests = (await at.files()).filter(({ path }) => MANIFEST.test(path));
  const names = new Set<string>();
  for (const file of manifests.slice(0, MAX_MANIFESTS))
    for (const [, one, two, three] of (await at.text(file)).matchAll(NAME)) names.add((one ?? two ?? three)!);
  return names;
}
