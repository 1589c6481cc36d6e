/** A public project in the index, and a sample of its symbols with the locations of their names. */
import { createReadStream } from "node:fs";
import { diskFiles } from "../../src/adapters/disk/files.ts";
import { systemEnv } from "../../src/adapters/env/system.ts";
import { createHash } from "../../src/adapters/hash/hashes.ts";
import { sqliteStores } from "../../src/adapters/sqlite/stores.ts";
import { TreeSitterGrammars } from "../../src/adapters/treesitter/grammars.ts";
import { grammarSources } from "../../src/adapters/treesitter/locate.ts";
import { ParserPool } from "../../src/compose/parsers.ts";
import { extract } from "../../src/ingest/extract.ts";
import { importScip } from "../../src/ingest/import-scip.ts";
import { index } from "../../src/ingest/pipeline.ts";
import { parse } from "../../src/ingest/read-file.ts";
import { withLease } from "../../src/ingest/run.ts";
import { languageById, READABLE } from "../../src/languages/index.ts";
import type { SymbolLocation } from "../../src/model/edges.ts";
import type { JobId, ProjectId } from "../../src/model/ids.ts";
import type { FileRow, Snapshot } from "../../src/ports/snapshot.ts";
import { PLAIN_SETTINGS } from "../../test/kit/settings.ts";

export interface Sampled extends SymbolLocation {
  readonly name: string;
  readonly kind: string;
  /** Of the name, in UTF-16 units. */
  readonly offset: number;
}

/** `scip`: a compiler's index that is imported, too. */
export async function indexProject(root: string, location: string, scip?: string): Promise<Snapshot> {
  const env = systemEnv();
  const project = (await createHash())(root).slice(0, 16) as ProjectId;
  const store = await sqliteStores({ env, hash: await createHash() }).open(location, { create: true, project });
  const parsers = new ParserPool();
  const request = {
    project,
    root,
    storeLocation: location,
    ref: "live",
    mode: "full",
    force: false,
    settings: { ...PLAIN_SETTINGS, workers: 2 },
  } as const;
  const jobId = `job${Date.now()}` as JobId;
  await index(
    { ...request, jobId },
    { store, files: diskFiles(), parsers, env },
    () => {},
    new AbortController().signal,
  );
  await parsers.close();
  const at = (await store.snapshot("live"))!;
  if (scip === undefined) return at;
  const { signal } = new AbortController();
  const file = { root, open: () => createReadStream(scip), jobId: () => env.uniqueWord(), now: env.now(), signal };
  const hash = await createHash();
  console.error(await withLease({ store, env }, signal, (lease) => importScip({ ...file, store, lease, at, hash })));
  return (await store.snapshot("live"))!;
}

export interface Draw {
  readonly languages: ReadonlySet<string>;
  readonly count: number;
  /** Only symbols of these files. */
  readonly paths: ReadonlySet<string>;
}

/** Symbols drawn by a fixed random sequence, so that every run uses the same ones. */
export async function sample(at: Snapshot, { languages, count, paths }: Draw): Promise<Sampled[]> {
  const all: Sampled[] = [];
  for (const file of await at.files()) {
    if (!languages.has(file.language) || !paths.has(file.path)) continue;
    const { symbols } = await at.record(file);
    const offsets = await places(file, await at.text(file));
    for (const [i, { name, kind }] of symbols.entries()) {
      if (kind === "use" || !/^[A-Za-z_$#][\w$]*[?!']*$/.test(name)) continue;
      const offset = offsets[i];
      if (offset !== undefined) all.push({ path: file.path, index: i, name, kind, offset });
    }
  }
  const random = randomSequence(42);
  return shuffled(all, random).slice(0, count);
}

const grammars = new TreeSitterGrammars(grammarSources(READABLE));

/** Locations of the names of a file's symbols, parsed again: the index does not store them. */
export async function places(file: FileRow, text: string): Promise<number[]> {
  const language = languageById(file.language)!;
  const offsets: number[] = [];
  extract(language, file.path, text, await parse(language, text, grammars, PARSE_BUDGET_MS, "definitions"), offsets);
  return offsets;
}

const PARSE_BUDGET_MS = 10_000;

export function randomSequence(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

export function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const list = [...items];
  for (let i = list.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [list[i], list[j]] = [list[j]!, list[i]!];
  }
  return list;
}
