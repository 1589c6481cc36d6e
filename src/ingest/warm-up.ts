/**
 * Runs the steps of a small sync without writing. Without it, the first checkout under a new server took twice as long as
 * the second one: rules had to be compiled, stamps decoded and code loaded.
 */
import type { Hash } from "../model/ids.ts";
import type { Files } from "../ports/files.ts";
import type { WarmUpRequest } from "../ports/indexer.ts";
import type { ReadTask } from "../ports/parsers.ts";
import type { Store } from "../ports/store.ts";
import { findKnownContents } from "./read-touched.ts";

export interface WarmUpPorts {
  readonly store: Pick<Store, "snapshot">;
  readonly files: Files;
  readonly hash: Hash;
}

/** A checkout changes about fifty files; each directory may have its own rules. */
const DIRECTORIES = 64;
/** Enough for V8 to compile the walker. */
const WALKED = 2_000;

/** Returns the number of files that were checked. */
export async function rehearse(request: WarmUpRequest, { store, files, hash }: WarmUpPorts): Promise<number> {
  const snapshot = await store.snapshot(request.ref);
  if (snapshot === undefined) return 0;
  try {
    const paths = onePerDirectory((await snapshot.stamps(request.tree)).keys(), DIRECTORIES);
    const { hidden, ignoreFiles } = request.settings;
    const tasks: ReadTask[] = [];
    for await (const batch of files.walk(request.root, { only: paths, hidden, ignoreFiles }))
      for (const item of batch) if ("file" in item) tasks.push(item.file);
    const { outcomes, rest } = await findKnownContents(request, tasks, { files, hash, build: NOTHING_KNOWN });
    await walkSome(request, files);
    return outcomes.length + rest.length;
  } finally {
    snapshot.release();
  }
}

/** A checkout that changes an ignore file is followed by a full walk. */
async function walkSome({ root, settings: { hidden, ignoreFiles } }: WarmUpRequest, files: Files): Promise<void> {
  let seen = 0;
  for await (const batch of files.walk(root, { hidden, ignoreFiles })) {
    seen += batch.length;
    if (seen >= WALKED) return;
  }
}

const NOTHING_KNOWN = { known: async () => new Set<string>() };

/** The first path of each directory, for at most `most` directories. */
export function onePerDirectory(paths: Iterable<string>, most: number): string[] {
  const first = new Map<string, string>();
  for (const path of paths) {
    const directory = path.slice(0, path.lastIndexOf("/") + 1);
    if (!first.has(directory)) first.set(directory, path);
    if (first.size === most) break;
  }
  return [...first.values()];
}
