/** The `Objects` port by git: one `cat-file` process per repository, started when needed, gone when idle. */
import type { Choosing } from "../../ports/files.ts";
import type { CommitPlace, Objects } from "../../ports/objects.ts";
import { CatFile } from "./cat-file.ts";
import { gitProcess } from "./command.ts";
import { isObjectId } from "./head.ts";
import { locate } from "./locate.ts";
import { missingIn } from "./promised.ts";
import { MissingTree, missingTree, Trees } from "./trees.ts";
import { walkCommit } from "./walk.ts";

interface Opened {
  /** Where the workspace lies below the repository's top; empty or ending in `/`. */
  readonly prefix: string;
  readonly objects: CatFile;
  readonly trees: Trees;
}

export function gitObjects(choosing: Choosing): Objects {
  const opened = new Map<string, Opened>();
  const at = (root: string): Opened => {
    const known = opened.get(root);
    if (known !== undefined) return known;
    const top = locate(root)?.root ?? root;
    const objects = new CatFile(root);
    const prefix = root === top ? "" : `${root.slice(top.length).replace(/^\/+/, "")}/`;
    const now = { prefix, objects, trees: new Trees(objects, choosing.nameOf) };
    opened.set(root, now);
    return now;
  };
  return {
    walk: (place, options = {}) => {
      const { prefix, objects, trees } = at(place.root);
      return readable(place, () => walkCommit({ ...place, prefix, objects, trees, choosing }, options));
    },
    changed: async (root, from, to) => {
      const { prefix, trees } = at(root);
      try {
        const [before, after] = await Promise.all([trees.at(from, prefix), trees.at(to, prefix)]);
        return (await trees.changed(before, after)).sort();
      } catch (error) {
        if (error instanceof MissingTree) return undefined;
        throw error;
      }
    },
    sizes: async (place, blobs) => {
      const missing = blobs.length === 0 ? new Set<string>() : await missingIn(place);
      return sizesOf(place.root, blobs, missing);
    },
    read: async (root, blob, maxBytes) => {
      const object = await at(root).objects.get(blob, maxBytes);
      if ("tooLarge" in object) return { ok: false, reason: "too_large" };
      if (!("bytes" in object) || object.type !== "blob") return { ok: false, reason: "unreadable" };
      return { ok: true, bytes: object.bytes, stamp: blob };
    },
    close: async () => {
      for (const { objects } of opened.values()) objects.close();
      opened.clear();
    },
  };
}

/** A commit or a directory of it that is not there makes the whole ref unreadable: half a tree would be a lie. */
async function readable<T>({ commit, name }: CommitPlace, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof MissingTree)) throw error;
    throw missingTree(name ?? commit, error);
  }
}

/** By `cat-file --batch-check`, which reads headers only. */
function sizesOf(root: string, blobs: readonly string[], missing: ReadonlySet<string>): Promise<Map<string, number>> {
  const asked = [...new Set(blobs)].filter((id) => isObjectId(id) && !missing.has(id));
  if (asked.length === 0) return Promise.resolve(new Map());
  const git = gitProcess(root, ["cat-file", "--batch-check"]);
  const parts: Buffer[] = [];
  return new Promise((resolve) => {
    git.stdout.on("data", (part: Buffer) => parts.push(part));
    git.stdin.on("error", () => {});
    git.on("error", () => resolve(new Map()));
    git.on("close", () => resolve(sizesIn(Buffer.concat(parts).toString("latin1"))));
    git.stdin.end(asked.map((id) => `${id}\n`).join(""));
  });
}

function sizesIn(text: string): Map<string, number> {
  const lines = text.matchAll(/^([0-9a-f]+) blob (\d+)$/gm);
  return new Map(Array.from(lines, ([, id, size]) => [id!, Number(size)]));
}
