/** The port over one repository of a shared database: its two halves, and what ends them. */
import type { Store } from "../../ports/store.ts";
import type { Published } from "./listener.ts";
import { Source } from "./source.ts";
import type { PostgresStoreOptions } from "./store-means.ts";
import { readingHalf } from "./store-reading.ts";
import { writingHalf } from "./store-writing.ts";

export interface PostgresStore extends Store {
  /** Somebody published the view, or may have; what is held of it is brought up to date before anybody asks. */
  heard(published: Published | undefined): Promise<void>;
}

export function postgresStore(options: PostgresStoreOptions): PostgresStore {
  const source = new Source(options.reads, options.repository.key, options);
  const step = async <T>(name: string, run: () => Promise<T>): Promise<T> => {
    options.failpoint(`${name}:before`);
    const result = await run();
    options.failpoint(`${name}:after`);
    return result;
  };
  const notes = new Set<Promise<void>>();
  const noting = (work: Promise<void>): Promise<void> => {
    notes.add(work);
    return work.finally(() => notes.delete(work));
  };
  const means = { ...options, source, step, noting };
  let closed = false;
  return {
    caps: () => ({ engine: "postgres", bm25: "native", sharedReaders: true, multiWriter: true }),
    ...readingHalf(means),
    ...writingHalf(means),
    heard: async (published) => {
      if (closed || !source.holds(published)) return;
      await step("heard", () => source.refresh()).catch(() => {});
    },
    rest: () => source.rest(),
    close: async () => {
      if (closed) return;
      closed = true;
      await Promise.all(notes);
      await options.onClose();
    },
  };
}
