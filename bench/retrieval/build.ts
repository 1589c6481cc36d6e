/** Indexes a tree with the product's own walker, readers and segments, and caches the result between runs. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deserialize, serialize } from "node:v8";
import { diskFiles } from "../../src/adapters/disk/files.ts";
import type { ProjectId } from "../../src/model/ids.ts";
import type { ReadTask } from "../../src/ports/parsers.ts";
import type { FileBatch } from "../../src/ports/versions.ts";
import { inlineParsers } from "../../test/kit/inline-parsers.ts";
import { PLAIN_SETTINGS } from "../../test/kit/settings.ts";

export const PROJECT = "0000000000000000" as ProjectId;

const BATCH_FILES = 500;

/** Directory of indexes built by these sources. */
export function keptFolder(): string {
  return join(tmpdir(), "codecompass-bench-retrieval", sourcesDigest());
}

/** The tree's batches: cached in the folder, or read again. */
export async function batchesOf(name: string, root: string, folder: string): Promise<FileBatch[]> {
  const kept = join(folder, `${name}.bin`);
  if (existsSync(kept)) return deserialize(readFileSync(kept)) as FileBatch[];
  const batches = await read(root);
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${kept}.part`, serialize(batches));
  renameSync(`${kept}.part`, kept);
  return batches;
}

/** The sources that decide what is indexed. Ranking is not among them, so tuning reuses cached indexes. */
const DECISIVE = [
  "ingest",
  "languages",
  "text",
  "segment",
  "embed",
  "adapters/disk",
  "adapters/embedders",
  "adapters/treesitter",
];

function sourcesDigest(): string {
  const src = new URL("../../src/", import.meta.url).pathname;
  const digest = createHash("sha256");
  for (const folder of DECISIVE) {
    for (const name of readdirSync(join(src, folder), { recursive: true, encoding: "utf8" }).sort()) {
      if (/\.(?:ts|scm)$/.test(name) && !name.endsWith(".test.ts"))
        digest.update(readFileSync(join(src, folder, name)));
    }
  }
  return digest.digest("hex").slice(0, 12);
}

async function read(root: string): Promise<FileBatch[]> {
  const parsers = await inlineParsers();
  const tasks = await tasksOf(root);
  const batches: FileBatch[] = [];
  const { signal } = new AbortController();
  for (let at = 0; at < tasks.length; at += BATCH_FILES) {
    const some = tasks.slice(at, at + BATCH_FILES);
    const known = async () => new Set<string>();
    const results = await parsers.read({
      root,
      project: PROJECT,
      settings: PLAIN_SETTINGS,
      tasks: some,
      known,
      signal,
    });
    batches.push(...results.batches);
  }
  return batches;
}

async function tasksOf(root: string): Promise<ReadTask[]> {
  const tasks: ReadTask[] = [];
  for await (const items of diskFiles().walk(root, {
    hidden: PLAIN_SETTINGS.hidden,
    ignoreFiles: PLAIN_SETTINGS.ignoreFiles,
  })) {
    for (const item of items) if ("file" in item) tasks.push({ path: item.file.path, size: item.file.size });
  }
  return tasks;
}
