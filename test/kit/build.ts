/**
 * Before the suite, builds the product into a directory of this run. Tests that start processes start that build.
 * It loads in a third of the time of the sources, and it is what users run. If the build fails (for example in
 * the middle of an edit), tests start the sources instead.
 */
import { globSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { copyAssets } from "../../scripts/assets.ts";
import { bundle } from "../../scripts/bundle.ts";

const START = `import { enableCompileCache } from "node:module";
enableCompileCache();
const { main } = await import("./cli/main.js");
await main(process.argv.slice(2));
`;

const root = resolve(import.meta.dirname, "..", "..");

/** Vitest calls this once per project of the configuration; all of them share one build. */
const shared = globalThis as { codecompassTestBuild?: Promise<() => void> };

export default function setup(): Promise<() => void> {
  // For the workers and for what they start: the sources load in half of the time.
  process.env.NODE_COMPILE_CACHE ??= resolve(root, "node_modules", ".cache", "node");
  shared.codecompassTestBuild ??= build();
  return shared.codecompassTestBuild;
}

async function build(): Promise<() => void> {
  for (const stale of globSync(".test-build-*", { cwd: root })) if (!isRunning(stale)) removed(stale);
  const dir = resolve(root, `.test-build-${process.pid}`);
  const remove = () => removed(dir);
  try {
    await bundle(dir);
    await copyAssets(dir);
    writeFileSync(resolve(dir, "codecompass.js"), START);
    process.env.CODECOMPASS_TEST_MAIN = resolve(dir, "codecompass.js");
  } catch (error) {
    process.stderr.write(`The product cannot be built, tests start its sources: ${(error as Error).message}\n`);
    remove();
  }
  return remove;
}

/** A killed run could not clean up after itself. */
function isRunning(directory: string): boolean {
  try {
    return process.kill(Number(directory.split("-").at(-1)), 0);
  } catch {
    return false;
  }
}

function removed(directory: string): void {
  rmSync(resolve(root, directory), { recursive: true, force: true });
}
