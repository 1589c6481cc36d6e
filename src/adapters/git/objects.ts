/** The `Objects` port by git: `cat-file` processes of each repository, started when needed, gone when idle. */
import type { FileSelection } from "../../ports/files.ts";
import type { CommitTree, GitObjects } from "../../ports/vcs.ts";
import { CatFile } from "./cat-file.ts";
import { gitOutput } from "./command.ts";
import { isObjectId, locateRepository, readConfig } from "./repository-files.ts";
import { MissingTree, missingTree, Trees } from "./trees.ts";
import { walkCommit } from "./walk.ts";

/** Repositories that nobody works on whose processes stay for a moment: the next job may be about one of them. */
const MOST_RESTING = 2;

interface OpenRepository {
  /** Where the workspace lies below the repository's top; empty or ending in `/`. */
  readonly prefix: string;
  readonly objects: CatFile;
  /** Asked where `objects` tells contents only. */
  readonly headers: CatFile;
  readonly trees: Trees;
}

export function gitObjects(choosing: FileSelection): GitObjects {
  const opened = new Map<string, OpenRepository>();
  /** Who rests longest comes first. */
  const resting = new Set<string>();
  // Whether a base is like the commit is asked just before what differs, and commits never change.
  let lastChanged: { readonly key: string; readonly paths: readonly string[] } | undefined;
  // To start a process takes a large one 10 ms, and every page that it writes to a moment longer: one for both, if git can.
  let either = true;
  const at = (root: string): OpenRepository => {
    resting.delete(root);
    const known = opened.get(root);
    if (known !== undefined) return known;
    const top = locateRepository(root)?.root ?? root;
    const objects = new CatFile(root, either ? "either" : "contents");
    const prefix = root === top ? "" : `${root.slice(top.length).replace(/^\/+/, "")}/`;
    const headers = new CatFile(root, "headers");
    const now = { prefix, objects, headers, trees: new Trees(objects, choosing.nameOf) };
    opened.set(root, now);
    return now;
  };
  return {
    walk: (place, options = {}) => {
      const { prefix, objects, trees } = at(place.root);
      return readable(place, () => walkCommit({ ...place, prefix, objects, trees, choosing }, options));
    },
    changed: async (root, from, to) => {
      const key = [root, from, to].join("\n");
      if (lastChanged?.key === key) return lastChanged.paths;
      const { prefix, trees } = at(root);
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
    sizes: async (place, blobs) => {
      const missing = blobs.length === 0 ? new Set<string>() : await missingIn(place);
      const { objects, headers } = at(place.root);
      either &&= objects.tellsHeaders;
      return readSizes(either ? objects : headers, blobs, missing);
    },
    read: async (root, blob, maxBytes) => {
      const object = await at(root).objects.get(blob, maxBytes);
      if ("tooLarge" in object) return { ok: false, reason: "too_large" };
      if (!("bytes" in object) || object.type !== "blob") return { ok: false, reason: "unreadable" };
      return { ok: true, bytes: object.bytes, stamp: blob };
    },
    releaseIdle: (root) => {
      resting.delete(root);
      if (opened.has(root)) resting.add(root);
      for (const longest of resting) {
        if (resting.size <= MOST_RESTING) return;
        resting.delete(longest);
        opened.get(longest)!.objects.leave();
        opened.get(longest)!.headers.leave();
        opened.delete(longest);
      }
    },
    close: async () => {
      for (const { objects, headers } of opened.values()) {
        objects.close();
        headers.close();
      }
      opened.clear();
      resting.clear();
    },
  };
}

/** A commit or a directory of it that is not there makes the whole ref unreadable: half a tree would be a lie. */
async function readable<T>({ root, commit, name }: CommitTree, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof MissingTree)) throw error;
    throw await missingTree(root, name ?? commit, error);
  }
}

/** A list that long is taken from at the front without being moved. */
const AT_ONCE = 1_000;

async function readSizes(
  git: CatFile,
  blobs: readonly string[],
  missing: ReadonlySet<string>,
): Promise<Map<string, number>> {
  const asked = [...new Set(blobs)].filter((id) => isObjectId(id) && !missing.has(id));
  const sizes = new Map<string, number>();
  for (let from = 0; from < asked.length; from += AT_ONCE) {
    for (const object of await git.headers(asked.slice(from, from + AT_ONCE)))
      if ("size" in object && object.type === "blob") sizes.set(object.id, object.size);
  }
  return sizes;
}

async function missingIn({ root, commit }: CommitTree): Promise<ReadonlySet<string>> {
  if (!isPartial(root)) return new Set();
  const args = [
    "rev-list",
    "--objects",
    "--no-object-names",
    "--missing=print",
    "--no-walk",
    "--end-of-options",
    commit,
  ];
  const listed = (await gitOutput(root, args))?.toString("latin1") ?? "";
  return new Set(Array.from(listed.matchAll(/^\?([0-9a-f]+)$/gm), ([, id]) => id!));
}

function isPartial(root: string): boolean {
  const repository = locateRepository(root);
  const config = repository === undefined ? "" : readConfig(repository.commonDir);
  return /^[ \t]*(?:partialclone|promisor|partialclonefilter)[ \t]*=/im.test(config);
}
