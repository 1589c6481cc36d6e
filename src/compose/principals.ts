/** The principals of a shared store, for whoever administers it. */
import { CompassError } from "../model/errors.ts";
import type { Principals } from "../ports/principals.ts";
import { isShared } from "./stores.ts";

export async function openPrincipals(store: string): Promise<Principals> {
  if (!isShared(store)) {
    const reason = "principals are known to a shared store: give it as --store postgres://…";
    throw new CompassError("invalid_input", { parameter: "--store", reason });
  }
  const { postgresPrincipals } = await import("../adapters/postgres/principals.ts");
  return postgresPrincipals(store);
}

/** What the owner of the database runs, where nobody else may create roles. */
export async function rolesSql(): Promise<string> {
  return (await import("../adapters/postgres/roles.ts")).ROLES_SQL;
}
