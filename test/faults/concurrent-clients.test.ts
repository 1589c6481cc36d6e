/** L4, L5, L8: many processes on one tree, and what remains of them when their client dies. */
import { type ChildProcess, spawn } from "node:child_process";
import { constants, setPriority } from "node:os";
import { afterEach, expect, test } from "vitest";
import { codecompass } from "../kit/command.ts";
import { unchangedFiles, until, withStore } from "../kit/faults.ts";
import { MAIN } from "../kit/main.ts";
import { commandOf, descendantsOf, isRunning } from "../kit/processes.ts";
import { type Sandbox, sandbox, write } from "../kit/sandbox.ts";
import { type StdioServer, startServer } from "../kit/stdio.ts";

const TIMEOUT_MS = 1_200_000;
const PROCESSES = process.env.CODECOMPASS_LONG ? 100 : 8;
const BATCH = process.env.CODECOMPASS_LONG ? 10 : 5;
const SESSIONS = process.env.CODECOMPASS_LONG ? 100 : BATCH;
const ROUNDS = process.env.CODECOMPASS_LONG ? 100 : 5;
/** A command joins the servers in rounds of both kinds. */
const ROUNDS_PER_COMMAND = process.env.CODECOMPASS_LONG ? 9 : 3;

// A hundred processes on two cores: lower their priority so that other tests do not wait for minutes. They inherit it.
if (process.env.CODECOMPASS_LONG) setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

let box: Sandbox | undefined;
const servers: StdioServer[] = [];
const clients: ChildProcess[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) client.kill("SIGKILL");
  for (const server of servers.splice(0)) await server.close();
  box?.[Symbol.dispose]();
});

test(
  `L5: ${PROCESSES} concurrent processes on a tree that was never indexed: all find it, one build`,
  async () => {
    box = sandbox();
    const { env, home } = box;
    const cwd = box.tree(unchangedFiles(50));
    const all = await Promise.all(
      Array.from({ length: PROCESSES }, (_, at) =>
        codecompass(["locate_symbol", `quiet_${at % 50}`, "--json"], { cwd, env }),
      ),
    );
    const failed = all.filter(({ code }) => code !== 0).map(({ code, err, out }) => `${code} ${err} ${out}`);
    expect(failed).toEqual([]);
    for (const [at, ran] of all.entries()) expect(ran.json().results[0].name).toBe(`quiet_${at % 50}`);
    // A process that checked before the build and got the lease after it has nothing to do and publishes nothing.
    const jobs = (await withStore(home, (store) => store.jobs(100)))!;
    expect(jobs.map((job) => job.status)).toEqual(jobs.map(() => "published"));
    expect(jobs.filter((job) => job.changedFiles !== 0)).toHaveLength(1);
    expect((await withStore(home, (store) => store.views()))!.map((view) => view.generation)).toEqual([1]);
  },
  TIMEOUT_MS,
);

test(
  `L4: two servers and a command index concurrently, ${ROUNDS} rounds: none is locked out, every edit is found`,
  async () => {
    box = sandbox();
    const { env } = box;
    const root = box.tree(unchangedFiles(50));
    const [one, two] = [await served(root, env), await served(root, env)];
    for (let round = 0; round < ROUNDS; round++) {
      write(root, { "edited.py": `def edit_${round}():\n    pass\n` });
      const command =
        round % ROUNDS_PER_COMMAND === 0 ? codecompass(["sync", "--json"], { cwd: root, env }) : undefined;
      const replies = await Promise.all([told(one, round), told(two, round + 1)]);
      for (const reply of replies) expect(reply).toMatch(/^published$|^(index|sync)_in_progress$/);
      const ran = await command;
      if (ran?.code === 0) expect(ran.json().status).toBe("published");
      else if (ran !== undefined) expect(ran.json().error.message).toMatch(/already running/);
      for (const server of [one, two]) {
        await until(`round ${round} is found`, async () => {
          const { results, error } = await server.tool("locate_symbol", { name: `edit_${round}` });
          expect(error).toBeUndefined();
          return results.length === 1;
        });
      }
    }
    for (const server of [one, two]) expect(server.stderr()).not.toMatch(/unhandled|uncaught|locked|busy/i);
  },
  TIMEOUT_MS,
);

async function served(root: string, env: NodeJS.ProcessEnv): Promise<StdioServer> {
  const server = startServer(["--workspace", root], env);
  servers.push(server);
  await server.initialize();
  return server;
}

/** The status of the reply, or its error. */
async function told(server: StdioServer, round: number): Promise<string> {
  const reply = await server.tool(round % 2 === 0 ? "index_repo" : "sync_repo", { wait_seconds: 300 });
  return reply.status === "failed" ? reply.error : (reply.error?.code ?? reply.status);
}

/** A client that starts a server, sends one query, prints its pid, and waits to be killed. */
const CLIENT = `
const { spawn } = require("node:child_process");
const [main, root] = process.argv.slice(1);
const server = spawn(process.execPath, [main, "serve-mcp", "--workspace", root], { stdio: ["pipe", "pipe", "inherit"] });
const call = (id, method, params) => server.stdin.write(JSON.stringify({ jsonrpc: "2.0", id, method, params }) + "\\n");
call(1, "initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "client", version: "1" } });
call(2, "tools/call", { name: "locate_symbol", arguments: { name: "quiet_1" } });
let out = "";
server.stdout.on("data", (data) => {
  out += data;
  if (/"id":2/.test(out)) process.stdout.write(server.pid + "\\n");
});
`;

/** A client that exits cleanly is one case; a kill may hit the server at any point. */
const ENDS = [
  ["the client is killed", SESSIONS],
  ["the client closes its end", BATCH],
] as const;

test.each(ENDS)(
  "L8: %s, %i sessions: no process remains",
  async (how, count) => {
    box = sandbox();
    const { env } = box;
    const root = box.tree(unchangedFiles(20));
    expect((await codecompass(["index"], { cwd: root, env })).code).toBe(0);
    for (let batch = 0; batch < count / BATCH; batch++) {
      const sessions = await Promise.all(Array.from({ length: BATCH }, () => session(root, env)));
      const family = sessions.flatMap(({ server }) => [server, ...descendantsOf(server)]);
      expect(sessions.filter(({ server }) => isRunning(server))).toHaveLength(BATCH);
      for (const { client } of sessions) {
        if (how === "the client is killed") client.kill("SIGKILL");
        else client.stdin!.end();
      }
      await until("the servers left", () => !family.some(isRunning), 30_000);
    }
  },
  TIMEOUT_MS,
);

test(
  "L8: killing a server also ends its indexing process",
  async () => {
    box = sandbox();
    const server = startServer(["--workspace", box.tree(unchangedFiles(1_500))], box.env);
    await server.initialize();
    void server.tool("index_repo", { wait_seconds: 60 }).catch(() => {});
    let working: number[] = [];
    await until("it indexes", () => {
      working = descendantsOf(server.process.pid!).filter((pid) => commandOf(pid).includes("job-worker"));
      return working.length > 0;
    });
    server.process.kill("SIGKILL");
    await until("nothing is left", () => !working.some(isRunning), 30_000);
    expect(server.stderr()).not.toMatch(/EPIPE|nhandled/);
  },
  TIMEOUT_MS,
);

function session(root: string, env: NodeJS.ProcessEnv) {
  // The client closes its server's input when its own input ends.
  const script = `${CLIENT} process.stdin.on("end", () => server.stdin.end()).resume();`;
  const client = spawn(process.execPath, ["-e", script, MAIN, root], { env, stdio: ["pipe", "pipe", "inherit"] });
  clients.push(client);
  return new Promise<{ client: typeof client; server: number }>((resolve, reject) => {
    client.on("error", reject);
    client.stdout!.once("data", (data) => resolve({ client, server: Number(String(data).trim()) }));
  });
}
