/** Where stores come from. Some are shared with others, and then known by name. */
import type { ProjectId } from "../model/ids.ts";
import type { Catalog } from "./catalog.ts";
import type { Store } from "./store.ts";

/** Opens the store of a repository; `create: false` never writes. */
export interface StoreOpener {
  /** Absent for stores of this machine alone. Throws where the store cannot be used. */
  describe?(): Promise<StoreDescription>;
  /** Whether it is as this release makes it: if not, the next writer brings it up to date. Absent for stores of this machine alone. */
  isPrepared?(): Promise<boolean>;
  /** What the store holds by name; absent for stores of this machine alone. */
  readonly catalog?: Catalog;
  /** Where reads may come from a replica: how far this process has seen the store, so that no thread sees less. */
  readonly horizon?: { at(): number; raise(to: number): void; look(): Promise<void> };
  /** Which of these stores the caller may know of; absent: all. */
  sees?(locations: readonly string[]): Promise<readonly boolean[]>;
  /** Keeps what stores share, such as connections, from now until what it returns is called; otherwise it goes with the last store. */
  hold?(): Promise<() => Promise<void>>;
  open(location: string, options: { readonly create: boolean; readonly project: ProjectId }): Promise<Store>;
  /** Takes a repository out of a shared store, by its name and for everybody. Absent for stores of this machine alone. */
  withdraw?(name: string): Promise<void>;
  /** Milliseconds since an ingest last ran to its end; undefined: none did. */
  ingestLagMs?(): Promise<number | undefined>;
  /** What an ingest does once at its end, for whatever number of repositories. Absent for stores of this machine alone. */
  complete?(): Promise<void>;
  /** Deletes the store; nothing happens where there is none. Who has it open must be ready to see it vanish. */
  remove(location: string): Promise<void>;
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
