/** Every method of a reading, with where and how it is answered. A method without a row here does not compile. */
import type { Reading, SearchStages } from "../compass.ts";

export type ReadApi = Omit<Reading & SearchStages, "project" | "status" | "generation">;
export type ReadMethod = keyof ReadApi;

export interface ReadPolicy {
  /** `reader`: a reader thread answers. `caller`: the calling thread does, because asking another one takes longer. */
  readonly runsIn: "reader" | "caller";
  /** It waits in the queue of what reader threads answer. */
  readonly queued?: true;
  /** The answer depends on the stored view alone: it is cached until the next publication. */
  readonly cached?: true;
  /** The answer crosses as one JSON string: cloning hundreds of small values one by one takes longer. */
  readonly asJson?: true;
}

export const READ_POLICIES: Readonly<Record<ReadMethod, ReadPolicy>> = {
  search: { runsIn: "reader", cached: true, asJson: true },
  find: { runsIn: "reader", cached: true, asJson: true },
  show: { runsIn: "caller" },
  semantic: { runsIn: "reader" },
  hybrid: { runsIn: "reader" },
  // A definition in a million lines takes 1 ms here, and twice that with a reader thread.
  locate: { runsIn: "caller", queued: true },
  outline: { runsIn: "caller", queued: true },
  body: { runsIn: "caller" },
  source: { runsIn: "caller" },
  findPaths: { runsIn: "caller" },
  // Patterns have threads of their own.
  grep: { runsIn: "caller" },
  searchedFiles: { runsIn: "caller" },
  // It is about the work tree, not about the stored view.
  layer: { runsIn: "caller" },
  explain: { runsIn: "reader", cached: true },
  whyNot: { runsIn: "reader" },
  related: { runsIn: "reader" },
  references: { runsIn: "reader", cached: true },
  affectedCode: { runsIn: "reader" },
  hierarchy: { runsIn: "reader" },
  neighbours: { runsIn: "reader" },
  definitions: { runsIn: "reader" },
  callGraph: { runsIn: "reader" },
  impact: { runsIn: "reader" },
  unused: { runsIn: "reader", cached: true },
  // One process asks once for everything.
  scip: { runsIn: "caller" },
};

export const READ_METHODS = Object.keys(READ_POLICIES) as readonly ReadMethod[];
