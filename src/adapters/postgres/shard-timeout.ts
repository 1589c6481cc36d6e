/**
 * A shard that answers late keeps everybody waiting: the engine hands out nothing before all of its shards have answered. So
 * whoever has waited for long asks each shard for next to nothing; one that is late with that, while another is not, is
 * late with everything, and is left out as one that is away.
 */
import type { Client } from "pg";
import type { Address } from "./address.ts";
import { ShardLate, shardOf } from "./failures.ts";

/**
 * No question of ours waits for this long in a store that is well; together with the look it is less than the time of a
 * question to many (`query.wide_deadline_ms`).
 */
const PATIENCE_MS = 1_500;
/** Every shard has this long, and longer where the quickest needs long itself: then it is the machine that is slow. */
const LOOK_MS = 1_500;
const TIMES_THE_QUICKEST = 10;
const LONGEST_LOOK_MS = 10_000;

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
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), LONGEST_LOOK_MS);
  const look = (sql: string) => looked(address, sql, over.signal);
  try {
    const shards = (await look(SHARDS)).map(({ shard }) => shard as string);
    if (shards.length === 0) return "none";
    const at = await firstLate(shards.map((shard) => answers(look(`SELECT answers FROM codecompass.look_${shard}`))));
    return at === undefined ? undefined : shards[at];
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
    over.abort();
  }
}

const SHARDS = `SELECT substring(nspname FROM 9) AS shard FROM pg_namespace WHERE nspname ~ '^without_shard\\d+$'`;

/** Any answer is one, a refusal included. Never, where none comes. */
async function answers(looked: Promise<unknown>): Promise<void> {
  const error = await looked.then(nothing, (error: unknown) => error);
  if (error instanceof ShardLate || shardOf(error) !== undefined) await new Promise(() => {});
}

/** Which of them has not answered long after another did; where none answers, it is not a shard that is late. */
export async function firstLate(looks: readonly Promise<void>[]): Promise<number | undefined> {
  const started = performance.now();
  const none = new Promise<"none">((resolve) => void setTimeout(() => resolve("none"), LONGEST_LOOK_MS).unref());
  if ((await Promise.race([...looks, none])) === "none") return undefined;
  const quickest = performance.now() - started;
  const left = Math.max(LOOK_MS, TIMES_THE_QUICKEST * quickest) - quickest;
  const late = new Promise<boolean>((resolve) => void setTimeout(() => resolve(true), left).unref());
  const found = await Promise.all(looks.map((look) => Promise.race([look.then(() => false), late])));
  return found.includes(true) ? found.indexOf(true) : undefined;
}

/** Over a connection of its own: those of the pool may all be waiting. */
async function looked(address: Address, sql: string, over: AbortSignal): Promise<Record<string, unknown>[]> {
  const { default: pg } = await import("pg");
  const client: Client = new pg.Client({ connectionString: address.url, application_name: "codecompass look" });
  client.on("error", () => {});
  const ended = new Promise<never>((_, reject) => {
    // One that still waits is closed at once.
    over.addEventListener("abort", () => {
      void client.end().catch(() => {});
      reject(new ShardLate("nobody"));
    });
  });
  try {
    return (await Promise.race([client.connect().then(() => client.query(sql)), ended])).rows;
  } finally {
    void client.end().catch(() => {});
  }
}
