/** A streaming replica of the shared store gives the primary's answers, and rejects writes. */
import { afterAll, expect, test } from "vitest";
import { bareClone } from "../kit/bare-clone.ts";
import { codecompass } from "../kit/command.ts";
import { canStartServers, runSql, startReplica, startServer } from "../kit/postgres.ts";
import { F_RUST } from "../kit/repos/f-rust.ts";
import { sandbox } from "../kit/sandbox.ts";

const TIMEOUT_MS = 60_000;

if (!canStartServers()) test.skip("replica: PostgreSQL is not installed", () => {});
else await replica();

async function replica(): Promise<void> {
  const box = sandbox();
  const primary = await startServer();
  const standby = await startReplica(primary);
  afterAll(async () => {
    await standby.remove();
    await primary.remove();
    box[Symbol.dispose]();
  });
  const bare = bareClone(box, F_RUST, "https://host.example/acme/auth.git");
  const run = (store: string, ...args: string[]) =>
    codecompass([...args, "--json", "--store", store], { cwd: bare, env: box.env });

  /** Everything that the primary has committed is there. */
  async function caughtUp(): Promise<void> {
    const [now] = await runSql(primary.url, "SELECT pg_current_wal_lsn()::text AS lsn");
    const behind = "SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS there";
    await expect
      .poll(async () => (await runSql(standby.url, behind, [now!.lsn]))[0]!.there, { timeout: TIMEOUT_MS })
      .toBe(true);
  }

  test("gives the primary's answers", { timeout: 2 * TIMEOUT_MS }, async () => {
    expect(await run(primary.url, "index")).toMatchObject({ code: 0 });
    await caughtUp();
    const questions = [
      ["search_code", "validate token"],
      ["regex_search", "fn \\w+"],
      ["get_file_outline", "src/auth.rs"],
    ];
    for (const question of questions) {
      const [there, here] = await Promise.all([run(primary.url, ...question), run(standby.url, ...question)]);
      expect(here.code, here.err).toBe(0);
      expect(comparable(here.out)).toEqual(comparable(there.out));
    }
  });

  test("rejects an index, and says where to index", { timeout: TIMEOUT_MS }, async () => {
    const refused = await run(standby.url, "index", "--force");
    expect([refused.code, refused.json().error.message]).toEqual([2, expect.stringMatching(/replica|read-only/)]);
  });
}

/** Without the fields that differ from one query to the next. */
function comparable(reply: string): unknown {
  return JSON.parse(reply, (key, value) => (/(_ms|_at|cursor|timings?)$/.test(key) ? undefined : value));
}
