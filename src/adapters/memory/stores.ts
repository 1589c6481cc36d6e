/** Stores in maps, for tests and short-lived servers. Stores of one location share their content, as processes share a database. */
import { plainKernel } from "../../embed/kernel.ts";
import { engineStore } from "../../engine/store.ts";
import { CompassError } from "../../model/errors.ts";
import type { Env } from "../../ports/env.ts";
import type { StoreOpener } from "../../ports/stores.ts";
import { CorruptionError } from "../../segment/bytes.ts";
import { MemoryBackend } from "./backend.ts";

export function memoryStores({ env }: { readonly env: Env }): StoreOpener {
  const backends = new Map<string, MemoryBackend>();
  return {
    open: async (location, { create }) => {
      const backend = backends.get(location) ?? new MemoryBackend(env);
      backends.set(location, backend);
      return engineStore({
        backend,
        env,
        create,
        caps: { engine: "memory", bm25: "native", sharedReaders: false, multiWriter: false },
        kernelOf: plainKernel,
        cacheShare: 1,
        principal: () => "",
        isEmbedded: false,
        refusal: (_, error) =>
          error instanceof CorruptionError
            ? new CompassError("index_incompatible", { reason: error.message }, { cause: error })
            : error,
      });
    },
    shared: undefined,
    remove: async (location) => void backends.delete(location),
  };
}
