/**
 * A shard that answers late keeps everybody waiting: the engine hands out nothing before all of its shards have answered. So
 * whoever has waited for long asks each shard for next to nothing; one that is late with that, while another is not, is
 * late with everything, and is left out as one that is away.
 */
import type { Client } from "pg";
import type { Address } from "./address.ts";
import { ShardLate, shardOf } from "./failures.ts";

/** No question of ours waits for this long in a store that is well; together with the look it is less than the time of a
 * question to many (`query.wide_deadline_ms`). */
const PATIENCE_MS = 1_500;
const LOOK_MS = 1_500;

/** The answer, or `ShardLate`. `late` names a shard that does not answer. */
export async function unlessLate<T>(asked: Promise<T>, late: () => Promise<string | undefined>): Promise<T> {
  for (;;) {
    const { promise: over, resolve } = Promise.withResolvers<typeof OVER>();
    const timer = setTimeout(() => resolve(OVER), PATIENCE_MS);
    const first = await Promise.race([asked, over]).finally(() => clearTimeout(timer));
    if (first !== OVER) return first;
    const shard = await Promise.race([late(), asked.then(nothing, nothing)]);
    if (shard !== undefined) throw new ShardLate(shard);
  }
}

const OVER = Symbol("over");
const nothing = () => undefined;

/** Of the shards that the others can be asked without; `none` where the database has no shards. */
export async function lateShard(address: Address): Promise<string | undefined | "none"> {
  const rows = await looked(address, SHARDS).catch(() => undefined);
  if (rows === undefined) return undefined;
  if (rows.length === 0) return "none";
  const shards = rows.map(({ shard }) => shard as string);
  const late = await Promise.all(shards.map((shard) => isLate(address, shard)));
  // Where none of them answers, it is not a shard that is late.
  return late.every(Boolean) ? undefined : shards.find((_, at) => late[at]);
}

const SHARDS = `SELECT substring(nspname FROM 9) AS shard FROM pg_namespace WHERE nspname ~ '^without_shard\\d+$'`;

/** Any answer is one, a refusal included. */
function isLate(address: Address, shard: string): Promise<boolean> {
  return looked(address, `SELECT answers FROM codecompass.look_${shard}`).then(
    () => false,
    (error: unknown) => error === OVER || shardOf(error) !== undefined,
  );
}

/** Over a connection of its own: those of the pool may all be waiting. */
async function looked(address: Address, sql: string): Promise<Record<string, unknown>[]> {
  const { default: pg } = await import("pg");
  const client: Client = new pg.Client({ connectionString: address.url, application_name: "codecompass look" });
  client.on("error", () => {});
  const { promise: over, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(OVER), LOOK_MS);
  try {
    const answer = client.connect().then(() => client.query(sql));
    return (await Promise.race([answer, over])).rows;
  } finally {
    clearTimeout(timer);
    // One that still waits is closed at once.
    void client.end().catch(() => {});
  }
}
