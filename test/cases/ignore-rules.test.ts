/**
 * Ignore rules outside the workspace: when one changes, the view follows, and no answer in between claims to be fresh. They
 * apply to files that git does not track.
 */
import { appendFileSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { codecompass } from "../kit/command.ts";
import { until, withStore } from "../kit/faults.ts";
import { git, type Sandbox, sandbox, write } from "../kit/sandbox.ts";
import { type StdioServer, startServer } from "../kit/stdio.ts";

const TIMEOUT_MS = 300_000;

let box: Sandbox;
let user: string;
let root: string;
let workspace: string;
let server: StdioServer | undefined;

beforeEach(() => {
  box = sandbox();
  user = join(box.home, "..", "user");
  root = box.repository({ "sub/src/other.py": "def other(): pass\n" });
  write(root, { "sub/src/app.py": "def greet(): pass\n" });
  workspace = join(root, "sub");
});

afterEach(async () => {
  await server?.close();
  server = undefined;
  box[Symbol.dispose]();
});

function environment(): NodeJS.ProcessEnv {
  const { XDG_CONFIG_HOME: _, ...env } = box.env;
  return { ...env, HOME: user };
}

/** How each file comes to ignore `app.py`, and how that is undone. */
const RULES: Readonly<Record<string, () => () => void>> = {
  "info/exclude": () => appended(join(root, ".git/info/exclude")),
  "the global ignore file": () => appended(join(user, ".config/git/ignore")),
  "a .gitignore above the workspace": () => appended(join(root, ".gitignore")),
  "core.excludesFile": () => {
    write(user, { "my-rules": "app.py\n", ".gitconfig": `[core]\n\texcludesFile = ${join(user, "my-rules")}\n` });
    return () => rmSync(join(user, ".gitconfig"));
  },
};

function appended(file: string): () => void {
  mkdirSync(dirname(file), { recursive: true });
  appendFileSync(file, "app.py\n");
  return () => rmSync(file);
}

/** Queries until the answer follows. An answer that claims to be fresh must match the current rules. */
async function follows(
  expected: number,
  tool: (name: string, input: object) => Promise<Answer>,
  ref?: string,
): Promise<Answer> {
  let last: Answer | undefined;
  await until(`${expected} results`, async () => {
    last = await tool("locate_symbol", { name: "greet", ...(ref !== undefined && { ref }) });
    const isRight = last.results.length === expected;
    if (last.metadata.freshness_status === "fresh") expect(isRight).toBe(true);
    return isRight && last.metadata.freshness_status === "fresh";
  });
  return last!;
}

interface Answer {
  readonly results: readonly unknown[];
  readonly metadata: { readonly freshness_status: string; readonly coverage?: unknown };
}

async function started(watch: "true" | "false"): Promise<StdioServer["tool"]> {
  server = startServer(["--workspace", workspace], { ...environment(), CODECOMPASS_SERVER_WATCH: watch });
  await server.initialize();
  const { tool } = server;
  expect((await tool("index_repo", { wait_seconds: 60 })).status).toBe("published");
  if (watch === "true") await until("it is watched", async () => (await tool("health_check")).watcher === "native");
  return tool;
}

async function followsEachRule(
  tool: StdioServer["tool"],
  undone = async (): Promise<unknown> => undefined,
): Promise<void> {
  for (const ignore of Object.values(RULES)) {
    const undo = ignore();
    await follows(0, tool);
    undo();
    await undone();
  }
}

test(
  "a watching server follows each rule file, and rejects strict queries until it has",
  async () => {
    const tool = await started("true");
    const before = await follows(1, tool);
    for (const ignore of Object.values(RULES)) {
      const undo = ignore();
      await follows(0, tool);
      expect((await tool("index_status")).metadata.freshness_status).toBe("fresh");
      undo();
      const strict = await tool("locate_symbol", { name: "greet", freshness_policy: "strict" });
      expect(strict.error?.code ?? strict.results.length).toSatisfy((it) => it === "index_stale" || it === 1);
      const after = await follows(1, tool);
      expect(after.metadata.coverage).toEqual(before.metadata.coverage);
    }
  },
  TIMEOUT_MS,
);

test(
  "a server without a watcher follows each rule file",
  async () => {
    const tool = await started("false");
    await followsEachRule(tool, () => follows(1, tool));
  },
  TIMEOUT_MS,
);

test(
  "commands follow each rule file",
  async () => {
    const tool = async (name: string, input: object) => {
      const args = [name, ...Object.values(input), "--path", workspace, "--json"];
      return (await codecompass(args, { cwd: workspace, env: environment() })).json();
    };
    await follows(1, tool);
    await followsEachRule(tool);
    await follows(1, tool);
  },
  TIMEOUT_MS,
);

test(
  "an idle server follows, too",
  async () => {
    const tool = await started("true");
    await follows(1, tool);
    appended(join(root, ".git/info/exclude"));
    // Read from its store, so that no query triggers a check.
    const counts = () => withStore(box.home, async (store) => (await store.views()).map((view) => view.fileCount));
    await until("the index has one file less", async () => (await counts())?.includes(1) === true);
  },
  TIMEOUT_MS,
);

test("a file that a ref tracks is shown at it, whatever the rules say", { timeout: TIMEOUT_MS }, async () => {
  git(root, "checkout", "-qb", "other");
  git(root, "add", "-A");
  git(root, "commit", "-qm", "track it");
  git(root, "checkout", "-q", "-");
  const tool = await started("true");
  await follows(1, tool, "other");
  for (const name of ["info/exclude", "the global ignore file"]) {
    const undo = RULES[name]!();
    await follows(1, tool, "other");
    undo();
    await follows(1, tool, "other");
  }
});
