import { afterEach, expect, test, vi } from "vitest";
import { budgetOf } from "./grammars.ts";

const { threadCpuUsage } = process;
afterEach(() => {
  vi.restoreAllMocks();
  process.threadCpuUsage = threadCpuUsage;
});

/** As seen by a thread that could not run for an hour. */
function stopForAnHour(): void {
  const now = performance.now.bind(performance);
  vi.spyOn(performance, "now").mockImplementation(() => now() + 3_600_000);
}

const check = (name: string, prepare: () => void) => {
  test(`time in which the thread could not run costs nothing: ${name}`, () => {
    prepare();
    const budget = budgetOf(1_000);
    const part = budget.part(0.5);
    stopForAnHour();
    expect([budget.isLate(), budget.isLate(), part.isLate()]).toEqual([false, false, false]);
  });

  test(`work does: ${name}`, () => {
    prepare();
    const budget = budgetOf(20);
    while (!budget.isLate());
    expect(budget.isLate()).toBe(true);
    expect(budget.part(1).isLate()).toBe(true);
  });
};
check("on this Node", () => {});
check("before Node 23.9", () => {
  process.threadCpuUsage = undefined as never;
});
