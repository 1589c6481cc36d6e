/** Opens a tree's view for one question: pins it, judges its freshness, answers here or in a reader thread, releases it. */
import { GrepMemo } from "../../grep/grep.ts";
import type { Snapshot } from "../../ports/snapshot.ts";
import type { Project, Reading, ReadOptions } from "../compass.ts";
import { pin } from "../freshness/view-status.ts";
import type { CompassOptions, CompassPorts } from "../ports.ts";
import type { Tree } from "../projects/tree.ts";
import type { ResolvedRef } from "../refs/resolve-ref.ts";
import { AnswerCache, offloadReading, viewAddress } from "./reader-offload.ts";
import { createReading } from "./reading.ts";
import { commitFiles, type FileSource, skippedFiles, workTreeFiles } from "./skipped-files.ts";

export type ReadTree = <T>(
  tree: Tree,
  project: Project,
  options: ReadOptions,
  use: (reading: Reading) => Promise<T>,
) => Promise<T>;

/** Caches shared by all trees: answers of reader threads and counts of greps. */
export function createTreeReader(ports: CompassPorts, { bootstrapWaitMs, indexing }: CompassOptions): ReadTree {
  const { readers, scanner, files, objects, hash, embedders } = ports;
  const filesAt = commitFiles(objects);
  const answers = readers && new AnswerCache(readers);
  const memo = new GrepMemo();
  const meaning = embedders === undefined ? {} : { embedders };
  return async (tree, project, options, use) => {
    // S3: a question about a tree that was just discovered is answered at once: it is being indexed.
    const waitMs = tree.row.autoDiscovered ? 0 : bootstrapWaitMs;
    const { snapshot, status, target } = await pin(tree, { ...options, bootstrapWaitMs: waitMs }, ports);
    try {
      // A hint for pruning: no answer waits for it.
      if (snapshot !== undefined) void (await tree.store()).used(target.view);
      const signal = options.signal === undefined ? {} : { signal: options.signal };
      const storeProject = await tree.idsProject();
      const layer = layerOfView(tree, project, target, snapshot);
      const source = (): FileSource | undefined => {
        if (target.from === "directory") return workTreeFiles(project.root, files);
        const commit = target.from === "commit" ? snapshot?.info.commit : undefined;
        return commit === undefined ? undefined : filesAt({ root: project.root, commit, name: target.ref });
      };
      const grep = snapshot && { grep: { scanner, skipped: skippedFiles(snapshot, source(), indexing), memo } };
      const here = createReading({
        project,
        storeProject,
        status,
        snapshot,
        layer,
        hash,
        ...grep,
        ...meaning,
        ...signal,
      });
      return await use(
        offloadReading(here, { readers, answers, tree, storeProject, snapshot, signal: options.signal }),
      );
    } finally {
      snapshot?.release();
      // After the answer: the native watcher takes a moment to start, on this thread.
      setImmediate(() => tree.watch());
    }
  };
}

function layerOfView(
  tree: Tree,
  project: Project,
  target: ResolvedRef,
  snapshot: Snapshot | undefined,
): Reading["layer"] {
  if (!project.vcs || project.published) return async () => undefined;
  return tree.layers.at(target, snapshot);
}

/** No chunk is as near as this: the vectors are compared, and nothing is shown. */
const NOTHING_NEAR = { query: "open a file", threshold: 1, offset: 0, limit: 1, context: 0 };

/** Opens the full text of the checked-out view, or its vectors, so that the first question finds them in memory. */
export async function warmTree(
  tree: Tree,
  readers: CompassPorts["readers"],
  part: "text" | "vectors" = "text",
): Promise<void> {
  tree.watch();
  const { view, ref } = await tree.checkedOut();
  await tree.withSnapshot(view, async (snapshot) => {
    const at = viewAddress(tree, { storeProject: await tree.idsProject(), snapshot, ref });
    const { chunkCount } = snapshot.info;
    if (tree.row.published && readers?.takes(chunkCount)) {
      // By one thread: a query over many goes to the thread that has read the store before.
      if (part === "text") await readers.read(at, "search", [{ query: "open a file", limit: 1 }]);
      else await readers.read(at, "semantic", [NOTHING_NEAR]);
      return;
    }
    if (part === "vectors") return;
    const isOpen = await readers?.warm(at, chunkCount);
    if (isOpen !== true) await snapshot.lexical({ terms: [{ term: "the", weight: 1 }], limit: 1 });
  });
}
