/** L1, L2 in small: many agents over HTTP during re-indexing: every answer is complete, none is an error. */
import { readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { codecompass } from "../kit/command.ts";
import { ROUND_FILES, roundFiles, unchangedFiles, until } from "../kit/faults.ts";
import { type HttpProcess, startHttp } from "../kit/http.ts";
import { childrenOf } from "../kit/processes.ts";
import { type Sandbox, sandbox, write } from "../kit/sandbox.ts";

const AGENTS = 32;
const ROUNDS = process.env.CODECOMPASS_LONG ? 4 : 2;

let box: Sandbox | undefined;
let server: HttpProcess | undefined;
afterEach(async () => {
  await server?.close();
  box?.[Symbol.dispose]();
});

test(`L2: ${AGENTS} agents query during ${ROUNDS} re-indexes: no error, no torn answer`, async () => {
  box = sandbox();
  const { env } = box;
  const root = box.tree({ ...unchangedFiles(100), ...roundFiles(0, "round-0") });
  const coming = box.tree({});
  expect((await codecompass(["index"], { cwd: root, env })).code).toBe(0);
  server = await startHttp(["--workspace", root], env);
  const wrong: unknown[] = [];
  let asking = true;
  const agent = async (at: number) => {
    for (let i = 0; asking; i++) {
      const kind = (at + i) % 4;
      if (kind === 0) {
        const { results, error } = await server!.tool("locate_symbol", { name: `quiet_${(at * 3 + i) % 100}` });
        if (results?.length !== 1) wrong.push(error ?? results);
      } else if (kind === 1) {
        const { error } = await server!.tool("search_code", { query: `word${i % 7} for the full text` });
        if (error !== undefined) wrong.push(error);
      } else if (kind === 2) {
        const { symbols, error } = await server!.tool("get_file_outline", { path: `quiet/${i % 10}/q${i % 10}.py` });
        if (symbols?.length !== 1) wrong.push(error ?? symbols);
      } else {
        // A round's files change together: two rounds in one answer would be a torn read.
        const { results, error } = await server!.tool("search_code", { query: "round_", limit: 50 });
        const rounds = new Set(
          (results ?? []).flatMap((one: { name?: string }) => /^round_(\d+)_/.exec(one.name ?? "")?.[1] ?? []),
        );
        if (error !== undefined || rounds.size > 1) wrong.push(error ?? [...rounds]);
      }
    }
  };
  const agents = Array.from({ length: AGENTS }, (_, at) => agent(at));
  for (let round = 1; round <= ROUNDS; round++) {
    write(coming, roundFiles(round, `round-${round}`));
    // Files written one by one would rightly be shown half written; a folder is swapped at once.
    renameSync(join(root, `round-${round - 1}`), join(coming, `gone-${round - 1}`));
    renameSync(join(coming, `round-${round}`), join(root, `round-${round}`));
    const name = round % 2 === 0 ? "index_repo" : "sync_repo";
    await until("the round is published", async () => {
      const { status, error } = await server!.tool(name, { force: round % 2 === 0, wait_seconds: 120 });
      if (status !== "published" && !/_in_progress$/.test(error?.code)) wrong.push(error ?? status);
      return status === "published" || wrong.length > 0;
    });
  }
  asking = false;
  await Promise.all(agents);
  expect(wrong).toEqual([]);
  await until("the last round is found", async () => {
    const { results } = await server!.tool("locate_symbol", { name: `round_${ROUNDS}_of_${ROUND_FILES - 1}` });
    return results?.length === 1;
  });
  expect(server.stderr()).toMatch(/^codecompass: listening on [^\n]*\n$/);
}, 600_000);

const LIGHT = process.env.CODECOMPASS_LONG ? 300 : 150;
const HEAVY = (process.env.CODECOMPASS_LONG ? 10 : 3) * LIGHT;
/** Memory that a process may keep after several times the work: compiled code, and fragmentation. */
const MOST_KEPT = 1.1;

test.runIf(process.platform === "linux")(
  "memory returns to its level after heavy load and after re-indexing the whole tree",
  async () => {
    box = sandbox();
    const { env } = box;
    const root = box.tree(unchangedFiles(400));
    expect((await codecompass(["index"], { cwd: root, env })).code).toBe(0);
    server = await startHttp(["--workspace", root], env);
    await asked(server, LIGHT);
    const idle = residentOf(server);
    await asked(server, HEAVY);
    const isBack = async () => {
      // As a load balancer does, every second; a health check is not a query.
      await server!.tool("health_check", {});
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      return residentOf(server!) <= MOST_KEPT * idle;
    };
    await until("memory is back", isBack, 120_000);
    const { status } = await server.tool("index_repo", { force: true, wait_seconds: 120 });
    expect(status).toBe("published");
    await until("memory is back again", isBack, 120_000);
    await until("nothing runs beside the server", () => childrenOf(server!.process.pid!).length === 0, 120_000);
  },
  600_000,
);

/** Queries that hardly ever repeat, from all agents at once. */
async function asked({ tool }: HttpProcess, requests: number): Promise<void> {
  let next = 0;
  const agent = async () => {
    for (let i = next++; i < requests; i = next++) {
      const { error } =
        i % 3 === 0
          ? await tool("search_code", { query: `quiet ${i} word${i % 7} for the full text`, limit: 50 })
          : i % 3 === 1
            ? await tool("locate_symbol", { name: `quiet_${i % 400}` })
            : await tool("regex_search", { pattern: `quiet_${i % 400}\\b` });
      expect(error).toBeUndefined();
    }
  };
  await Promise.all(Array.from({ length: AGENTS }, agent));
}

function residentOf({ process: { pid } }: HttpProcess): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]);
}
