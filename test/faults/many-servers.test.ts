/** Ten servers and three writers on one repository: no lock error reaches a caller, nothing is lost, memory comes back. */
import { afterEach, expect, test } from "vitest";
import { codecompass } from "../kit/command.ts";
import { quietFiles, until } from "../kit/faults.ts";
import { type HttpProcess, startHttp } from "../kit/http.ts";
import { type Sandbox, sandbox, write } from "../kit/sandbox.ts";
import { type StdioServer, startServer } from "../kit/stdio.ts";

const PATIENCE_MS = 600_000;
const ROUNDS = 10;

let box: Sandbox | undefined;
const stdio: StdioServer[] = [];
const http: HttpProcess[] = [];
afterEach(async () => {
  await Promise.all([...stdio.splice(0), ...http.splice(0)].map((server) => server.close()));
  box?.[Symbol.dispose]();
});

type Ask = (name: string, input: object) => Promise<{ error?: unknown; results?: { name: string }[]; status?: string }>;

test(
  "ten servers ask while three writers write",
  async () => {
    box = sandbox();
    const { env } = box;
    const root = box.repository(quietFiles(60));
    expect((await codecompass(["index"], { cwd: root, env })).code).toBe(0);
    for (let i = 0; i < 7; i++) {
      const server = startServer(["--workspace", root], env);
      stdio.push(server);
      await server.initialize();
    }
    for (let i = 0; i < 3; i++) http.push(await startHttp(["--workspace", root], env));
    const asks: Ask[] = [...stdio, ...http].map((server) => server.tool);
    const refused: unknown[] = [];
    let writing = true;
    const readers = asks.map(async (ask, at) => {
      for (let i = 0; writing; i++) {
        const { error, results } = await ask("locate_symbol", { name: `quiet_${(at * 7 + i) % 60}` });
        if (error !== undefined || results?.length !== 1) refused.push(error ?? results);
        // As busy agents ask: ten that never pause only take the processor from the writers (39 s of it, and 27 with this).
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    });
    const writers = [asks[0]!, asks[9]!].map(async (ask, at) => {
      for (let round = 0; round < ROUNDS; round++) {
        write(root, { [`writer${at}.py`]: `def by_${at}_in_${round}():\n    pass\n` });
        const { error, status } = await ask(round % 2 === 0 ? "sync_repo" : "index_repo", { wait_seconds: 60 });
        const code = (error as { code?: string } | undefined)?.code ?? status;
        if (!/^(published|(sync|index)_in_progress)$/.test(String(code))) refused.push(error ?? status);
      }
    });
    const third = (async () => {
      for (let round = 0; round < ROUNDS; round++) {
        write(root, { "writer2.py": `def by_2_in_${round}():\n    pass\n` });
        const ran = await codecompass(["sync"], { cwd: root, env });
        if (ran.code !== 0 && !/already running/.test(ran.err)) refused.push(ran.err);
      }
    })();
    await Promise.all([...writers, third]);
    writing = false;
    await Promise.all(readers);
    expect(refused).toEqual([]);
    for (const ask of asks) {
      for (const at of [0, 1, 2]) {
        await until(`the last word of writer ${at} is found`, async () => {
          const { results } = await ask("locate_symbol", { name: `by_${at}_in_${ROUNDS - 1}` });
          return results?.length === 1;
        });
      }
    }
    for (const server of stdio) expect(server.stderr()).not.toMatch(/unhandled|uncaught|locked|busy/i);
    for (const server of http) expect(server.stderr()).not.toMatch(/unhandled|uncaught|locked|busy/i);
  },
  PATIENCE_MS,
);

test("SIGTERM ends an HTTP server and everything it started", async () => {
  box = sandbox();
  const root = box.tree(quietFiles(20));
  const server = await startHttp(["--workspace", root], box.env);
  expect((await server.tool("locate_symbol", { name: "quiet_1" })).error).toBeUndefined();
  expect(await server.close()).toBe(0);
});
