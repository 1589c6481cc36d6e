import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { GitThread } from "./git-thread.ts";

const byGit = (args: readonly string[]) => execFileSync("git", args);

test("each gets the answer to its own question, and a refusal is none", async () => {
  const git = new GitThread();
  const asked = [["--version"], ["no-such-command"], ["--exec-path"], ["--version"]];
  const [version, refused, path, again] = await Promise.all(asked.map((args) => git.run(args)));
  expect(version).toEqual(byGit(["--version"]));
  expect(refused).toBeUndefined();
  expect(path).toEqual(byGit(["--exec-path"]));
  expect(again).toEqual(version);
});

test.each([
  ["dies when it is asked", `import{parentPort}from"node:worker_threads";parentPort.on("message",()=>process.exit(1))`],
  ["cannot even start", "no program"],
])("a thread that %s costs nobody an answer", async (_, program) => {
  const git = new GitThread(new URL(`data:text/javascript,${encodeURIComponent(program)}`));
  for (let round = 0; round < 2; round++) {
    const answers = await Promise.all([git.run(["--version"]), git.run(["--exec-path"])]);
    expect(answers).toEqual([byGit(["--version"]), byGit(["--exec-path"])]);
  }
});
