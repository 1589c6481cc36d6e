/**
 * A tree of a server whose callers only read: what changed on disk is told and not indexed, and what was never indexed is
 * said to be missing. Whoever asks can make nothing be written.
 */
import { CompassError } from "../../model/errors.ts";
import type { StartOptions } from "../jobs/index-request.ts";
import { Tree } from "./tree.ts";

export class ReadOnlyTree extends Tree {
  override readonly readsOnly = true;

  override async start({ ref }: StartOptions): Promise<never> {
    const reason = "this server only reads, and nobody has published it";
    const suggestion = "Ask for a ref that list_refs shows, or publish it with `codecompass index` where it is cloned.";
    if (ref !== undefined) throw new CompassError("ref_not_indexed", { ref, reason, suggestion });
    throw new CompassError("index_not_ready", { workspace: this.row.root, reason, suggestion });
  }

  override async syncSoon(): Promise<void> {}
}
