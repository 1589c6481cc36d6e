/** Where the shared store is. The password stays inside: whatever is shown or logged is `shown`. */
import { CompassError } from "../../model/errors.ts";

export interface Address {
  /** The whole connection string, password included. Never printed. */
  readonly url: string;
  /** For people: user, host, port and database. */
  readonly shown: string;
  /** How a cancelled question reaches the server. */
  readonly host: string;
  readonly port: number;
}

const DEFAULT_PORT = 5432;

export function isPostgres(store: string): boolean {
  return /^postgres(ql)?:\/\//.test(store);
}

/** Throws `invalid_input` for what is no connection string; the message never repeats what was given. */
export function addressOf(url: string, parameter = "--store"): Address {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const database = decoded(parsed?.pathname.slice(1) ?? "");
  if (parsed === undefined || !isPostgres(url) || database === "") {
    const reason = "the store is not a connection string like postgres://user@host:5432/database";
    throw new CompassError("invalid_input", { reason, parameter });
  }
  // The query may contain a socket's directory, as libpq allows.
  const host = parsed.searchParams.get("host") ?? (decoded(parsed.hostname) || "localhost");
  const port = Number(parsed.searchParams.get("port") ?? (parsed.port || DEFAULT_PORT));
  const user = decoded(parsed.username);
  const shown = `postgres://${user === "" ? "" : `${user}@`}${host}:${port}/${database}`;
  return { url: verified(url), shown, host, port };
}

/** The driver takes these modes for the strictest as well, but warns on every start, in ten lines, that it may not always. */
function verified(url: string): string {
  if (/[?&]uselibpqcompat=true(&|$)/.test(url)) return url;
  return url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, "$1verify-full");
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
