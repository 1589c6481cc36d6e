/** The `GitObjects` port: `cat-file` processes per repository, started when needed and ended when idle. */
import type { FileSelection } from "../../ports/files.ts";
import type { CommitTree, GitObjects } from "../../ports/vcs.ts";
import { CatFile } from "./cat-file.ts";
import { gitOutput } from "./command.ts";
import { isObjectId, locateRepository, readConfig } from "./repository-files.ts";
import { MissingTree, missingTree, Trees } from "./trees.ts";
import { walkCommit } from "./walk.ts";

/** Idle repositories whose processes keep running: the next job may be about one of them. */
const MAX_IDLE = 2;

interface OpenRepository {
  /** Path of the workspace below the top of the repository; empty or ending in `/`. */
  readonly prefix: string;
  readonly objects: CatFile;
  readonly headers: CatFile;
  readonly trees: Trees;
}

export function gitObjects(selection: FileSelection): GitObjects {
  const opened = new Map<string, OpenRepository>();
  /** In the order in which they became idle. */
  const idle = new Set<string>();
  // A job compares the same two commits twice: to choose a base and to list what differs.
  let lastChanged: { readonly key: string; readonly paths: readonly string[] } | undefined;
  const open = (root: string): OpenRepository => {
    idle.delete(root);
    const known = opened.get(root);
    if (known !== undefined) return known;
    const top = locateRepository(root)?.root ?? root;
    const objects = new CatFile(root);
    const prefix = root === top ? "" : `${root.slice(top.length).replace(/^\/+/, "")}/`;
    const repository = {
      prefix,
      objects,
      headers: new CatFile(root, "headers"),
      trees: new Trees(objects, selection.nameOf),
    };
    opened.set(root, repository);
    return repository;
  };
  return {
    walk: async (tree, options = {}) => {
      const { prefix, objects, trees } = open(tree.root);
      try {
        return await walkCommit({ ...tree, prefix, objects, trees, selection }, options);
      } catch (error) {
        // A missing directory makes the whole ref unreadable: a partial tree would be wrong.
        if (!(error instanceof MissingTree)) throw error;
        throw await missingTree(tree.root, tree.name ?? tree.commit, error);
      }
    },
    changed: async (root, from, to) => {
      const key = [root, from, to].join("\n");
      if (lastChanged?.key === key) return lastChanged.paths;
      const { prefix, trees } = open(root);
      try {
        const [before, after] = await Promise.all([trees.at(from, prefix), trees.at(to, prefix)]);
        const paths = (await trees.changed(before, after)).sort();
        lastChanged = { key, paths };
        return paths;
      } catch (error) {
        if (error instanceof MissingTree) return undefined;
        throw error;
      }
    },
    sizes: async (tree, blobs) => {
      const missing = blobs.length === 0 ? new Set<string>() : await findMissingBlobs(tree);
      const ids = [...new Set(blobs)].filter((id) => isObjectId(id) && !missing.has(id));
      return readSizes(open(tree.root).headers, ids);
    },
    read: async (root, blob, maxBytes) => {
      const object = await open(root).objects.get(blob, maxBytes);
      if ("tooLarge" in object) return { ok: false, reason: "too_large" };
      if (!("bytes" in object) || object.type !== "blob") return { ok: false, reason: "unreadable" };
      return { ok: true, bytes: object.bytes, stamp: blob };
    },
    releaseIdle: (root) => {
      idle.delete(root);
      if (opened.has(root)) idle.add(root);
      for (const oldest of idle) {
        if (idle.size <= MAX_IDLE) return;
        idle.delete(oldest);
        opened.get(oldest)!.objects.stopIfIdle();
        opened.get(oldest)!.headers.stopIfIdle();
        opened.delete(oldest);
      }
    },
    close: async () => {
      for (const { objects, headers } of opened.values()) {
        objects.close();
        headers.close();
      }
      opened.clear();
      idle.clear();
    },
  };
}

/** Bounds the queue of `CatFile`, which is shifted once per answer. */
const HEADERS_PER_WRITE = 1_000;

async function readSizes(headers: CatFile, ids: readonly string[]): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  for (let from = 0; from < ids.length; from += HEADERS_PER_WRITE) {
    for (const object of await headers.getAll(ids.slice(from, from + HEADERS_PER_WRITE)))
      if ("size" in object && object.type === "blob") sizes.set(object.id, object.size);
  }
  return sizes;
}

/**
 * Blobs that a partial clone does not have. Requesting one makes git before 2.45 start a fetch per blob, which is slow
 * and fails, because fetching is disabled (see `command.ts`).
 */
async function findMissingBlobs({ root, commit }: CommitTree): Promise<ReadonlySet<string>> {
  const repository = locateRepository(root);
  const config = repository === undefined ? "" : readConfig(repository.commonDir);
  if (!/^[ \t]*(?:partialclone|promisor|partialclonefilter)[ \t]*=/im.test(config)) return new Set();
  const options = ["--objects", "--no-object-names", "--missing=print", "--no-walk", "--end-of-options"];
  const listed = (await gitOutput(root, ["rev-list", ...options, commit]))?.toString("latin1") ?? "";
  return new Set(Array.from(listed.matchAll(/^\?([0-9a-f]+)$/gm), ([, id]) => id!));
}
