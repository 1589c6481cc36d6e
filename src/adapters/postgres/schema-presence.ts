/** Whether there are tables, and what is answered where nobody has made them yet. */
import type { Address } from "./address.ts";
import type { Db } from "./db.ts";
import { isMissingSchema, refused } from "./failures.ts";

type Asked = Pick<Db, "rows" | "address">;

/** A step of `migrations.ts` that was taken. */
export interface Applied {
  readonly version: number;
  readonly compatible_from: number;
}

export const NEWEST = "SELECT version, compatible_from FROM codecompass.migration ORDER BY version DESC LIMIT 1";

/** Where there were tables: they are not looked for again before one is missing. */
const made = new WeakSet<Address>();

export async function newestStep(db: Asked): Promise<Applied | undefined> {
  if (!(await areMade(db))) return undefined;
  try {
    return (await db.rows<Applied>(NEWEST, [], { prepared: "newest" }))[0];
  } catch (error) {
    if (!isMissingSchema(error)) throw error;
    made.delete(db.address);
    return undefined;
  }
}

/** `nothing`: the answer of a database that nobody has prepared yet. */
export async function orNothing<T>(db: Asked, nothing: T, ask: () => Promise<T>): Promise<T> {
  if (!(await areMade(db))) return nothing;
  try {
    return await ask();
  } catch (error) {
    if (!isMissingSchema(error)) throw error;
    if ((await newestStep(db)) === undefined) return nothing;
    const way = "run `codecompass index` of this one, which brings it up to date";
    throw refused(`${db.address.shown} was prepared by an older release; ${way}`);
  }
}

/** Asked first: a table that is missing would be an error in the server's log, with every question. */
async function areMade(db: Asked): Promise<boolean> {
  if (made.has(db.address)) return true;
  const sql = "SELECT to_regclass('codecompass.migration') IS NOT NULL AS made";
  if ((await db.rows<{ made: boolean }>(sql))[0]?.made !== true) return false;
  made.add(db.address);
  return true;
}
