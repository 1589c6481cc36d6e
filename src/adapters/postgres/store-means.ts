/** What a store of one repository is made from, and what its halves share. */
import type { Env, Failpoint } from "../../ports/env.ts";
import type { Clock } from "./clock.ts";
import type { Db } from "./db.ts";
import type { NewRepository } from "./repository.ts";
import type { ReadMeans, Source } from "./source.ts";

export interface PostgresStoreOptions extends ReadMeans {
  readonly db: Db;
  /** Where it is read from: the same, or a replica of it. */
  readonly reads: Db;
  readonly repository: NewRepository;
  readonly create: boolean;
  readonly env: Env;
  readonly clock: Clock;
  readonly failpoint: Failpoint;
  readonly onClose: () => Promise<void>;
}

/** What both halves are given. */
export interface StoreMeans extends PostgresStoreOptions {
  readonly source: Source;
  /** What the store's end waits for, for a moment at most, and nobody else does. */
  readonly noting: (work: Promise<void>) => Promise<void>;
  /** Runs a named I/O step between its failpoints. */
  readonly step: <T>(name: string, run: () => Promise<T>) => Promise<T>;
}
