/**
 * A process repeatedly swaps a directory of the workspace for a symlink that leads outside, and back, while a server
 * indexes, watches and searches. Nothing outside may be returned or stored. The timing here is random;
 * `src/adapters/disk/directory-swaps.test.ts` tries each moment.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { until, withStore } from "../kit/faults.ts";
import { sandbox, write } from "../kit/sandbox.ts";
import { type StdioServer, startServer } from "../kit/stdio.ts";

const SWAPS = process.env.CODECOMPASS_LONG ? 100_000 : 1_000;
const ROUNDS = process.env.CODECOMPASS_LONG ? 300 : 5;
const FILES = 20;
/** Part of every name outside; the queried names never end in a digit. */
const OUTSIDE = /outside_secret_\d/;

const SWAPPER = `
  const { renameSync } = require("node:fs");
  const [directory, beside] = process.argv.slice(1);
  let swaps = 0, isStopped = false;
  const clock = new Int32Array(new SharedArrayBuffer(4));
  const stay = () => Atomics.wait(clock, 0, 0, Math.random());
  process.stdin.on("end", () => { isStopped = true; }).resume();
  (function swap() {
    for (let i = 0; i < 20; i++) {
      renameSync(directory, beside + "/directory");
      renameSync(beside + "/link", directory);
      stay();
      renameSync(directory, beside + "/link");
      renameSync(beside + "/directory", directory);
      stay();
      swaps++;
    }
    process.stdout.write(swaps + "\\n");
    if (!isStopped) setImmediate(swap);
  })();
`;

test(
  `S4: ${SWAPS} swaps of a directory, ${ROUNDS} rounds of indexing and searching`,
  async () => {
    using box = sandbox();
    const root = box.tree({ "keep.py": "def keep():\n    pass\n" });
    const outside = box.tree({ "outside_secret_0.py": "def outside_secret_0():\n    pass\n" });
    for (let at = 0; at < FILES; at++) {
      write(root, { [`d/e/f${at}.py`]: `def inside_${at}():\n    pass\n` });
      write(outside, { [`e/f${at}.py`]: `def outside_secret_${at}():\n    pass\n` });
    }
    // Searched on disk, since it is not indexed.
    write(root, { "d/app.min.js": `var inside=1;${"a();".repeat(5_000)}` });
    write(outside, { "app.min.js": `var outside_secret_1=1;${"a();".repeat(5_000)}` });
    const beside = join(box.home, "..", "beside");
    mkdirSync(beside);
    symlinkSync(outside, join(beside, "link"));
    const swapper = spawn(process.execPath, ["-e", SWAPPER, join(root, "d"), beside]);
    let swaps = 0;
    createInterface({ input: swapper.stdout }).on("line", (line) => {
      swaps = Number(line);
    });

    const server = startServer(["--workspace", root], box.env);
    await server.initialize();
    for (let round = 0; round < ROUNDS || swaps < SWAPS; round++) await lookEverywhere(server, box.home);
    swapper.stdin.end();
    await once(swapper, "close");

    // Once the directory is back for good, it is found.
    await indexAnew(server);
    expect(JSON.stringify(await server.tool("search_code", { query: "inside_7" }))).toContain("d/e/f7.py");
    expect(server.stderr()).not.toMatch(/unhandled|uncaught/);
    await server.close();
  },
  process.env.CODECOMPASS_LONG ? 3_600_000 : 600_000,
);

/** The watcher starts jobs, too, and only one runs at a time. */
function indexAnew(server: StdioServer): Promise<void> {
  const input = { wait_seconds: 60, force: true };
  return until("an index of everything", async () => (await server.tool("index_repo", input)).status === "published");
}

async function lookEverywhere(server: StdioServer, home: string): Promise<void> {
  await indexAnew(server);
  const replies = [
    await server.tool("search_code", { query: "outside_secret_" }),
    await server.tool("locate_symbol", { name: "outside_secret_" }),
    await server.request("tools/call", { name: "regex_search", arguments: { pattern: "outside_secret_.?" } }),
    await server.tool("get_file_outline", { path: "d/e/f7.py" }),
    await server.tool("index_status"),
  ];
  for (const reply of replies) expect(JSON.stringify(reply)).not.toMatch(OUTSIDE);
  await withStore(home, async (store) => {
    const snapshot = await store.snapshot("live");
    if (snapshot === undefined) return;
    const files = await snapshot.files();
    const texts = await Promise.all(files.map((file) => snapshot.text(file)));
    snapshot.release();
    expect([...files.map(({ path }) => path), ...texts].filter((text) => OUTSIDE.test(text))).toEqual([]);
  });
}
