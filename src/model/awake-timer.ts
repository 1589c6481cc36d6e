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
