/**
 * How a server's threads collect garbage. Left alone, V8 lets the young garbage of a busy thread grow to 130 MB, and the
 * old one to four times what lives, before it looks at it.
 *
 * The size of the young garbage can only be limited before a process starts, but its growth can be stopped. That holds
 * for all threads, so those that start from now on begin full-grown: a thread that is stopped at the megabyte with which
 * it would begin collects it 300 times a second.
 *
 * Each thread collects alone. V8's helpers, four of them on two cores, get in the way of the other threads: without them
 * a busy server answers 29 % more (64 connections, a million lines).
 */
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/** Both halves; a saturated server is as fast with it as with ten times as much. */
const YOUNG_BYTES = 16 << 20;
const LOOK_AT_YOUNG_MS = 50;

/**
 * Old garbage, as a share of live objects. At 30 a saturated server answers 6 % less than at 90, at 150 it takes 90 MB
 * more. A server under steady load with time between two requests collects in that time, and stays small.
 */
const OLD_GARBAGE_PERCENT = { usual: 90, steady: 15 } as const;
/** Share of one core's time, by all threads together. Below, the server is idle, and the next request may be a large one. */
const STEADY = { least: 0.03, most: 0.6 } as const;
const LOOK_AT_LOAD_MS = 2_000;
/** So often in turn. */
const LOOKS = 5;

/** To be called before threads are started, by processes that live long: a command is over before it matters. */
export function boundGarbage(): void {
  setFlagsFromString("--no-parallel-scavenge");
  setFlagsFromString(`--min-semi-space-size=${YOUNG_BYTES >> 21}`);
  boundYoung();
  boundOld();
}

function boundYoung(): void {
  const timer = setInterval(() => {
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
    if (young === undefined || young.space_size < YOUNG_BYTES) return;
    clearInterval(timer);
    setFlagsFromString("--semi-space-growth-factor=1");
  }, LOOK_AT_YOUNG_MS);
  timer.unref();
}

/** A thread reads it when it has collected, for the next time. */
function boundOld(): void {
  const allow = (percent: number) => setFlagsFromString(`--heap-growing-percent=${percent}`);
  allow(OLD_GARBAGE_PERCENT.usual);
  let before = process.cpuUsage();
  let steady = 0;
  setInterval(() => {
    const { user, system } = process.cpuUsage(before);
    before = process.cpuUsage();
    const load = (user + system) / 1_000 / LOOK_AT_LOAD_MS;
    const was = steady >= LOOKS;
    steady = load > STEADY.least && load < STEADY.most ? steady + 1 : 0;
    const is = steady >= LOOKS;
    if (is !== was) allow(OLD_GARBAGE_PERCENT[is ? "steady" : "usual"]);
  }, LOOK_AT_LOAD_MS).unref();
}
