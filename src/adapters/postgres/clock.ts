/** Whose time counts: the database's, so that machines with wrong clocks share leases. Tests hand in their own. */
import type { Asking } from "./query-interface.ts";

export type Clock = (asking: Asking) => Promise<number>;

export const databaseClock: Clock = async (asking) => {
  const sql = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now";
  const [row] = await asking.rows<{ now: number }>(sql);
  return row!.now;
};
