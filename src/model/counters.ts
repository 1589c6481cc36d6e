/** Counts of a process for its metrics, in memory that all of its threads share. */

/** `…InUse` go up and down; the others only grow, and begin again with 0 after 2³² as Prometheus expects of a counter. */
const NAMES = [
  "cacheHits",
  "cacheMisses",
  "storeHits",
  "storeMisses",
  "connectionsOpen",
  "connectionsInUse",
  "connectionsRefused",
  "statements",
] as const;

export type Counter = (typeof NAMES)[number];

let cells = new Int32Array(new SharedArrayBuffer(NAMES.length * Int32Array.BYTES_PER_ELEMENT));

const INDEX = Object.fromEntries(NAMES.map((name, at) => [name, at])) as Readonly<Record<Counter, number>>;

export function count(name: Counter, by = 1): void {
  Atomics.add(cells, INDEX[name], by);
}

export function readCounter(name: Counter): number {
  return Atomics.load(cells, INDEX[name]) >>> 0;
}

/** To be given to `joinCounters` in the threads of this process. */
export function sharedCounters(): SharedArrayBuffer {
  return cells.buffer as SharedArrayBuffer;
}

export function joinCounters(shared: SharedArrayBuffer): void {
  cells = new Int32Array(shared);
}
