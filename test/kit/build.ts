/**
 * Before the suite: the product is built into a directory of this run, and the tests that start processes start that.
 * It loads in a third of the time of the sources, and it is what people get. Where it cannot be built (somebody is in
 * the middle of an edit) the sources are started instead.
 */
import { rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { copyAssets } from "../../scripts/assets.ts";
import { bundle } from "../../scripts/bundle.ts";

const START = `import { enableCompileCache } from "node:module";
enableCompileCache();
const { main } = await import("./cli/main.js");
await main(process.argv.slice(2));
`;

export default async function setup(): Promise<() => void> {
  const dir = resolve(import.meta.dirname, "..", "..", `.test-build-${process.pid}`);
  const remove = () => rmSync(dir, { recursive: true, force: true });
  try {
    await bundle(dir);
    copyAssets(dir);
    writeFileSync(resolve(dir, "codecompass.js"), START);
    process.env.CODECOMPASS_TEST_MAIN = resolve(dir, "codecompass.js");
  } catch (error) {
    process.stderr.write(`The product cannot be built, tests start its sources: ${(error as Error).message}\n`);
    remove();
  }
  return remove;
}
