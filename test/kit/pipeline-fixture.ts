/** The write path over a tree on disk and an empty store in memory, with helpers for tests. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll } from "vitest";
import { diskFiles } from "../../src/adapters/disk/files.ts";
import { systemEnv } from "../../src/adapters/env/system.ts";
import { createHash } from "../../src/adapters/hash/hashes.ts";
import { index } from "../../src/ingest/pipeline.ts";
import type { PipelinePorts } from "../../src/ingest/run.ts";
import type { JobId, ProjectId } from "../../src/model/ids.ts";
import type { JobProgress } from "../../src/model/jobs.ts";
import type { Files } from "../../src/ports/files.ts";
import type { IndexRequest } from "../../src/ports/indexer.ts";
import type { Parsers } from "../../src/ports/parsers.ts";
import { inlineParsers } from "./inline-parsers.ts";
import { memoryStores } from "./memory/stores.ts";
import { PLAIN_SETTINGS } from "./settings.ts";

const env = systemEnv();
const hash = await createHash();
const made: string[] = [];
afterAll(() => {
  for (const path of made) rmSync(path, { recursive: true, force: true });
});

type Tree = Record<string, string | Uint8Array>;

export function write(root: string, contents: Tree): void {
  for (const [path, text] of Object.entries(contents)) {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

export async function pipelineFixture(contents: Tree, files: Files = diskFiles()) {
  const root = mkdtempSync(join(tmpdir(), "pipeline-"));
  made.push(root);
  write(root, contents);
  const store = await memoryStores({ env }).open("here", { create: true, project: "p" as ProjectId });
  const parsers = await inlineParsers(files);
  const parsed: string[] = [];
  const noting: Parsers = {
    ...parsers,
    capacity: (asked) => parsers.capacity(asked),
    read: (asked) => {
      parsed.push(...asked.tasks.map(({ path }) => path));
      return parsers.read(asked);
    },
    close: () => parsers.close(),
  };
  const ports: PipelinePorts = { store, files, parsers: noting, hash, env };
  const run = (
    more: Partial<IndexRequest> = {},
    tell: (progress: JobProgress) => void = () => {},
    signal = new AbortController().signal,
    by: PipelinePorts = ports,
  ) => {
    const request = {
      jobId: env.uniqueWord() as JobId,
      project: "p" as ProjectId,
      root,
      storeLocation: "here",
      ref: "live",
      mode: "full",
      force: false,
      settings: PLAIN_SETTINGS,
      ...more,
    } as const;
    return index(request, by, tell, signal);
  };
  const shown = async () => (await (await store.snapshot("live"))!.files()).map((file) => file.path);
  const skipped = async (path: string) => (await store.snapshot("live"))!.skipped(path);
  return { root, store, ports, run, shown, skipped, parsed };
}
