/** Creates the frozen index of the current schema: `node test/compat/freeze.ts`. Run once per schema version, then never again. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SCHEMA_VERSION } from "../../src/adapters/sqlite/schema.ts";
import { sqliteStores } from "../../src/adapters/sqlite/stores.ts";
import { PROJECT, publishFiles, sha256, testEnv } from "../kit/store.ts";
import { dumpAnswers, roundTree } from "../kit/store-answers.ts";

const made = mkdtempSync(join(tmpdir(), "codecompass-freeze-"));
const store = await sqliteStores({ env: testEnv(), hash: sha256 }).open(made, { create: true, project: PROJECT });
await publishFiles(store, roundTree(0), { also: [{ path: "logo.png", skip: "binary" }] });
await publishFiles(store, roundTree(1).slice(0, 5), { publication: { commit: "c0ffee" } });
await publishFiles(store, roundTree(2).slice(0, 9), { ref: "feature/x" });
const answers = { main: await dumpAnswers(store), "feature/x": await dumpAnswers(store, "feature/x") };
await store.close();

const frozen = new URL(`./frozen/v${SCHEMA_VERSION}/`, import.meta.url).pathname;
mkdirSync(frozen, { recursive: true });
cpSync(join(made, "index.db"), join(frozen, "index.db"));
writeFileSync(join(frozen, "answers.json"), `${JSON.stringify(answers)}\n`);
rmSync(made, { recursive: true });
