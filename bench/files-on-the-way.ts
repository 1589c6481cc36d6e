/**
 * Counts the source files whose functions run in one warm `search_code` call, in process:
 *
 *   node bench/files-on-the-way.ts DIR [QUERY]
 *
 * DIR is a working tree; its index goes to a temporary directory. Files count once, whether one of their functions ran or all.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { open } from "../src/index.ts";

const [directory, query = "validate_token"] = process.argv.slice(2);
if (directory === undefined) throw new Error("which working tree? node bench/files-on-the-way.ts DIR [QUERY]");

const home = mkdtempSync(join(tmpdir(), "codecompass-way-"));
const workspace = await open(resolve(directory), { home });
try {
  for (let at = 0; at < 5; at++) await workspace.search(query);
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  await session.post("Profiler.takePreciseCoverage");
  await workspace.search(query);
  const { result } = await session.post("Profiler.takePreciseCoverage");
  const files = result
    .filter(({ functions }) => functions.some(({ ranges }) => ranges[0]!.count > 0))
    .flatMap(({ url }) => /\/src\/(.+\.ts)$/.exec(url)?.[1] ?? [])
    .toSorted();
  const counts = Map.groupBy(files, (file) => file.split("/")[0]!);
  for (const [folder, some] of counts) console.log(`${String(some.length).padStart(4)}  ${folder}`);
  console.log(`${String(files.length).padStart(4)}  files`);
} finally {
  await workspace.close();
  rmSync(home, { recursive: true, force: true });
}
