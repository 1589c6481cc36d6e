/**
 * Measures find_references on a widely used symbol: `node bench/oracle/speed.ts [--sites 3000] [--out DIR]`.
 * Generates a project in which one function and one method have that many uses, indexes it and queries it, cold and warm.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { createHash } from "../../src/adapters/hash/hashes.ts";
import type { ProjectId } from "../../src/model/ids.ts";
import { references } from "../../src/navigate/find-references.ts";
import { indexProject } from "./project.ts";

const { values } = parseArgs({
  options: { sites: { type: "string", default: "3000" }, out: { type: "string", default: "oracle-results" } },
});
const PER_FILE = 6;
const ROUNDS = 60;
const root = join(resolve(values.out), "speed");
makeProject(Number(values.sites) / PER_FILE);
const at = await indexProject(root, join(resolve(values.out), "stores", "speed"));
const ids = { project: "0123456789abcdef" as ProjectId, hash: await createHash() };
for (const name of ["connect", "query"]) {
  const times: number[] = [];
  let total = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const before = performance.now();
    ({ total } = await references({ name, path: "src/db.ts", limit: 20 }, at, ids));
    times.push(performance.now() - before);
  }
  const [cold, ...warm] = times;
  warm.sort((a, b) => a - b);
  const p = (share: number) => warm[Math.floor(warm.length * share)]!.toFixed(1);
  console.log(
    `${name}: ${total} uses, cold ${cold!.toFixed(0)} ms, warm p50 ${p(0.5)} ms, p95 ${p(0.95)} ms (floor p95 30 ms)`,
  );
}
process.exit(0);

function makeProject(files: number): void {
  rmSync(root, { recursive: true, force: true });
  mkdirSync(join(root, "src"), { recursive: true });
  writeFileSync(
    join(root, "src/db.ts"),
    "export class Db {\n  query(sql: string) {}\n}\nexport function connect(url: string): Db {\n  return new Db();\n}\n",
  );
  writeFileSync(join(root, "src/index.ts"), "export * from './db.ts';\n");
  for (let i = 0; i < files; i++) {
    const uses = Array.from(
      { length: PER_FILE - 1 },
      (_, at) => `  const db${at} = connect("${i}/${at}");\n  db${at}.query("select ${at}");\n`,
    );
    const text = `import { connect, type Db } from "./index.ts";\n\nexport function use${i}(given: Db) {\n${uses.join("")}  given.query("all");\n}\n`;
    writeFileSync(join(root, "src", `use${i}.ts`), text);
  }
}
