/** What a server does for the first question before it is asked. */

import type { Health } from "../compass.ts";
import type { CompassPorts } from "../ports.ts";
import { viewAddress } from "../reading/reader-offload.ts";
import type { Tree } from "./tree.ts";

/** Once in the life of a server, and never a reason to fail. */
export class Prewarm {
  #state: Health["prewarm"];

  constructor(wanted: boolean) {
    this.#state = wanted ? "pending" : "skipped";
  }

  get state(): Health["prewarm"] {
    return this.#state;
  }

  start(work: () => Promise<void>): void {
    if (this.#state !== "pending") return;
    this.#state = "running";
    work().then(
      () => {
        this.#state = "complete";
      },
      () => {
        this.#state = "failed";
      },
    );
  }
}

/** Opens a view's full text once, so that the first question finds it in memory. */
export async function warm(tree: Tree, readers: CompassPorts["readers"]): Promise<void> {
  tree.watch();
  const now = await tree.checkedOut();
  const snapshot = await (await tree.store()).snapshot(now.view);
  if (snapshot === undefined) return;
  try {
    const at = viewAddress(tree, { storeProject: await tree.idsProject(), snapshot, ref: now.ref });
    const there = await readers?.warm(at, snapshot.info.chunkCount);
    if (there !== true) await snapshot.lexical({ terms: [{ term: "the", weight: 1 }], limit: 1 });
  } finally {
    snapshot.release();
  }
}
