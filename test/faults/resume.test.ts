/** C5 and C46: a killed build of thousands of files resumes, and a server reports that it was interrupted. */
import { afterAll, expect, test } from "vitest";
import { threadIndexer } from "../../src/compose/indexer.ts";
import type { IndexReport } from "../../src/model/jobs.ts";
import { codecompass } from "../kit/command.ts";
import { indexRequest, wasKilled } from "../kit/faults.ts";
import { sandbox } from "../kit/sandbox.ts";
import { startServer } from "../kit/stdio.ts";

const FILES = process.env.CODECOMPASS_LONG ? 10_000 : 3_000;
/** Batches contain at most 500 files. */
const BATCHES = FILES / 500;
const TIMEOUT_MS = 1_200_000;

const box = sandbox();
const root = box.tree(
  Object.fromEntries(
    Array.from({ length: FILES }, (_, at) => [`d${at % 100}/f${at}.py`, `def only_${at}():\n    return ${at}\n`]),
  ),
);
afterAll(() => box[Symbol.dispose]());

const environment = (home: string, failpoint = "") => ({
  ...box.env,
  CODECOMPASS_HOME: home,
  CODECOMPASS_FAILPOINT: failpoint,
});

async function killedBuild(home: string, failpoint: string): Promise<void> {
  expect(wasKilled(await codecompass(["index"], { cwd: root, env: environment(home, failpoint) }))).toBe(true);
}

async function finishedBuild(home: string): Promise<IndexReport> {
  const indexer = threadIndexer();
  try {
    return await indexer.run(indexRequest(home, root, "the-rest"), () => {}, new AbortController().signal);
  } finally {
    await indexer.close();
  }
}

test(
  `killed at half of ${FILES} files: the next run reads at most 65 % of them`,
  async () => {
    const home = `${box.home}/half`;
    await killedBuild(home, `put:after#${BATCHES / 2}`);
    const report = await finishedBuild(home);
    expect(report).toMatchObject({ published: true, coverage: { filesIndexed: FILES }, symbolCount: FILES });
    expect(report.parsedFiles).toBeLessThanOrEqual(0.65 * FILES);
    expect(report.parsedFiles).toBeGreaterThan(0);
  },
  TIMEOUT_MS,
);

test(
  "killed five times in a row: a server reports five interrupted jobs, and the build still finishes",
  async () => {
    const home = `${box.home}/five`;
    for (let kill = 0; kill < 5; kill++) await killedBuild(home, "put:after");
    const server = startServer(["--workspace", root], { ...environment(home), CODECOMPASS_SERVER_WATCH: "false" });
    await server.initialize();
    const interrupted = {
      detected: true,
      interrupted_jobs: 5,
      recommended_action: expect.stringContaining("sync_repo"),
    };
    expect((await server.tool("index_status")).interrupted_recovery_report).toMatchObject(interrupted);
    expect((await server.tool("health_check")).interrupted_recovery_report).toMatchObject(interrupted);
    const report = await finishedBuild(home);
    expect(report.parsedFiles).toBeLessThanOrEqual(FILES - 5 * 400);
    expect(report).toMatchObject({ published: true, coverage: { filesIndexed: FILES } });
    expect((await server.tool("index_status")).interrupted_recovery_report ?? null).toBeNull();
    expect((await server.tool("locate_symbol", { name: `only_${FILES - 1}` })).results).toHaveLength(1);
    await server.close();
  },
  TIMEOUT_MS,
);
