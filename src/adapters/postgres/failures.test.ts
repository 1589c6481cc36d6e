import { expect, test } from "vitest";
import { PartUnavailable } from "../../engine/outages.ts";
import { addressOf } from "./address.ts";
import { isUnreachable, toCompassError } from "./failures.ts";

const AT = addressOf("postgres://me:secret@db.example/index");
const failure = (code: string, message: string) => Object.assign(new Error(message), { code });

const check = (what: string, error: Error, said: RegExp) =>
  test(what, () => {
    const { message } = toCompassError("reading the index", AT, error) as Error;
    expect(message).toMatch(said);
    expect(message).not.toContain("secret");
  });

check("a full disk", failure("53100", "could not extend file"), /no space left on its disk; free some/);
check("a disk too full to connect", failure("XX000", "could not write init file"), /no space left on its disk/);
check(
  "a data node that does not answer",
  new PartUnavailable("node_1"),
  /gets no answer from node_1, which holds the content of this repository; check that it runs/,
);
check(
  "a data node that cannot be reached",
  failure("08001", 'could not connect to server "node_2"'),
  /gets no answer from node_2/,
);
check(
  "a data node that went away",
  Object.assign(failure("08006", "server closed the connection"), { where: "remote SQL command: COMMIT" }),
  /gets no answer from data node,/,
);
check("a server that is away", failure("ECONNREFUSED", "connect"), /cannot be reached: see that PostgreSQL runs there/);
check("a message with an address in it", failure("XX000", "to postgres://me:secret@db"), /postgres:\/\/…/);

/** As PgBouncer 1.18 says it. */
const pooler = (said: string) => failure("08P01", said);
check("a pooler that knows no such user", pooler("SASL authentication failed"), /userlist\.txt names this user/);
check("a pooler without the database", pooler("no such database: index"), /no such database; it is a pooler/);
check(
  "a pooler that wants to hear less",
  pooler("unsupported startup parameter: statement_timeout"),
  /\(unsupported startup parameter: statement_timeout\); add it to its ignore_startup_parameters/,
);
check(
  "a pooler whose server is away",
  pooler("query_wait_timeout"),
  /cannot be reached: see that PostgreSQL runs there/,
);

test("only what may pass by itself is waited for", () => {
  const waits = ["SASL authentication failed", "no such database: index", "query_wait_timeout"].map((said) =>
    isUnreachable(pooler(said)),
  );
  expect(waits).toEqual([false, false, true]);
});
