/** Opens several workspaces for one question, until all have answered or time is up, and lets them go. */
import type { Compass, MultiRepoReading, ReadOptions } from "../compass.ts";
import type { CompassPorts } from "../ports.ts";
import { FanOut } from "./fan-out.ts";
import { wideReading } from "./reading.ts";
import { timeLimit, WIDE_DEADLINE_MS } from "./time-limit.ts";
import type { Selection } from "./workspace-selection.ts";

/** For what has to be said of an answer when its time is up. */
const GRACE_MS = 500;

interface Asked {
  readonly selection: Selection;
  readonly options: ReadOptions;
  readonly read: Compass["read"];
  readonly deadlineMs: number | undefined;
}

export async function readMany<T>(
  { selection, options, read, deadlineMs }: Asked,
  { env, scanner, stores }: CompassPorts,
  use: (reading: MultiRepoReading) => Promise<T>,
): Promise<T> {
  const stop = timeLimit(env, deadlineMs ?? WIDE_DEADLINE_MS, options.signal);
  const grace = () => timeLimit(env, GRACE_MS, options.signal);
  const fan = new FanOut({ selected: selection.count, read, options, stop });
  const { catalog } = stores;
  try {
    return await use(wideReading({ selection, fan, catalog, scanner, ref: options.ref, stop, grace }));
  } finally {
    fan.release();
  }
}
