/** A connection with its pragmas and prepared statements; the one file that talks to better-sqlite3. */
import { accessSync, constants, readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import Sqlite from "better-sqlite3";
import { CorruptionError } from "../../segment/bytes.ts";
import { createPrivately } from "./directory.ts";
import { APPLICATION_ID, CONTROL_TABLES, INDEX_TABLES, KEPT_TABLE, LATER_COLUMNS, SCHEMA_VERSION } from "./schema.ts";

type Value = string | number | Uint8Array | null;

export class Connection {
  readonly path: string;
  private readonly db: Sqlite.Database;
  private readonly statements = new Map<string, Sqlite.Statement>();
  private readonly rawStatements = new Map<string, Sqlite.Statement>();

  constructor(path: string, mode: "read" | "write") {
    this.path = path;
    this.db =
      mode === "read" ? openForReading(path) : new Sqlite(path, { fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
    this.db.pragma(`cache_size = -${mode === "read" ? READ_CACHE_KIB : CACHE_KIB}`);
  }

  all<Row>(sql: string, ...values: Value[]): Row[] {
    return this.statement(sql).all(...values) as Row[];
  }

  /** Rows as arrays of their columns. */
  arrays<Row extends readonly unknown[]>(sql: string, ...values: Value[]): Row[] {
    // A copy of its own: `raw` is a lasting property of a statement.
    let statement = this.rawStatements.get(sql);
    if (statement === undefined) {
      statement = this.db.prepare(sql).raw();
      this.rawStatements.set(sql, statement);
    }
    return statement.all(...values) as Row[];
  }

  get<Row>(sql: string, ...values: Value[]): Row | undefined {
    return this.statement(sql).get(...values) as Row | undefined;
  }

  run(sql: string, ...values: Value[]): { readonly changes: number; readonly lastInsertRowid: number } {
    const { changes, lastInsertRowid } = this.statement(sql).run(...values);
    return { changes, lastInsertRowid: Number(lastInsertRowid) };
  }

  pragma(text: string): unknown {
    return this.db.pragma(text, { simple: true });
  }

  exec(sql: string): void {
    this.db.exec(sql);
  }

  /** One state of the database for everything that `read` asks. */
  reading<T>(read: () => T): T {
    if (this.db.inTransaction) return read();
    // By hand: the library builds a new wrapper for each function, which took longer than a short read.
    this.statement("BEGIN").run();
    try {
      return read();
    } finally {
      if (this.db.inTransaction) this.statement("COMMIT").run();
    }
  }

  /** All of it or nothing; takes the write lock first, so that it cannot fail half-way for want of it. */
  writing<T>(write: () => T): T {
    return this.db.transaction(write).immediate();
  }

  close(): void {
    this.db.close();
  }

  private statement(sql: string): Sqlite.Statement {
    let statement = this.statements.get(sql);
    if (statement === undefined) {
      statement = this.db.prepare(sql);
      this.statements.set(sql, statement);
    }
    return statement;
  }
}

const BUSY_TIMEOUT_MS = 10_000;
const CACHE_KIB = 8_192;
/** What is read often is kept unpacked by who reads it. */
const READ_CACHE_KIB = 4_096;
// Checkpointing starts at 4 MB; a log that a burst made larger is cut back to this.
const WAL_KEPT_BYTES = 16 << 20;

/** A log must be opened beside the database even to read it; where nothing can be created, a copy in memory serves. */
function openForReading(path: string): Sqlite.Database {
  const db = new Sqlite(path, { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
  try {
    db.prepare("SELECT 1 FROM sqlite_schema").get();
  } catch (error) {
    if ((error as { code?: unknown }).code === "SQLITE_CANTOPEN" && !canCreateBeside(path) && !hasLog(path)) {
      db.close();
      return openCopy(path);
    }
    // Damage and half-made files: the next read meets the same error and handles it.
  }
  return db;
}

function openCopy(path: string): Sqlite.Database {
  const bytes = readFileSync(path);
  // Bytes 18 and 19 of the header say "write-ahead log" (2); without a log, "rollback journal" (1) means the same.
  if (bytes[18] === 2 && bytes[19] === 2) bytes.fill(1, 18, 20);
  return new Sqlite(bytes, { readonly: true });
}

function canCreateBeside(path: string): boolean {
  try {
    accessSync(dirname(path), constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function hasLog(path: string): boolean {
  return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** Opens an index for writing; makes an empty one when there is none. */
export function openIndexForWriting(path: string, storeId: string): Connection {
  createPrivately(path);
  const connection = new Connection(path, "write");
  try {
    if (isEmpty(connection)) createIndex(connection, storeId);
    else completeIndex(connection);
    connection.pragma("synchronous = NORMAL");
    connection.pragma(`journal_size_limit = ${WAL_KEPT_BYTES}`);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

export function openControlForWriting(path: string): Connection {
  createPrivately(path);
  const connection = new Connection(path, "write");
  try {
    // Leases and jobs are about living processes: they need not survive a power cut, only a killed process.
    connection.pragma("synchronous = OFF");
    if (connection.pragma("user_version") !== SCHEMA_VERSION) {
      connection.writing(() => connection.exec(`${CONTROL_TABLES}; PRAGMA user_version = ${SCHEMA_VERSION}`));
    }
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

export function isEmpty(connection: Connection): boolean {
  return connection.get("SELECT 1 FROM sqlite_schema") === undefined;
}

function hasColumn(connection: Connection, table: string, column: string): boolean {
  return connection.get("SELECT 1 FROM pragma_table_info(?) WHERE name = ?", table, column) !== undefined;
}

/** Databases known to have the columns of `engine/integrity.ts`. One that lacks them gets them from the next writer. */
const marked = new WeakSet<Connection>();

export function hasMarks(connection: Connection): boolean {
  if (!marked.has(connection) && hasColumn(connection, "file_version", "embedded")) marked.add(connection);
  return marked.has(connection);
}

/**
 * The schema version on disk. It is stored in a table and, since 0.2, in the file's header: two that differ are damage,
 * not another release's index. Throws `CorruptionError`.
 */
export function schemaVersionOf(connection: Connection): number {
  if (connection.pragma("application_id") !== APPLICATION_ID)
    throw new CorruptionError("the file is not a codecompass index");
  const row = connection.get<{ value: string }>("SELECT value FROM meta WHERE key = 'schema_version'");
  const version = Number(row?.value ?? Number.NaN);
  if (!Number.isSafeInteger(version) || version < 1)
    throw new CorruptionError("the index does not state its schema version");
  const inHeader = connection.pragma("user_version");
  if (inHeader !== 0 && inHeader !== version)
    throw new CorruptionError(`the index states two schema versions, ${version} and ${inHeader}`);
  return version;
}

/** Adds what an index of an earlier release with the same schema lacks. */
function completeIndex(connection: Connection): void {
  if (schemaVersionOf(connection) !== SCHEMA_VERSION) return;
  const lacksTable = connection.get("SELECT 1 FROM sqlite_schema WHERE name = 'kept_over'") === undefined;
  const columns = LATER_COLUMNS.filter(([table, column]) => !hasColumn(connection, table, column));
  const lacksVersion = connection.pragma("user_version") === 0;
  if (!lacksTable && !lacksVersion && columns.length === 0) return;
  connection.writing(() => {
    if (lacksVersion) connection.pragma(`user_version = ${SCHEMA_VERSION}`);
    if (lacksTable) connection.exec(KEPT_TABLE);
    for (const [table, column, type] of columns)
      if (!hasColumn(connection, table, column)) connection.exec(`ALTER TABLE ${table} ADD COLUMN ${column} ${type}`);
  });
}

function createIndex(connection: Connection, storeId: string): void {
  // Both must come before the first table; WAL is then remembered by the file.
  connection.pragma("page_size = 4096");
  connection.pragma("auto_vacuum = INCREMENTAL");
  connection.pragma("journal_mode = WAL");
  connection.writing(() => {
    // Another process may have been first.
    if (!isEmpty(connection)) return;
    connection.pragma(`application_id = ${APPLICATION_ID}`);
    connection.exec(INDEX_TABLES + KEPT_TABLE);
    const put = (key: string, value: string) => connection.run("INSERT INTO meta VALUES (?, ?)", key, value);
    put("schema_version", String(SCHEMA_VERSION));
    put("store_id", storeId);
    put("fence", "0");
    // Said twice, so that a damaged version is not taken for another release's index.
    connection.pragma(`user_version = ${SCHEMA_VERSION}`);
  });
}
