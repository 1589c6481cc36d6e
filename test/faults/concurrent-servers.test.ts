/** Ten servers and three writers on one repository: no lock error reaches a caller, nothing is lost, memory is returned. */
import { constants, setPriority } from "node:os";
import { afterEach, expect, test } from "vitest";
import { codecompass } from "../kit/command.ts";
import { unchangedFiles, until } from "../kit/faults.ts";
import { type HttpProcess, startHttp } from "../kit/http.ts";
import { type Sandbox, sandbox, write } from "../kit/sandbox.ts";
import { type StdioServer, startServer } from "../kit/stdio.ts";

// Ten servers that never pause, on two cores: lower their priority for the sake of other tests. They inherit it.
if (process.env.CODECOMPASS_LONG) setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

const TIMEOUT_MS = 600_000;
const ROUNDS = process.env.CODECOMPASS_LONG ? 4 : 1;
const WRITERS = [0, 1, 2];
const word = (writer: number, round: number) => `by_${writer}_in_${round}`;
const WRITTEN = Array.from({ length: ROUNDS }, (_, round) => WRITERS.map((writer) => word(writer, round))).flat();

let box: Sandbox | undefined;
const stdio: StdioServer[] = [];
const http: HttpProcess[] = [];
afterEach(async () => {
  await Promise.all([...stdio.splice(0), ...http.splice(0)].map((server) => server.close()));
  box?.[Symbol.dispose]();
});

type Ask = (name: string, input: object) => Promise<{ error?: unknown; results?: { name: string }[]; status?: string }>;

test(
  "ten servers answer while three writers write",
  async () => {
    box = sandbox();
    const { env } = box;
    const root = box.repository(unchangedFiles(60));
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
    // Without pauses: every server answers queries for as long as a writer runs.
    const readers = asks.map(async (ask, at) => {
      let answered = 0;
      for (; writing; answered++) {
        const { error, results } = await ask("locate_symbol", { name: `quiet_${(at * 7 + answered) % 60}` });
        if (error !== undefined || results?.length !== 1) refused.push(error ?? results);
      }
      return answered;
    });
    const told = async (ask: Ask, round: number) => {
      const { error, status } = await ask(round % 2 === 0 ? "sync_repo" : "index_repo", { wait_seconds: 60 });
      return (error as { code?: string } | undefined)?.code ?? String(status);
    };
    const commanded = async () => {
      const { code, err } = await codecompass(["sync"], { cwd: root, env });
      return code === 0 ? "published" : err;
    };
    for (let round = 0; round < ROUNDS; round++) {
      // All three at once, each with its own file that only this round writes: a lost write stays lost.
      for (const writer of WRITERS)
        write(root, { [`by${writer}_${round}.py`]: `def ${word(writer, round)}(): pass\n` });
      const said = await Promise.all([told(asks[0]!, round), told(asks[9]!, round + 1), commanded()]);
      refused.push(...said.filter((word) => !/^published$|already running|^(sync|index)_in_progress$/.test(word)));
    }
    writing = false;
    expect(Math.min(...(await Promise.all(readers)))).toBeGreaterThan(ROUNDS);
    expect(refused).toEqual([]);
    await Promise.all(
      asks.map((ask, at) =>
        until(`server ${at} finds all that was written`, async () => {
          for (const name of WRITTEN) if ((await ask("locate_symbol", { name })).results?.length !== 1) return false;
          return true;
        }),
      ),
    );
    for (const server of stdio) expect(server.stderr()).not.toMatch(/unhandled|uncaught|locked|busy/i);
    for (const server of http) expect(server.stderr()).not.toMatch(/unhandled|uncaught|locked|busy/i);
  },
  TIMEOUT_MS,
);

test("SIGTERM ends an HTTP server and everything it started", async () => {
  box = sandbox();
  const root = box.tree(unchangedFiles(20));
  const server = await startHttp(["--workspace", root], box.env);
  expect((await server.tool("locate_symbol", { name: "quiet_1" })).error).toBeUndefined();
  expect(await server.close()).toBe(0);
});
