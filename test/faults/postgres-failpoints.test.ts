/** C2 on the shared store: an indexer killed before or after a step leaves a complete state; the next run finishes. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemEnv } from "../../src/adapters/env/system.ts";
import { postgresStores } from "../../src/adapters/postgres/stores.ts";
import { onTestDatabase } from "../kit/database-tests.ts";
import { codecompass } from "../kit/inline-command.ts";
import type { TestDatabase } from "../kit/postgres.ts";
import { sandbox, write } from "../kit/sandbox.ts";
import { PROJECT } from "../kit/store.ts";

/** The steps of the PostgreSQL store; the rest of the write path is the same as on SQLite. */
const STEPS = ["migrate", "lease", "job", "begin", "put", "restamp", "publish", "commit"];
const POINTS = STEPS.flatMap((step) => [`${step}:before`, `${step}:after`]);

await onTestDatabase(kills);

function kills(database: TestDatabase): void {
  const box = sandbox();
  const filesOf = (round: number) =>
    Object.fromEntries(
      Array.from({ length: 12 }, (_, at) => [`src/f${at}.ts`, `export const round${round}_${at} = ${at};\n`]),
    );
  const root = box.tree(filesOf(0));
  const run = (failpoint = "") =>
    codecompass(["index", "--store", database.url], {
      cwd: root,
      env: { ...box.env, ...(failpoint && { CODECOMPASS_FAILPOINT: failpoint }) },
    });

  beforeAll(async () => {
    expect(await run()).toMatchObject({ code: 0 });
  });
  afterAll(async () => {
    await database.drop();
    box[Symbol.dispose]();
  });

  /** The round that the view shows; more than one would be a torn state. */
  const roundsShown = async () => {
    const [{ key }] = (await database.sql("SELECT key FROM codecompass.repository")) as [{ key: string }];
    const store = await postgresStores({ url: database.url, env: systemEnv() }).open(key, {
      create: false,
      project: PROJECT,
    });
    try {
      expect(await store.verify("full")).toEqual([]);
      const snapshot = (await store.snapshot("live"))!;
      const texts = await Promise.all((await snapshot.files()).map((file) => snapshot.text(file)));
      snapshot.release();
      return [...new Set(texts.map((text) => Number(/round(\d+)_/.exec(text)![1])))];
    } finally {
      await store.close();
    }
  };

  test.each(POINTS.map((point, at) => [point, at + 1] as const))("killed at %s: 0 bad", async (point, round) => {
    write(root, filesOf(round));
    expect(await run(point)).toMatchObject({ code: null });
    const [shown, ...torn] = await roundsShown();
    expect(torn).toEqual([]);
    expect([round - 1, round]).toContain(shown);
    // The lease of the dead process need not expire: it ran on this machine.
    expect(await run()).toMatchObject({ code: 0 });
    expect(await roundsShown()).toEqual([round]);
  });
}
