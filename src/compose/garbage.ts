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

/** Both halves; a server that is asked as fast as it can answer takes no longer with it than with ten times as much. */
const YOUNG_BYTES = 16 << 20;
/** Of what lives. At 150 a server under load works 6 % less than at 60, and takes up to 530 MB; at 90 up to 443. */
const OLD_GARBAGE_PERCENT = 90;
const LOOK_MS = 50;

/** To be called before threads are started, by processes that live long: a command is over before it matters. */
export function boundGarbage(): void {
  setFlagsFromString("--no-parallel-scavenge");
  setFlagsFromString(`--heap-growing-percent=${OLD_GARBAGE_PERCENT}`);
  setFlagsFromString(`--min-semi-space-size=${YOUNG_BYTES >> 21}`);
  const timer = setInterval(() => {
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
    if (young === undefined || young.space_size < YOUNG_BYTES) return;
    clearInterval(timer);
    setFlagsFromString("--semi-space-growth-factor=1");
  }, LOOK_MS);
  timer.unref();
}
