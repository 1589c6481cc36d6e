/** Which engine keeps the index: SQLite on this machine, or the PostgreSQL that `--store` names. */
import { basename } from "node:path";
import { type SqliteOptions, sqliteStores } from "../adapters/sqlite/stores.ts";
import { CompassError } from "../model/errors.ts";
import type { Catalog } from "../ports/catalog.ts";
import type { StoreOpener } from "../ports/stores.ts";
import { presentPrincipal } from "./principal-context.ts";
import { nameAt } from "./shared-store.ts";

export interface StoresOptions extends SqliteOptions {
  /** The connection string; empty for an index on this machine. */
  readonly store: string;
  /** Most connections of this thread. */
  readonly connections?: number;
  /** A replica to read from; empty or absent: the store itself is read. */
  readonly readStore?: string;
  /** Hear of what others publish; for servers. */
  readonly listen?: boolean;
  /** Every statement runs with the rights of the principal that sent the request. */
  readonly guarded?: boolean;
}

export function isShared(store: string): boolean {
  return store !== "";
}

/** The driver is loaded with the first store that is opened; a process that uses only SQLite never loads it. */
export function storesOf(options: StoresOptions): StoreOpener {
  const { store, readStore = "", connections, guarded, listen, ...means } = options;
  if (!isShared(store)) {
    if (readStore !== "") throw needsStore();
    return sqliteStores(means);
  }
  requirePostgres(store);
  const horizon = readStore === "" ? undefined : { at: 0 };
  if (horizon !== undefined) requirePostgres(readStore, "--read-store");
  let opened: Promise<StoreOpener> | undefined;
  const opener = () => {
    opened ??= import("../adapters/postgres/stores.ts").then(({ postgresStores }) =>
      postgresStores({
        ...means,
        url: store,
        nameOf: repositoryAt,
        ...(horizon !== undefined && { replica: { url: readStore, horizon } }),
        ...(listen === true && { listen }),
        ...(connections !== undefined && { connections }),
        ...(guarded === true && { principal: () => presentPrincipal()?.secret ?? "" }),
      }),
    );
    return opened;
  };
  const shared = async () => (await opener()).shared!;
  return {
    open: async (location, options) => (await opener()).open(location, options),
    remove: async (location) => (await opener()).remove(location),
    shared: {
      describe: async () => (await shared()).describe(),
      isPrepared: async () => (await shared()).isPrepared(),
      sees: async (locations) => (await shared()).sees(locations),
      hold: async () => (await shared()).hold(),
      withdraw: async (name) => (await shared()).withdraw(name),
      ingestLagMs: async () => (await shared()).ingestLagMs(),
      complete: async () => (await shared()).complete(),
      horizon: {
        at: () => horizon?.at ?? 0,
        raise: (to) => {
          if (horizon !== undefined) horizon.at = Math.max(horizon.at, to);
        },
        look: async () => (horizon === undefined ? undefined : (await shared()).horizon.look()),
      },
      catalog: catalogLater(
        async () => (await shared()).catalog,
        () => opened !== undefined,
      ),
    },
  };
}

/** Opened on first use, since most calls need no catalog. */
function catalogLater(open: () => Promise<Catalog>, isOpen: () => boolean): Catalog {
  let known: Catalog | undefined;
  const catalog = async () => {
    known ??= await open();
    return known;
  };
  return {
    missing: () => known?.missing() ?? [],
    named: async (...ask) => (await catalog()).named(...ask),
    count: async (...ask) => (await catalog()).count(...ask),
    beginning: async (...ask) => (await catalog()).beginning(...ask),
    withTerms: async (...ask) => (await catalog()).withTerms(...ask),
    holding: async (...ask) => (await catalog()).holding(...ask),
    skipped: async (...ask) => (await catalog()).skipped(...ask),
    packed: async (...ask) => (await catalog()).packed(...ask),
    texts: async (...ask) => (await catalog()).texts(...ask),
    records: async (...ask) => (await catalog()).records(...ask),
    rest: () => known?.rest(),
    close: async () => (isOpen() ? (await catalog()).close() : undefined),
  };
}

function repositoryAt(location: string): { key: string; name?: string } {
  const name = nameAt(location);
  return { key: basename(location), ...(name !== undefined && { name }) };
}

/** Never repeats what was given: it may hold a password. */
function requirePostgres(store: string, parameter = "--store"): void {
  if (/^postgres(ql)?:\/\//.test(store)) return;
  const reason = "a shared store is named by a connection string like postgres://user@host:5432/database";
  throw new CompassError("invalid_input", { reason, parameter });
}

function needsStore(): CompassError {
  const reason = "--read-store is a replica of --store: give the address of the primary as well";
  return new CompassError("invalid_input", { reason, parameter: "--read-store" });
}

/** For messages and for telling stores apart: without password and options. */
export function shownStore(store: string): string {
  if (!URL.canParse(store)) return "postgres://…";
  const { username, host, pathname } = new URL(store);
  return `postgres://${username === "" ? "" : `${username}@`}${host}${pathname}`;
}
