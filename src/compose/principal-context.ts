/** The principal of the request that this thread works on, across all of its asynchronous steps. */
import { AsyncLocalStorage } from "node:async_hooks";
import type { TokenOwner } from "../ports/principals.ts";

const storage = new AsyncLocalStorage<TokenOwner | undefined>();

/** Undefined outside of a request: nothing may be seen. */
export function presentPrincipal(): TokenOwner | undefined {
  return storage.getStore();
}

export function asPrincipal<T>(principal: TokenOwner | undefined, work: () => T): T {
  return storage.run(principal, work);
}
