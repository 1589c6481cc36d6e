/**
 * Opens repositories in one shared PostgreSQL database; see `migrations.ts` for what lies there. The connections are
 * opened with the first question and closed with the last store.
 */
import { basename } from "node:path";
import { createKernel, type Kernel } from "../../embed/kernel.ts";
import type { Env, Failpoint } from "../../ports/env.ts";
import type { StoreOpener } from "../../ports/store.ts";
import { addressOf } from "./address.ts";
import { catalogOf } from "./catalog.ts";
import { type Clock, databaseClock } from "./clock.ts";
import { Db } from "./db.ts";
import { describeServer } from "./describe.ts";
import { isMissingSchema, refusing } from "./failures.ts";
import { removeRepository } from "./forget.ts";
import type { RepositoryName } from "./repository.ts";
import { PostgresStore } from "./store.ts";

export interface PostgresOptions {
  /** The connection string. */
  readonly url: string;
  readonly env: Env;
  /** Called before and after each I/O step: `put:before`, `put:after`, … */
  readonly failpoint?: Failpoint;
  /** Compiles what compares vectors. */
  readonly kernelOf?: () => Kernel;
  /** Less than 1 where several threads read the same stores. */
  readonly cacheShare?: number;
  /** Most connections at once. */
  readonly connections?: number;
  /** Whose question it is; with it, everything is asked with that principal's rights. */
  readonly principal?: (() => number) | undefined;
  /** What a location means to everybody who shares the store. Default: its last name, known to this machine only. */
  readonly nameOf?: (location: string) => RepositoryName;
  /** Absent: the database's. */
  readonly clock?: Clock;
}

const CONNECTIONS = 10;

export function postgresStores(options: PostgresOptions): StoreOpener {
  const { env, failpoint = () => {}, kernelOf = () => createKernel(), cacheShare = 1 } = options;
  const { nameOf = (location) => ({ key: basename(location) }), clock = databaseClock } = options;
  const address = addressOf(options.url);
  const { connections = CONNECTIONS, principal } = options;
  const db = new Db({ address, connections, principal });
  let open = 0;
  const onClose = async () => {
    if (--open === 0) await db.close();
  };
  const asking = async <T>(doing: string, ask: () => Promise<T>): Promise<T> => {
    open++;
    try {
      return await refusing(doing, address, ask);
    } finally {
      await onClose();
    }
  };
  return {
    describe: () => asking("asking the store", () => describeServer(db)),
    ...(principal !== undefined && {
      sees: (location) => asking("asking the store", () => isThere(db, nameOf(location))),
    }),
    open: async (location, { create, project }) => {
      open++;
      const repository = { ...nameOf(location), project };
      return new PostgresStore({ db, repository, create, env, clock, failpoint, kernelOf, cacheShare, onClose });
    },
    catalog: catalogOf({ db, locationOf: (key) => `shared:/${key}`, hold: () => void open++, onClose }),
    remove: (location) => asking("removing an index", () => removed(db, nameOf(location))),
  };
}

async function isThere(db: Db, { key }: RepositoryName): Promise<boolean> {
  const sql = "SELECT 1 FROM codecompass.repository WHERE key = $1";
  return (await db.rows(sql, [key], { prepared: "sees" })).length > 0;
}

/** An index that has a name is everybody's: that one machine needs it no more removes nothing. */
async function removed(db: Db, { key, name }: RepositoryName): Promise<void> {
  if (name !== undefined) return;
  try {
    await db.transaction(async (tx) => {
      const sql = "SELECT id FROM codecompass.repository WHERE key = $1 AND name IS NULL FOR UPDATE";
      const [row] = await tx.rows<{ id: number }>(sql, [key]);
      if (row !== undefined) await removeRepository(tx, row.id);
    });
  } catch (error) {
    if (!isMissingSchema(error)) throw error;
  }
}
