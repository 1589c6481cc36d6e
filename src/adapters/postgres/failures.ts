/** Turns what the driver and the server throw into the refusals of the registry. No message ever holds a password. */
import { AnswerTimeout } from "../../engine/cancellation.ts";
import { PartUnavailable } from "../../engine/outages.ts";
import { Aborted } from "../../engine/segments.ts";
import { CompassError } from "../../model/errors.ts";
import { CorruptionError } from "../../segment/bytes.ts";
import type { Address } from "./address.ts";

/** Runs a step of the store; whatever it throws comes out as a `CompassError` or as the caller's own abort. */
export async function mapErrors<T>(doing: string, at: Address, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw toCompassError(doing, at, error);
  }
}

export function toCompassError(doing: string, at: Address, error: unknown): unknown {
  if (error instanceof CompassError || error instanceof Aborted) return error instanceof Aborted ? error.reason : error;
  if (error instanceof CorruptionError) return damaged(error.message, error);
  const code = codeOf(error);
  const wrong = WRONG_STORE.get(code) ?? refusedByPooler(error) ?? noPassword(error) ?? wrongTls(error);
  if (wrong !== undefined) return storeRefusal(`${at.shown} ${wrong}`, error);
  const node = failedNode(error);
  if (node !== undefined) return nodeFailure(doing, at, node, error);
  const meaning =
    MEANINGS.get(isFullAtStart(error) ? "53100" : code) ?? (isUnreachable(error) ? UNREACHABLE : undefined);
  const reason = `${doing}: ${meaning === undefined ? `${at.shown}: ${messageOf(error)}` : `${at.shown} ${meaning}`}`;
  return new CompassError("internal_error", { reason, cause: "store" }, { cause: error });
}

/** The store itself must be another one, or must be prepared first. */
export function storeRefusal(reason: string, cause?: unknown): CompassError {
  return new CompassError("invalid_input", { reason, parameter: "--store" }, { cause });
}

export function damaged(reason: string, cause?: unknown): CompassError {
  return new CompassError("index_incompatible", { reason }, { cause });
}

/** The data node that the store itself could not reach, or has lost the connection to. */
export function failedNode(error: unknown): string | undefined {
  if (error instanceof PartUnavailable) return error.part;
  if (!codeOf(error).startsWith("08")) return undefined;
  const where = error instanceof Error && "where" in error ? String(error.where) : "";
  const isRemote = where.startsWith("remote SQL command");
  return /^could not connect to server "(\w+)"/.exec(messageOf(error))?.[1] ?? (isRemote ? "data node" : undefined);
}

function nodeFailure(doing: string, { shown }: Address, node: string, cause: unknown): CompassError {
  const remedy = "check that it runs and answers; repositories on other nodes are not affected";
  const reason = `${doing}: ${shown} gets no answer from ${node}, which holds the content of this repository; ${remedy}`;
  return new CompassError("internal_error", { reason, cause: "store", shard: node }, { cause });
}

/** Whether the connection, and not the question, is to blame: the same may be asked again. */
export function isUnreachable(error: unknown): boolean {
  const code = codeOf(error);
  if (error instanceof AnswerTimeout) return true;
  // The store is there; its data node is not. Asking again at once would be in vain.
  if (failedNode(error) !== undefined || refusedByPooler(error) !== undefined) return false;
  // 53300: all connections are taken, for now.
  if (/^(08|57P0[123]|53300)/.test(code)) return true;
  if (/^(ECONNREFUSED|ECONNRESET|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOENT)$/.test(code))
    return true;
  return /Connection terminated|connection timeout|Client has encountered a connection error|not queryable/i.test(
    messageOf(error),
  );
}

/** Two writers met at one row; the one that lost starts again. */
export function isCollision(error: unknown): boolean {
  return /^(40001|40P01|23505)$/.test(codeOf(error));
}

/** A pooler in between gave the statement's next run to another connection: one that does not know it, or knows it from another client. */
export function isLostStatement(error: unknown): boolean {
  return /^(26000|42P05)$/.test(codeOf(error));
}

export function isMissingSchema(error: unknown): boolean {
  return /^(3F000|42P01|42703)$/.test(codeOf(error));
}

const UNREACHABLE =
  "cannot be reached: see that PostgreSQL runs there (its log says why if not, as where its disk is full) and accepts connections from here, then try again";

const WRONG_STORE: ReadonlyMap<string, string> = new Map([
  ["28P01", "refused the password; correct it in the connection string, PGPASSWORD or ~/.pgpass"],
  ["28000", "refused the user; correct the connection string or the server's pg_hba.conf"],
  ["3D000", "has no such database; create it with `createdb` first"],
  [
    "42501",
    "does not let this user do that: the tables are made and upgraded by the database's owner, with `codecompass migrate`; other rights are granted by roles",
  ],
  [
    "25006",
    "is a read-only replica (or is set to read only); an index is written to the primary: give its address as --store",
  ],
]);

/** PgBouncer has one code, that of a broken connection, for whatever it does not let in: its words tell them apart. */
function refusedByPooler(error: unknown): string | undefined {
  if (codeOf(error) !== "08P01") return undefined;
  const said = messageOf(error);
  if (/authentication failed|no such user/i.test(said))
    return "refused the user or the password; it is a pooler: see that its userlist.txt names this user, with this password";
  if (/no such database/i.test(said)) return "has no such database; it is a pooler: name it among its [databases]";
  if (/unsupported startup parameter/i.test(said))
    return `is a pooler that refuses what drivers say at the start (${said}); add it to its ignore_startup_parameters`;
  return undefined;
}

/** The driver finds out by itself, in its own words: the server requires a password, and none was given. */
function noPassword(error: unknown): string | undefined {
  if (!/^SASL: .*client password must be/.test(messageOf(error))) return undefined;
  return "asks for a password; give it in PGPASSWORD, in ~/.pgpass or in the connection string";
}

/** What comes before the first word in PostgreSQL's own language has no code of its own. */
function wrongTls(error: unknown): string | undefined {
  if (/does not support SSL/.test(messageOf(error)))
    return "does not speak TLS; switch it on there, or leave sslmode out of the connection string";
  if (codeOf(error) === "ERR_TLS_CERT_ALTNAME_INVALID")
    return "shows a certificate that does not name this host; connect by a name that it lists";
  if (/^(DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|CERT_|ERR_TLS_CERT_)/.test(codeOf(error)))
    return "shows a certificate that is not trusted here; name its authority with sslrootcert=FILE in the connection string";
  return undefined;
}

/** A new connection to a database whose disk is full: the engine has no code for it. */
function isFullAtStart(error: unknown): boolean {
  return /could not write init file/.test(messageOf(error));
}

const MEANINGS: ReadonlyMap<string, string> = new Map([
  ["53100", "has no space left on its disk; free some, then run the command again: nothing published is lost"],
  ["53200", "ran out of memory"],
  ["53300", "has no connection left; raise max_connections, or put a pooler in between"],
  ["57014", "took longer than the time allowed for one question and was stopped; ask for less, or ask again"],
  ["55P03", "kept a row locked for too long; try again"],
]);

export function codeOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : "";
}

function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message || codeOf(error) : String(error);
  // The driver does not repeat passwords; should a server's message ever hold a connection string, it goes.
  return text.replace(/postgres(ql)?:\/\/\S+/g, "postgres://…");
}
