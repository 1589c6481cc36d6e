/** Whose question it is that this thread works on now, however many steps it takes. Nobody's: nothing may be seen. */
import { AsyncLocalStorage } from "node:async_hooks";

const NOBODY = 0;
const asking = new AsyncLocalStorage<number>();

/** The principal's number, as the store has it. */
export function presentPrincipal(): number {
  return asking.getStore() ?? NOBODY;
}

export function asPrincipal<T>(principal: number, work: () => T): T {
  return asking.run(principal, work);
}
