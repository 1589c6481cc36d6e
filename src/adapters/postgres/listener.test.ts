/** Publications of others are heard, also after the connection was lost. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { afterAll, expect, test } from "vitest";
import { testDatabase } from "../../../test/kit/postgres.ts";
import { PROJECT, publishFiles, testEnv } from "../../../test/kit/store.ts";
import { postgresStores } from "./stores.ts";

/** In front of the server, and with numbers of its own for its connections, as poolers have. */
async function poolerOf(url: string) {
  const { hostname, port } = new URL(url);
  let said = "";
  const pooler = createServer((client) => {
    const server = connect(Number(port), hostname);
    client.on("data", (bytes) => {
      said += bytes.toString("latin1");
      server.write(bytes);
    });
    server.on("data", (bytes: Buffer) => {
      const key = bytes.indexOf(Buffer.from([0x4b, 0, 0, 0, 12]));
      if (key >= 0) bytes.writeInt32BE(bytes.readInt32BE(key + 5) + 1, key + 5);
      client.write(bytes);
    });
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      // biome-ignore format: a table
      one.on("error", () => {});
      one.on("close", () => other.destroy());
    }
  });
  await once(pooler.listen(0, "127.0.0.1"), "listening");
  const its = new URL(url);
  its.port = String((pooler.address() as AddressInfo).port);
  return {
    url: its.href,
    said: () => said,
    listeners: () => said.split("codecompass listener").length - 1,
    close: async () => void (await once(pooler.close(), "close")),
  };
}

const database = await testDatabase();
if ("skip" in database) test.skip(`postgres: ${database.skip}`, () => {});
else {
  const { url, sql, drop } = database;
  afterAll(drop);

  test("what another process publishes is loaded before anybody asks, and a lost connection is opened again", async () => {
    const writer = await postgresStores({ url, env: testEnv() }).open("x", { create: true, project: PROJECT });
    const publish = (word: string) => publishFiles(writer, [{ path: "a.rs", text: `def ${word}` }]);
    await publish("first");
    const steps: string[] = [];
    const stores = postgresStores({ url, env: testEnv(), listen: true, failpoint: (step) => void steps.push(step) });
    const server = await stores.open("x", { create: false, project: PROJECT });
    const heard = () => steps.filter((step) => step === "heard:after").length;
    const listeners = async () => {
      const asked =
        "SELECT pid FROM pg_stat_activity WHERE application_name = 'codecompass listener' AND datname = current_database()";
      return (await sql(`${asked} AND query LIKE 'LISTEN%' AND state = 'idle'`)).map(({ pid }) => pid as number);
    };
    try {
      (await server.snapshot("main"))!.release();
      await expect.poll(listeners, { timeout: 30_000 }).toHaveLength(1);
      const before = heard();
      await publish("second");
      await expect.poll(heard, { timeout: 30_000 }).toBeGreaterThan(before);
      const [lost] = await listeners();
      await sql("SELECT pg_terminate_backend($1)", [lost]);
      await expect
        .poll(async () => (await listeners()).filter((pid) => pid !== lost), { timeout: 30_000 })
        .toHaveLength(1);
      const since = heard();
      await publish("third");
      await expect.poll(heard, { timeout: 30_000 }).toBeGreaterThan(since);
      const snapshot = (await server.snapshot("main"))!;
      expect(await snapshot.text((await snapshot.file("a.rs"))!)).toBe("def third");
    } finally {
      await server.close();
      await writer.close();
    }
    await expect.poll(listeners, { timeout: 30_000 }).toEqual([]);
  });

  test("behind a pooler nobody listens, and what is published is seen by the next question", async () => {
    const pooler = await poolerOf(url);
    const writer = await postgresStores({ url, env: testEnv() }).open("p", { create: true, project: PROJECT });
    const server = await postgresStores({ url: pooler.url, env: testEnv(), listen: true }).open("p", {
      create: false,
      project: PROJECT,
    });
    const textNow = async () => {
      const snapshot = (await server.snapshot("main"))!;
      return snapshot.text((await snapshot.file("a.rs"))!).finally(() => snapshot.release());
    };
    try {
      await publishFiles(writer, [{ path: "a.rs", text: "def first" }]);
      expect(await textNow()).toBe("def first");
      const listening = "SELECT pid FROM pg_stat_activity WHERE application_name = 'codecompass listener'";
      // It has come and gone, and does not come again.
      await expect.poll(() => pooler.listeners(), { timeout: 30_000 }).toBe(1);
      await expect.poll(() => sql(`${listening} AND datname = current_database()`), { timeout: 30_000 }).toEqual([]);
      await publishFiles(writer, [{ path: "a.rs", text: "def second" }]);
      expect(await textNow()).toBe("def second");
      expect(pooler.listeners()).toBe(1);
      expect(pooler.said()).not.toContain("LISTEN ");
    } finally {
      await server.close();
      await writer.close();
      await pooler.close();
    }
  });
}
