/**
 * A repository that git cannot read (another user owns it, its configuration is broken, git is missing) is not one
 * without refs. Operations that need git say why they fail and what to do; files on disk are still searched.
 */
import { appendFileSync, existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { gitHooks } from "../../src/adapters/git/hooks.ts";
import { openCompass } from "../../src/compose/compose.ts";
import { DEFAULTS } from "../../src/config/schema.ts";
import { codecompass } from "../kit/command.ts";
import { foreignGit } from "../kit/git-programs.ts";
import { branch, git, type Sandbox, sandbox, write } from "../kit/sandbox.ts";
import { startServer } from "../kit/stdio.ts";

let box: Sandbox;
const path = process.env.PATH;
beforeEach(() => {
  box = sandbox();
});
afterEach(() => {
  process.env.PATH = path;
  box[Symbol.dispose]();
});

function repository(): string {
  const root = box.repository({ "a.rs": "fn alpha() {}\n" });
  branch(root, "other", () => write(root, { "b.rs": "fn beta() {}\n" }));
  git(root, "tag", "-am", "x", "v1");
  return root;
}

const CASES = {
  "another user owns it": {
    arrange: () => {
      process.env.PATH = `${foreignGit(box)}${delimiter}${path}`;
    },
    reason: /belongs to another user/,
    suggestion: /as the user that owns it.*git config --global --add safe\.directory \S/,
  },
  "its configuration is broken": {
    arrange: (root: string) => appendFileSync(join(root, ".git/config"), "[broken"),
    reason: /git cannot read the repository: bad config line/,
    suggestion: /git status/,
  },
  "there is no git": {
    arrange: () => {
      process.env.PATH = "/nowhere";
    },
    reason: /git cannot be started/,
    suggestion: /Install git/,
  },
};

for (const [name, { arrange, reason, suggestion }] of Object.entries(CASES)) {
  test(`${name}: every use of a ref reports it`, async () => {
    const root = repository();
    arrange(root);
    const compass = await openCompass({ home: box.home, workspaces: [], settings: DEFAULTS, watch: false });
    const project = await compass.register(root);
    const refused = expect.objectContaining({
      code: "ref_not_indexed",
      data: expect.objectContaining({
        cause: "refused",
        reason: expect.stringMatching(reason),
        suggestion: expect.stringMatching(suggestion),
      }),
    });
    await compass.freshen(project, {});
    for (const ref of ["other", "v1", "HEAD~0", "nothing"])
      await expect(compass.freshen(project, { ref }), ref).rejects.toEqual(refused);
    for (const refs of [{ headRef: "other" }, { headRef: "worktree" }, { headRef: "v1" }, { baseRef: "nothing" }])
      await expect(compass.diff(project, refs as never), JSON.stringify(refs)).rejects.toEqual(refused);
    await expect(compass.switchRef(project, { ref: "v1", session: "x", ensureWorktree: true })).rejects.toEqual(
      refused,
    );
    await compass.read(project, { policy: "strict" }, async (reading) => {
      expect((await reading.locate({ name: "alpha", limit: 1 })).hits).toHaveLength(1);
    });
    await expect(gitHooks().install(root, ["x"])).rejects.toMatchObject({
      data: { reason: expect.stringMatching(reason) },
    });
    expect(existsSync(join(root, ".git/hooks/post-commit"))).toBe(false);
    await compass.close();
  });
}

test("another user's repository on the command line and over MCP", async () => {
  const root = repository();
  const env = { ...box.env, PATH: `${foreignGit(box)}${delimiter}${path}` };
  const ran = await codecompass(["search", "beta", "--ref", "other"], { cwd: root, env });
  expect(ran.code).toBe(2);
  expect(ran.err).toMatch(/belongs to another user[\s\S]*safe\.directory/);
  expect((await codecompass(["doctor"], { cwd: root, env })).out).toMatch(/warn {2}git: .*another user/);
  const server = startServer(["--workspace", root], env);
  await server.initialize();
  const { error } = await server.tool("diff_context", { head_ref: "v1" });
  expect(error).toMatchObject({ code: "ref_not_indexed", data: { cause: "refused" } });
  expect(error.message).toMatch(/^The ref v1 cannot be read: git refuses .* another user\.$/);
  await server.close();
});
