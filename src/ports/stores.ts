/** Where stores come from. Some are shared with others, and then known by name. */
import type { ProjectId } from "../model/ids.ts";
import type { Catalog } from "./catalog.ts";
import type { Store } from "./store.ts";

/** Opens the store of a repository; `create: false` never writes. */
export interface StoreOpener {
  open(location: string, options: { readonly create: boolean; readonly project: ProjectId }): Promise<Store>;
  /** Deletes the store; nothing happens where there is none. A process that has it open must be ready to see it vanish. */
  remove(location: string): Promise<void>;
  /** Closes connections; the next use opens them again. */
  close(): Promise<void>;
  /** Undefined: stores of this machine alone. */
  readonly shared: SharedStores | undefined;
}

/** Stores in a database that many machines share, and the repositories that it holds. */
export interface SharedStores extends Catalog {
  /** Throws where the database cannot be used. */
  describe(): Promise<StoreDescription>;
  /** The present state of the primary. Where a replica is read, no later query sees an earlier one. */
  look(): Promise<StoreState>;
  /** Which of these stores the caller may know of. */
  sees(locations: readonly string[]): Promise<readonly boolean[]>;
  /** Takes a repository out, by its name and for everybody. */
  withdraw(name: string): Promise<void>;
  /** Called once at the end of an ingest, for any number of repositories. */
  complete(): Promise<void>;
}

export interface StoreState {
  /** Whether its tables are those of this release. If not, the next writer brings them up to date. */
  readonly isPrepared: boolean;
  /** Milliseconds since an ingest last ran to its end; undefined: none did. */
  readonly ingestLagMs: number | undefined;
}

/**
 * How far a process has seen the log of the primary, in bytes. Where a replica is read, its threads share it so that
 * none of them sees less.
 */
export interface ReadHorizon {
  at: number;
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
