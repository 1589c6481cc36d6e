/** Where stores come from. Some are shared with others, and then known by name. */
import type { ProjectId } from "../model/ids.ts";
import type { Catalog } from "./catalog.ts";
import type { Store } from "./store.ts";

/** Opens the store of a repository; `create: false` never writes. */
export interface StoreOpener {
  open(location: string, options: { readonly create: boolean; readonly project: ProjectId }): Promise<Store>;
  /** Deletes the store; nothing happens where there is none. A process that has it open must be ready to see it vanish. */
  remove(location: string): Promise<void>;
  /** Undefined: stores of this machine alone. */
  readonly shared: SharedStores | undefined;
}

/** Stores in a database that many machines share. */
export interface SharedStores {
  /** Throws where the database cannot be used. */
  describe(): Promise<StoreDescription>;
  /** Whether its tables are those of this release. If not, the next writer brings them up to date. */
  isPrepared(): Promise<boolean>;
  /** The repositories it holds, by name. */
  readonly catalog: Catalog;
  readonly horizon: ReadHorizon;
  /** Which of these stores the caller may know of. */
  sees(locations: readonly string[]): Promise<readonly boolean[]>;
  /** Keeps the connections until the returned function is called; otherwise they close with the last store. */
  hold(): Promise<() => Promise<void>>;
  /** Takes a repository out, by its name and for everybody. */
  withdraw(name: string): Promise<void>;
  /** Milliseconds since an ingest last ran to its end; undefined: none did. */
  ingestLagMs(): Promise<number | undefined>;
  /** Called once at the end of an ingest, for any number of repositories. */
  complete(): Promise<void>;
}

/**
 * How far this process has seen a store that it reads from a replica, so that none of its threads sees less. Without a
 * replica it stays at 0.
 */
export interface ReadHorizon {
  at(): number;
  raise(to: number): void;
  look(): Promise<void>;
}

/** A store that others share, for people: where it is and what it can do. */
export interface StoreDescription {
  readonly engine: string;
  /** Of the engine. */
  readonly version: string;
  /** Without any password. */
  readonly address: string;
  /** One line each. */
  readonly capabilities: readonly string[];
  /** Whether an index can be written now; what is published can be read, or there would be no description. */
  readonly canWrite: boolean;
}
