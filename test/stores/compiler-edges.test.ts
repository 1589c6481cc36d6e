/** `scip import` as a command and on both stores: on every ref with the same content, and after changes. */
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { systemEnv } from "../../src/adapters/env/system.ts";
import { sqliteStores } from "../../src/adapters/sqlite/stores.ts";
import { codecompass as startCommand } from "../kit/command.ts";
import { codecompass } from "../kit/inline-command.ts";
import { testDatabase } from "../kit/postgres.ts";
import { git, sandbox, write } from "../kit/sandbox.ts";
import { SHOP, SHOP_SCIP } from "../kit/shop.ts";
import { PROJECT, sha256, takeLease } from "../kit/store.ts";

const box = sandbox();
const database = await testDatabase();
afterAll(async () => {
  box[Symbol.dispose]();
  if ("url" in database) await database.drop();
});

const stores = { SQLite: undefined, PostgreSQL: "url" in database ? database.url : "none" };
for (const [name, url] of Object.entries(stores))
  describe.skipIf(url === "none")(name, () => {
    const env = { ...box.env, CODECOMPASS_HOME: join(box.home, name) };
    const root = box.repository(SHOP);
    const index = join(root, "..", `${name}.scip`);
    writeFileSync(index, SHOP_SCIP);
    const run = (...args: string[]) => codecompass([...args, ...(url ? ["--store", url] : [])], { cwd: root, env });
    const uses = async (...more: string[]) => {
      const { references } = (await run("find_references", "make", "--json", ...more)).json();
      return (references as Record<string, unknown>[]).map((it) => `${it.path}:${it.line_start} ${it.resolution}`);
    };
    const compiled = ["src/user.ts:1 compiler", "src/user.ts:3 compiler", "src/user.ts:4 compiler"];

    test("import, another ref, a change and back, and a new index", async () => {
      git(root, "branch", "other");
      await run("index");
      await run("index", "--ref", "other");
      const imported = await run("scip", "import", index);
      expect(imported).toMatchObject({ code: 0, err: "" });
      expect(imported.out).toMatch(/^Imported \d+ edges of 2 files, written by scip-typescript 0.4.0\n$/);
      expect(await uses()).toEqual(compiled);
      expect(await uses("--ref", "other")).toEqual(compiled);
      write(root, { "src/user.ts": `\n${SHOP["src/user.ts"]}` });
      expect(await uses()).toEqual(["src/user.ts:2 import", "src/user.ts:4 import", "src/user.ts:5 import"]);
      expect(await uses("--ref", "other")).toEqual(compiled);
      write(root, SHOP);
      await run("index", "--force");
      expect(await uses()).toEqual(compiled);
      expect((await run("refs", "list", "--json")).out).not.toContain("compiler");
      expect((await run("doctor", "--json")).code).toBe(0);
    });
  });

describe("refused", () => {
  const root = box.repository(SHOP);
  const run = (...args: string[]) => codecompass(args, { cwd: root, env: box.env });

  test("a file that is missing, no SCIP, or not about these files", async () => {
    await run("index");
    const none = await run("scip", "import", "missing.scip");
    expect([none.code, none.err]).toEqual([2, expect.stringContaining("missing.scip cannot be read")]);
    const text = await run("scip", "import", "package.json");
    expect([text.code, text.err]).toEqual([2, expect.stringContaining("does not begin with the metadata")]);
    writeFileSync(join(root, "..", "shop.scip"), SHOP_SCIP);
    write(root, { "src/shop.ts": "", "src/user.ts": "" });
    const other = await run("scip", "import", "../shop.scip");
    expect([other.code, other.out]).toEqual([1, expect.stringContaining("Left out 2 documents about another content")]);
  });

  test("while another process writes", async () => {
    const stores = join(box.home, "stores");
    const location = join(stores, readdirSync(stores)[0]!);
    const store = await sqliteStores({ env: systemEnv(), hash: sha256 }).open(location, {
      create: true,
      project: PROJECT,
    });
    const lease = await takeLease(store, systemEnv().self);
    const busy = await startCommand(["scip", "import", "../shop.scip"], { cwd: root, env: box.env });
    expect([busy.code, busy.err]).toEqual([2, expect.stringContaining("already running")]);
    await lease.release();
    await store.close();
  });
});
