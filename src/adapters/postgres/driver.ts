/** The driver's packages. They are optional, and loaded when a store names a PostgreSQL and is first used. */
import { codeOf, storeRefusal } from "./failures.ts";

export async function loadDriver(): Promise<typeof import("pg").default> {
  return (await required(() => import("pg"))).default;
}

export function loadCopyStreams(): Promise<typeof import("pg-copy-streams")> {
  return required(() => import("pg-copy-streams"));
}

/** Throws `invalid_input` where the package is not installed. */
export async function required<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (codeOf(error) !== "ERR_MODULE_NOT_FOUND") throw error;
    const remedy = "install them where codecompass is installed: npm install pg pg-copy-streams";
    throw storeRefusal(
      `a PostgreSQL store needs the optional packages pg and pg-copy-streams, which are missing; ${remedy}`,
    );
  }
}
