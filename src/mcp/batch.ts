/** Batches of the revisions that had them: members run like any request, their answers leave together. */
import type { Incoming, RpcId } from "./message.ts";

interface PendingBatch {
  readonly waiting: Set<RpcId>;
  readonly replies: object[];
}

export class PendingBatches {
  readonly #byId = new Map<RpcId, PendingBatch>();
  readonly #send: (replies: readonly object[]) => void;

  constructor(send: (replies: readonly object[]) => void) {
    this.#send = send;
  }

  open(members: readonly Incoming[]): void {
    const requests = members.flatMap((one) => (one.kind === "request" ? [one.message.id] : []));
    const refused = members.flatMap((one) => (one.kind === "invalid" ? [one.reply] : []));
    const batch: PendingBatch = { waiting: new Set(requests), replies: refused };
    for (const id of batch.waiting) this.#byId.set(id, batch);
    this.#close(batch);
  }

  /** Whether the reply belongs to a batch and is kept for it. */
  take(id: RpcId, reply: object): boolean {
    const batch = this.#byId.get(id);
    if (batch === undefined) return false;
    batch.replies.push(reply);
    this.drop(id);
    return true;
  }

  drop(id: RpcId): void {
    const batch = this.#byId.get(id);
    if (batch === undefined) return;
    this.#byId.delete(id);
    batch.waiting.delete(id);
    this.#close(batch);
  }

  #close(batch: PendingBatch): void {
    if (batch.waiting.size === 0 && batch.replies.length > 0) this.#send(batch.replies);
  }
}
