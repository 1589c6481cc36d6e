/** How long a file may keep this thread: parsing it and reading its tree, all tries together. */

/** On a busy machine an honest file is not given up because others kept it waiting; but there is an end to it. */
const PATIENCE = 4;

export interface Budget {
  /**
   * Whether more of this thread's work was spent than the budget. Asked every 100 steps of parser and queries, which
   * costs nothing that can be measured.
   */
  readonly isLate: () => boolean;
  /** A share of what is left. */
  part(share: number): Budget;
}

export function budgetOf(ms: number): Budget {
  const start = performance.now();
  const endOfWork = threadMs() + ms;
  const isLate = () => {
    const waited = performance.now() - start;
    return waited > ms && (waited > PATIENCE * ms || threadMs() > endOfWork);
  };
  return { isLate, part: (share) => budgetOf(Math.max(0, endOfWork - threadMs()) * share) };
}

/** Time this thread has worked; before Node 23.9 it cannot be told, and the clock decides alone. */
function threadMs(): number {
  if (typeof process.threadCpuUsage !== "function") return performance.now();
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
