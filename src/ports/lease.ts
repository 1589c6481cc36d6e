/** Who may write: one at a time, across processes. */
import type { ProcessIdentity } from "./env.ts";

/** The right to write, with a token that a later holder makes worthless. */
export interface Lease {
  readonly token: number;
  /** Throws `CompassError("index_in_progress")` when another process took the lease over. */
  renew(): Promise<void>;
  release(): Promise<void>;
}

export type LeaseAnswer = { readonly held: true; readonly by: ProcessIdentity } | { readonly lease: Lease };
