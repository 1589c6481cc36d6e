/** Garbage: each publication leaves replaced versions behind, and collecting them reads the whole index. */
import type { Lease } from "../ports/lease.ts";
import type { Store } from "../ports/store.ts";
import type { PipelinePorts } from "./run.ts";
import { withLease } from "./writer.ts";

/** Many publications share a collection. */
const COLLECT_EVERY = 32;

export function isCollectionDue(generation: number): boolean {
  return generation % COLLECT_EVERY === 0;
}

/** Collects when nobody waits for it: a large index takes some tenths of a second. */
export async function collect(
  ports: Pick<PipelinePorts, "store" | "env" | "failpoint">,
  signal: AbortSignal,
): Promise<void> {
  // Somebody who writes now leaves garbage of his own, and will be asked again.
  await withLease(ports, signal, (lease) => collectWith(lease, ports.store)).catch(() => {});
}

/** What was published stands whatever happens here: garbage that stays is collected the next time. */
export async function collectWith(lease: Lease, store: Store): Promise<void> {
  await store.gc(lease).catch(() => {});
}
