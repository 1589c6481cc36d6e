/** Indexes a tree given as text through the real write path into the memory store, and returns a snapshot. */
import { systemEnv } from "../../src/adapters/env/system.ts";
import { createHash } from "../../src/adapters/hash/hashes.ts";
import { index } from "../../src/ingest/pipeline.ts";
import type { IdSource, JobId, ProjectId } from "../../src/model/ids.ts";
import type { Files } from "../../src/ports/files.ts";
import type { Snapshot } from "../../src/ports/snapshot.ts";
import type { Store } from "../../src/ports/store.ts";
import { inlineParsers } from "./inline-parsers.ts";
import { memoryStores } from "./memory/stores.ts";
import { PLAIN_SETTINGS } from "./settings.ts";

const PROJECT = "0123456789abcdef" as ProjectId;

export interface IndexedTree {
  readonly store: Store;
  readonly at: Snapshot;
  readonly ids: IdSource;
}

export async function indexTree(tree: Readonly<Record<string, string>>): Promise<IndexedTree> {
  const env = systemEnv();
  const files = filesOf(tree);
  const store = await memoryStores({ env }).open("memory", { create: true, project: PROJECT });
  const request = {
    jobId: "job" as JobId,
    project: PROJECT,
    root: "/",
    storeLocation: "memory",
    ref: "live",
    mode: "full",
    force: false,
    settings: PLAIN_SETTINGS,
  } as const;
  const ports = { store, files, parsers: await inlineParsers(files), env };
  await index(request, ports, () => {}, new AbortController().signal);
  return { store, at: (await store.snapshot("live"))!, ids: { project: PROJECT, hash: await createHash() } };
}

function filesOf(tree: Readonly<Record<string, string>>): Files {
  const encoder = new TextEncoder();
  const paths = Object.keys(tree).sort();
  return {
    async *walk() {
      yield paths.map((path) => ({ file: { path, size: tree[path]!.length, stamp: path } }));
    },
    survey: async (_, __, see) => {
      for (const path of paths) see(path, path);
    },
    read: async (_, path) => ({ ok: true, bytes: encoder.encode(tree[path]), stamp: path }),
    stamp: async (_, path) => path,
    realPath: async (path) => path,
    realDirectory: async (path) => path,
  };
}
