/** A process that publishes round after round until it is killed or done: `node store-writer.ts LOCATION FIRST LAST [reset]`. */
import { systemEnv } from "../../src/adapters/env/system.ts";
import { sqliteStores } from "../../src/adapters/sqlite/stores.ts";
import { batchOf, PROJECT, publication, sha256, show, takeLease } from "../kit/store.ts";
import { roundTree } from "../kit/store-answers.ts";

const [location = "", first = "0", last = "0", mode = "update"] = process.argv.slice(2);
const env = systemEnv();
const store = await sqliteStores({ env, hash: sha256 }).open(location, { create: true, project: PROJECT });
for (let round = Number(first); round < Number(last); round++) {
  const lease = await takeLease(store, env.self);
  const build = await store.begin(lease, "main", mode === "reset" && round % 3 === 2 ? "reset" : "update");
  const files = roundTree(round);
  await build.put(batchOf(files.slice(0, 12)));
  await build.put(batchOf(files.slice(12)));
  const generation = await build.publish(
    publication(
      files.map((file) => show(file)),
      { publishedAt: env.now() },
    ),
  );
  if (round % 5 === 4) await store.gc(lease);
  await lease.release();
  process.stdout.write(`${round} ${generation}\n`);
}
await store.close();
