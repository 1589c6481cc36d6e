/** Who can be asked, and how: the pool, or one of its transactions. Nothing here knows the driver. */
import type { Limits } from "../../ports/snapshot.ts";
import type { Field } from "./copy.ts";

export type SqlValue = string | number | boolean | Uint8Array | null | readonly (string | number | Uint8Array | null)[];

/** The key or the name of a repository, or the numbers of several. */
export type RepositoryScope = string | readonly number[];

export interface QueryOptions {
  /** Nothing but these: what a principal may see of all others, which may be ten thousand, is not computed. */
  readonly scope?: RepositoryScope | undefined;
  /** Its signal, and its deadline, stop the question on the server, too. */
  readonly limits?: Limits | undefined;
  /** The statement's own name: a connection plans it once, for all values. Absent: it is planned each time, for these. */
  readonly prepared?: string;
  /** The data node that the statement reads content from; absent: none. */
  readonly node?: number | undefined;
  /** `name = value` for this question alone; none that a user could have written. */
  readonly settings?: readonly string[];
}

/** The pool, or one of its transactions. */
export interface Queryable {
  rows<Row>(sql: string, values?: readonly SqlValue[], options?: QueryOptions): Promise<Row[]>;
  /** Rows as the engine sends them in binary. The statement can have no parameters: it may contain nothing but numbers. */
  bytes(sql: string, options?: QueryOptions): Promise<Field[][]>;
  /** Whether every statement runs with the rights of a principal. */
  readonly isGuarded?: boolean;
}

export interface Transaction extends Queryable {
  /** Number of rows that the statement touched. */
  run(sql: string, values?: readonly SqlValue[], options?: Pick<QueryOptions, "prepared">): Promise<number>;
  copy(table: string, columns: string, rows: readonly (readonly Field[])[]): Promise<void>;
}
