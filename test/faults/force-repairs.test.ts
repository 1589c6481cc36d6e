/** `doctor` detects lost content, and `index --force` restores it: of a work tree, a bare clone and another ref. */
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { afterAll, describe, expect, test } from "vitest";
import { codecompass } from "../kit/command.ts";
import { testDatabase } from "../kit/postgres.ts";
import { git, sandbox } from "../kit/sandbox.ts";
import { makeBareClone, makeClones, openToolClient, type ToolClient } from "../kit/tool-client.ts";

const FILES = Object.fromEntries(
  Array.from({ length: 5 }, (_, at) => [`src/f${at}.rs`, `pub fn needle_${at}() { other_${at}(); }\n`]),
);

const database = await testDatabase();
afterAll(async () => void ("skip" in database || (await database.drop())));

/** Both kinds of trees and every kind of content; otherwise what was once not repaired, and one more. */
const LONG = process.env.CODECOMPASS_LONG !== undefined;

/** Each kind of stored content, with the statement that deletes all of it. */
const SQLITE = ["DELETE FROM content", "DELETE FROM record", "DELETE FROM segment_part"];
const POSTGRES = [
  "DELETE FROM codecompass.blob b USING codecompass.file_version v WHERE b.key = v.text_key",
  "DELETE FROM codecompass.blob b USING codecompass.file_version v WHERE b.key = v.record_key",
  "DELETE FROM codecompass.blob b USING codecompass.file_version v WHERE b.key = v.facts_key",
  "DELETE FROM codecompass.blob b USING codecompass.vectors v WHERE b.key = v.key",
  "DELETE FROM codecompass.segment_part",
];

describe.each(LONG ? (["work tree", "bare clone"] as const) : (["bare clone"] as const))("%s", (kind) => {
  test("SQLite", { timeout: 300_000 }, () =>
    lostAndRepaired(kind, "", SQLITE, async (location, statement) => {
      const db = new Sqlite(await currentOf(location));
      db.exec(statement);
      db.close();
    }),
  );
  if ("skip" in database) test.skip(`PostgreSQL: ${database.skip}`, () => {});
  else
    test("PostgreSQL", { timeout: 300_000 }, () =>
      lostAndRepaired(kind, database.url, POSTGRES, async (_, statement) => void (await database.sql(statement))),
    );
});

describe.each(["detached bare clone", "another ref"] as const)("%s", (kind) => {
  test("SQLite", { timeout: 300_000 }, () =>
    lostAndRepaired(kind, "", SQLITE.slice(0, 1), async (location, statement) => {
      const db = new Sqlite(await currentOf(location));
      db.exec(statement);
      db.close();
    }),
  );
});

async function lostAndRepaired(
  kind: "work tree" | "bare clone" | "detached bare clone" | "another ref",
  store: string,
  statements: readonly string[],
  lose: (home: string, statement: string) => Promise<void>,
): Promise<void> {
  using box = sandbox();
  const name = `git.example.invalid/acme/${kind.replaceAll(" ", "-")}`;
  const [clone] = makeClones(box, { [name]: FILES }).values();
  const root = kind.endsWith("bare clone") ? makeBareClone(clone!, name) : clone!;
  if (kind === "detached bare clone") git(root, "update-ref", "--no-deref", "HEAD", "HEAD");
  if (kind === "another ref") git(root, "branch", "other");
  const which = kind === "another ref" ? { ref: "other" } : {};
  const asking = async <T>(use: (asker: ToolClient) => Promise<T>): Promise<T> => {
    const asker = await openToolClient(box.home, { store });
    try {
      return await use(asker);
    } finally {
      await asker.close();
    }
  };
  const indexed = async ({ compass }: ToolClient, force: boolean) => {
    const project = await compass.register(root);
    const { status } = await compass.index(project, { mode: "full", force, waitMs: 60_000, ...which });
    expect(status).toBe("published");
  };
  const state = async ({ compass, call }: ToolClient) => {
    const damage = await compass.verify(await compass.project(root));
    const lines = await call("regex_search", { pattern: "needle_\\d", workspace: root, ...which });
    const symbol = await call("locate_symbol", { name: "needle_1", workspace: root, ...which });
    return { sound: damage.length === 0, found: [lines.body.results?.length, symbol.body.results?.length] };
  };
  const doctor = async () => {
    const given = store === "" ? [] : ["--store", store];
    const { out } = await codecompass(["doctor", "--json", "--path", root, ...given], { cwd: root, env: box.env });
    const { checks } = JSON.parse(out) as { checks: { check: string; status: string; detail: string }[] };
    return checks.find(({ check }) => check === "index");
  };
  const whole = { sound: true, found: [FILES_COUNT, 1] };
  await asking((asker) => indexed(asker, false));
  for (const [at, statement] of statements.slice(0, LONG ? statements.length : 2).entries()) {
    await lose(box.home, statement);
    if (at === 0 && which.ref === undefined)
      expect(await doctor()).toMatchObject({ status: "fail", detail: expect.stringMatching(/is missing/) });
    await asking(async (asker) => {
      expect([statement, (await state(asker)).sound]).toEqual([statement, false]);
      await indexed(asker, true);
      expect([statement, await state(asker)]).toEqual([statement, whole]);
    });
  }
  if (which.ref === undefined) expect(await doctor()).toMatchObject({ status: "ok" });
}

const FILES_COUNT = Object.keys(FILES).length;

/** The database file of the only store. */
async function currentOf(home: string): Promise<string> {
  const { globSync, readFileSync, existsSync } = await import("node:fs");
  const [folder] = globSync(join(home, "stores", "*"));
  const pointer = join(folder!, "CURRENT");
  return join(folder!, existsSync(pointer) ? readFileSync(pointer, "utf8").trim() : "index.db");
}
