/** The newest writer's token, kept in the index itself: whoever lost the lease without noticing is refused here. */
import { CompassError } from "../../model/errors.ts";
import type { Lease } from "../../ports/lease.ts";
import type { Connection } from "./connection.ts";

/** From now on, holders of smaller tokens are refused. */
export function raiseFence(db: Connection, { token }: Lease): void {
  if (fenceOf(db) > token) throw new CompassError("index_in_progress");
  db.run("UPDATE meta SET value = ? WHERE key = 'fence'", String(token));
}

export function requireFence(db: Connection, { token }: Lease): void {
  if (fenceOf(db) !== token) throw new CompassError("index_in_progress");
}

export function fenceOf(db: Connection): number {
  return Number(db.get<{ value: string }>("SELECT value FROM meta WHERE key = 'fence'")?.value ?? 0);
}
