/** Which engine keeps the index: SQLite on this machine, or the PostgreSQL that `--store` names. */
import { basename } from "node:path";
import { type SqliteOptions, sqliteStores } from "../adapters/sqlite/stores.ts";
import { CompassError } from "../model/errors.ts";
import type { ReadHorizon, SharedStores, StoreOpener } from "../ports/store.ts";
import { presentPrincipal } from "./principal-context.ts";
import { nameAt } from "./shared-store.ts";

export interface StoresOptions extends SqliteOptions {
  /** The connection string; empty for an index on this machine. */
  readonly store: string;
  /** Most connections of this thread. */
  readonly connections?: number;
  /** A replica to read from; empty or absent: the store itself is read. */
  readonly readStore?: string;
  /** How far the replica must be; shared by the threads of a process. */
  readonly horizon?: ReadHorizon;
  /** Every statement runs with the rights of the principal that sent the request. */
  readonly guarded?: boolean;
}

export function isShared(store: string): boolean {
  return store !== "";
}

/** The driver is loaded with the first store that is opened; a process that uses only SQLite never loads it. */
export function storesOf(options: StoresOptions): StoreOpener {
  const { store, readStore = "", horizon = { at: 0 }, connections, guarded, ...means } = options;
  if (!isShared(store)) {
    if (readStore !== "") throw needsStore();
    return sqliteStores(means);
  }
  requirePostgres(store);
  const replica = readStore === "" ? undefined : { url: readStore, horizon };
  if (replica !== undefined) requirePostgres(readStore, "--read-store");
  let opened: Promise<StoreOpener> | undefined;
  const opener = () => {
    opened ??= import("../adapters/postgres/stores.ts").then(({ postgresStores }) =>
      postgresStores({
        ...means,
        url: store,
        nameOf: repositoryAt,
        ...(replica !== undefined && { replica }),
        ...(connections !== undefined && { connections }),
        ...(guarded === true && { principal: () => presentPrincipal()?.secret ?? "" }),
      }),
    );
    return opened;
  };
  let known: SharedStores | undefined;
  const shared = async () => {
    known ??= (await opener()).shared!;
    return known;
  };
  return {
    open: async (location, options) => (await opener()).open(location, options),
    remove: async (location) => (await opener()).remove(location),
    close: async () => (await opened)?.close(),
    shared: {
      describe: async () => (await shared()).describe(),
      look: async () => (await shared()).look(),
      sees: async (locations) => (await shared()).sees(locations),
      withdraw: async (name) => (await shared()).withdraw(name),
      complete: async () => (await shared()).complete(),
      count: async (limits) => (await shared()).count(limits),
      repositories: async (...query) => (await shared()).repositories(...query),
      withTerms: async (...query) => (await shared()).withTerms(...query),
      holding: async (...query) => (await shared()).holding(...query),
      skipped: async (...query) => (await shared()).skipped(...query),
      contents: async (...query) => (await shared()).contents(...query),
      missing: () => known?.missing() ?? [],
    },
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
