/** Every named I/O step of a store fails once, before and after: a registered error, and nothing half-done. */
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { sqliteStores } from "../../src/adapters/sqlite/stores.ts";
import { CompassError } from "../../src/model/errors.ts";
import { PROJECT, processIdentity, publishFiles, sha256, takeLease, testEnv, testJob } from "../kit/store.ts";
import { dumpAnswers, roundTree } from "../kit/store-answers.ts";

const base = mkdtempSync(join(tmpdir(), "codecompass-failpoints-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const STEPS = ["lease", "begin", "put", "publish", "commit", "checkpoint", "job", "reset", "swap", "gc", "vacuum"];
const CASES = STEPS.flatMap((step) => [`${step}:before`, `${step}:after`]);
const CODES = [
  ["ENOSPC", "no space left"],
  ["SQLITE_FULL", "no space left"],
  ["EROFS", "read-only"],
  ["SQLITE_READONLY_DIRECTORY", "read-only"],
  ["EACCES", "no permission"],
  ["EIO", "disk reported an error"],
  ["SQLITE_IOERR_FSYNC", "disk reported an error"],
  ["EMFILE", "too many open files"],
  ["SQLITE_BUSY", "locked"],
] as const;

function fault(code: string): Error {
  return Object.assign(new Error(`injected ${code}`), { code });
}

test.each(CASES)("a failure at %s leaves the old state or the new one", async (failing) => {
  const location = join(base, failing.replace(":", "-"));
  const seen: string[] = [];
  let armed = false;
  const env = testEnv();
  const stores = sqliteStores({
    env,
    hash: sha256,
    failpoint: (step) => {
      seen.push(step);
      if (armed && step === failing) throw fault("ENOSPC");
    },
  });
  const store = await stores.open(location, { create: true, project: PROJECT });
  await publishFiles(store, roundTree(0));
  const before = await dumpAnswers(store);
  armed = true;
  const failure = await everyStep(store, env).catch((error: unknown) => error);
  armed = false;
  expect(seen).toContain(failing);
  expect(failure).toBeInstanceOf(CompassError);
  expect(failure).toMatchObject({ code: "internal_error", data: { reason: expect.stringContaining("no space left") } });
  expect((failure as CompassError).cause).toMatchObject({ code: "ENOSPC" });

  env.dead.add(1);
  const again = await stores.open(location, { create: true, project: PROJECT });
  const after = await dumpAnswers(again);
  const fresh = await freshAnswers(failing);
  expect([before, ...fresh]).toContain(after);
  expect(await again.verify("full")).toEqual([]);
  const lease = await takeLease(again, processIdentity(2));
  await lease.release();
  env.dead.delete(1);
  await publishFiles(again, roundTree(1), { mode: "reset" });
  expect(await dumpAnswers(again)).toBe(fresh[0]);
  expect(readdirSync(location).filter((name) => /^index.*\.db$/.test(name))).toHaveLength(1);
  await store.close();
  await again.close();
});

test.each(CODES)("%s is reported clearly", async (code, words) => {
  const location = join(base, `code-${code}`);
  const failpoint = (step: string) => {
    if (step === "put:before") throw fault(code);
  };
  const store = await sqliteStores({ env: testEnv(), hash: sha256, failpoint }).open(location, {
    create: true,
    project: PROJECT,
  });
  const failure = await publishFiles(store, roundTree(0)).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: "internal_error", data: { reason: expect.stringContaining(words) } });
  await store.close();
});

test("a store opened for reading creates nothing and rejects writes", async () => {
  const location = join(base, "reading");
  const store = await sqliteStores({ env: testEnv(), hash: sha256 }).open(location, {
    create: false,
    project: PROJECT,
  });
  expect(await store.snapshot("main")).toBeUndefined();
  await expect(store.lease(processIdentity(1), 1000)).rejects.toMatchObject({ code: "internal_error" });
  await expect(store.recordJob(testJob("x"), processIdentity(1))).rejects.toMatchObject({ code: "internal_error" });
  expect(existsSync(location)).toBe(false);
  await store.close();
});

/** Runs through all steps; the armed one fails. */
async function everyStep(
  store: Awaited<ReturnType<ReturnType<typeof sqliteStores>["open"]>>,
  env: ReturnType<typeof testEnv>,
) {
  await store.recordJob(testJob("x"), processIdentity(1));
  await publishFiles(store, roundTree(1).slice(0, 12));
  await publishFiles(store, roundTree(1), { mode: "reset" });
  env.time += 86_400_000;
  const lease = await takeLease(store);
  await store.gc(lease);
  await lease.release();
}

/** The answers of a store built at once: all of the new round, or half of it over the old. */
async function freshAnswers(name: string): Promise<(string | undefined)[]> {
  const stores = sqliteStores({ env: testEnv(), hash: sha256 });
  const location = join(base, `fresh-${name.replace(":", "-")}`);
  const store = await stores.open(location, { create: true, project: PROJECT });
  await publishFiles(store, roundTree(1));
  const all = await dumpAnswers(store);
  await publishFiles(store, [...roundTree(1).slice(0, 12), ...roundTree(0).slice(12)], { mode: "reset" });
  const half = await dumpAnswers(store);
  await store.close();
  return [all, half];
}
