/** The default branch of a repository without a checkout: the HEAD of its bare clone, otherwise the usual names. */
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bareCloneOf } from "../kit/bare-clone.ts";
import { onTestDatabase } from "../kit/database-tests.ts";
import type { TestDatabase } from "../kit/postgres.ts";
import { commit, git, sandbox, write } from "../kit/sandbox.ts";
import { openToolClient, type ToolClient } from "../kit/tool-client.ts";

const NAME = "git.example.invalid/acme/trunked";

await onTestDatabase(branches);

function branches(database: TestDatabase): void {
  const box = sandbox();
  const root = box.repository({ "old.rs": "pub fn of_main() {}\n" });
  git(root, "checkout", "-q", "-b", "trunk");
  write(root, { "new.rs": "pub fn of_trunk() {}\n" });
  commit(root, "trunk");
  const bare = bareCloneOf(root, `https://${NAME}.git`);
  let ci: ToolClient;
  let server: ToolClient;
  const index = async (ref?: string) => {
    const { compass } = ci;
    const job = await compass.index(await compass.register(bare), {
      mode: "full",
      force: false,
      waitMs: 60_000,
      ...(ref !== undefined && { ref }),
    });
    expect(job.status).toBe("published");
  };
  /** By the repository itself, and over all of them. */
  const answers = async () => {
    const one = await server.call("search_code", { query: "of", workspace: NAME });
    const all = await server.call("regex_search", { pattern: "fn of_\\w+", workspace: "all" });
    const { refs } = (await server.call("list_refs", { workspace: NAME })).body;
    return {
      ref: one.body.metadata.ref,
      all: all.body.results.map(({ file }: { file: string }) => file),
      listed: refs.filter((row: { is_default: boolean }) => row.is_default).map(({ ref }: { ref: string }) => ref),
    };
  };

  beforeAll(async () => {
    ci = await openToolClient(join(box.home, "..", "home-ci"), { store: database.url });
    server = await openToolClient(join(box.home, "..", "home-server"), { store: database.url });
    await index("main");
    await index();
  }, 60_000);
  afterAll(async () => {
    await Promise.all([ci?.close(), server?.close()]);
    await database.drop();
    box[Symbol.dispose]();
  });

  test("the HEAD of the bare clone, even if there is a main", async () => {
    expect(await answers()).toEqual({ ref: "trunk", all: ["new.rs", "old.rs"], listed: ["trunk"] });
  });

  test("the next index follows a changed default branch", async () => {
    git(bare, "symbolic-ref", "HEAD", "refs/heads/main");
    await index();
    expect(await answers()).toEqual({ ref: "main", all: ["old.rs"], listed: ["main"] });
    git(bare, "symbolic-ref", "HEAD", "refs/heads/trunk");
    await index();
    expect((await answers()).ref).toBe("trunk");
  });
}
