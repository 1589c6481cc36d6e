/**
 * Scheduling on the event loop. Long computations yield to timers and sockets; timeouts count only time in which the
 * process could run. The clock decides when an answer is computed, never what it says.
 */

/** Longest turn before yielding. */
const TURN_MS = 3;

let turnBegan: number | undefined;
const waiting: (() => void)[] = [];
/** Number of scheduled resumptions. */
let scheduled = 0;

/** Whether this turn of the event loop has taken long. A turn starts with the first call. */
export function isLongTurn(): boolean {
  turnBegan ??= begin();
  return performance.now() - turnBegan >= TURN_MS;
}

function begin(): number {
  setImmediate(() => {
    turnBegan = undefined;
  });
  return performance.now();
}

/** Waits for another turn. Each turn resumes one waiter, and more while it is not long. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    // Runs after the immediates of this iteration and before those of the next.
    setImmediate(() => {
      waiting.push(resolve);
      scheduleResume();
    });
  });
}

/** Works on one after the other, and lets others have their turns between them. */
export async function inTurns<T, U>(list: readonly T[], work: (one: T) => U): Promise<U[]> {
  const done: U[] = [];
  for (const one of list) {
    done.push(work(one));
    if (isLongTurn()) await nextTurn();
  }
  return done;
}

function scheduleResume(): void {
  setImmediate(resumeNext, scheduled++ === 0);
}

/** Whatever the one before had to do is done when the next one comes. */
function resumeNext(isFirst: boolean): void {
  scheduled--;
  if (isFirst) turnBegan = begin();
  if (isFirst || !isLongTurn()) waiting.shift()!();
  if (scheduled === 0) for (const _ of waiting) scheduleResume();
}

/**
 * A timeout that counts only time in which this process could run. An ordinary timer that comes due while the process
 * is stopped (SIGSTOP, a suspended machine) fires first thing afterwards, before an answer that arrived long ago.
 */
const TICKS = 10;

/** Cancel it with `clearInterval`. */
export function afterAwake(ms: number, run: () => void): NodeJS.Timeout {
  let left = TICKS;
  const timer = setInterval(() => {
    if (--left > 0) return;
    clearInterval(timer);
    run();
  }, ms / TICKS);
  return timer;
}
