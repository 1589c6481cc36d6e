/** A process that competes for the lease with others: `node store-rival.ts LOCATION NAME ROUNDS`. Prints its generations. */
import { setTimeout as pause } from "node:timers/promises";
import { systemEnv } from "../../src/adapters/env/system.ts";
import { sqliteStores } from "../../src/adapters/sqlite/stores.ts";
import type { Lease } from "../../src/ports/store.ts";
import { batchOf, PROJECT, publication, sha256, show } from "../kit/store.ts";

const [location = "", name = "", rounds = "1"] = process.argv.slice(2);
const env = systemEnv();
const store = await sqliteStores({ env, hash: sha256 }).open(location, { create: true, project: PROJECT });
for (let round = 0; round < Number(rounds); round++) {
  const lease = await turn();
  const file = { path: `${name}.rs`, text: `def f${name} round${round}` };
  const build = await store.begin(lease, "main", "update");
  await build.put(batchOf([file]));
  process.stdout.write(`${await build.publish(publication([show(file)]))}\n`);
  await lease.release();
}
await store.close();

async function turn(): Promise<Lease> {
  for (;;) {
    const answer = await store.lease(env.self, 30_000);
    if ("lease" in answer) return answer.lease;
    await pause(5);
  }
}
