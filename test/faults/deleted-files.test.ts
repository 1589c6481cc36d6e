/** C10: index files that disappear while a server answers from them. */
import { existsSync, globSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ERRORS } from "../../src/model/errors.ts";
import { unchangedFiles, until } from "../kit/faults.ts";
import { sandbox, write } from "../kit/sandbox.ts";
import { type StdioServer, startServer } from "../kit/stdio.ts";

const VICTIMS = {
  "the whole data directory": "*",
  "all stores": "stores",
  "the database": "stores/*/index.db",
  "the database and its side files": "stores/*/index.db*",
  "the log": "stores/*/index.db-wal",
  "the log and its index": "stores/*/index.db-*",
  "the control file": "stores/*/control.db*",
} as const;
const ASKED = 12;
const WATCHING = ["true", "false"];

for (const [at, watch] of WATCHING.entries()) {
  // By default each victim is deleted under one of the two kinds of server.
  const victims = Object.entries(VICTIMS).filter(
    (_, it) => process.env.CODECOMPASS_LONG !== undefined || it % 2 === at,
  );
  test.each(victims)(
    `%s deleted under a server (watching: ${watch}): an error or a rebuild in each of ${ASKED} answers, never nothing`,
    async (_, victim) => {
      using box = sandbox();
      const root = box.tree(unchangedFiles(30));
      const server = startServer(["--workspace", root], { ...box.env, CODECOMPASS_SERVER_WATCH: watch });
      await server.initialize();
      expect((await server.tool("index_repo", { wait_seconds: 60 })).status).toBe("published");
      // A log that was not checkpointed contains the last publish.
      write(root, { "late.py": "def came_late():\n    pass\n" });
      await published(server);
      expect((await server.tool("locate_symbol", { name: "came_late" })).results).toHaveLength(1);

      const paths = globSync(victim, { cwd: box.home }).map((path) => join(box.home, path));
      if (!victim.includes("-")) expect(paths.length).toBeGreaterThan(0);
      for (const path of paths) rmSync(path, { recursive: true, force: true });
      for (let asked = 0; asked < ASKED; asked++) expectHonest(await answer(server, asked));
      write(root, { "later.py": "def came_later():\n    pass\n" });
      await until("an edit is found, or refused", async () => {
        const { status } = await server.tool("sync_repo", { wait_seconds: 60 });
        const found = await server.tool("locate_symbol", { name: "came_later" });
        expectHonest(found, "came_later");
        return status !== "published" || found.error !== undefined || found.results.length === 1;
      });

      await until("the index is whole again", async () => {
        const { status } = await server.tool("index_repo", { wait_seconds: 60, force: true });
        return status === "published";
      });
      expect((await server.tool("locate_symbol", { name: "came_late" })).results).toHaveLength(1);
      expect(server.stderr()).not.toMatch(/unhandled|uncaught/);
      expect(existsSync(join(box.home, "stores"))).toBe(true);
      await server.close();
    },
    300_000,
  );
}

async function published(server: StdioServer): Promise<void> {
  await until("the sync is published", async () => {
    const reply = await server.tool("sync_repo", { wait_seconds: 60 });
    return reply.status === "published";
  });
}

function answer(server: StdioServer, asked: number) {
  if (asked % 3 === 0) return server.tool("locate_symbol", { name: `quiet_${asked}` });
  if (asked % 3 === 1) return server.tool("search_code", { query: `word${asked % 7}` });
  return server.tool("get_file_outline", { path: `quiet/${asked % 10}/q${asked}.py` });
}

// biome-ignore lint/suspicious/noExplicitAny: replies are read as they come
function expectHonest(reply: any, added?: string): void {
  if (reply.error !== undefined) {
    expect(Object.keys(ERRORS)).toContain(reply.error.code);
    return;
  }
  const items = reply.results ?? reply.symbols;
  // A new file may be missing while the answer says that it is stale.
  if (added !== undefined && reply.metadata.freshness_status !== "fresh") return;
  if (reply.metadata.result_completeness === "complete") expect(items.length).toBeGreaterThan(0);
}
