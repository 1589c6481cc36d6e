/** Opens the index of a repository in a directory of its own; see `directory.ts` and `schema.ts` for what lies there. */
import { rm } from "node:fs/promises";
import { createKernel, type Kernel } from "../../embed/kernel.ts";
import { engineStore } from "../../engine/store.ts";
import type { Hash } from "../../model/ids.ts";
import type { Env, Failpoint } from "../../ports/env.ts";
import type { StoreOpener } from "../../ports/store.ts";
import { SqliteBackend } from "./backend.ts";
import { refusal } from "./failures.ts";

export interface SqliteOptions {
  readonly env: Env;
  readonly hash: Hash;
  /** Called before and after each I/O step: `put:before`, `put:after`, … */
  readonly failpoint?: Failpoint;
  /** Compiles what compares vectors. */
  readonly kernelOf?: () => Kernel;
  /** Less than 1 where several threads read the same stores. */
  readonly cacheShare?: number;
}

export function sqliteStores({
  env,
  failpoint = () => {},
  kernelOf = () => createKernel(),
  cacheShare = 1,
}: SqliteOptions): StoreOpener {
  return {
    open: async (location, { create }) =>
      engineStore({
        backend: new SqliteBackend({ location, env, failpoint }),
        caps: { engine: "segments", bm25: "native", sharedReaders: true, multiWriter: false },
        env,
        create,
        kernelOf,
        cacheShare,
        principal: () => "",
        isEmbedded: true,
        refusal: (doing, error) => refusal(doing, error, location),
      }),
    shared: undefined,
    close: async () => {},
    remove: (location) => rm(location, { recursive: true, force: true, maxRetries: 3 }),
  };
}
