/**
 * Requests of all principals share threads, queues and caches, but not their rights. An earlier request, or one of a
 * principal that was removed meanwhile, must not decide what a later request loads.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { postgresPrincipals, postgresTokens } from "../../src/adapters/postgres/principals.ts";
import { postgresStores } from "../../src/adapters/postgres/stores.ts";
import { asPrincipal } from "../../src/compose/principal-context.ts";
import type { TokenOwner } from "../../src/ports/principals.ts";
import type { Snapshot } from "../../src/ports/snapshot.ts";
import type { Store } from "../../src/ports/store.ts";
import { onTestDatabase } from "../kit/database-tests.ts";
import type { TestDatabase } from "../kit/postgres.ts";
import { sandbox } from "../kit/sandbox.ts";
import { PROJECT, publishFiles, sha256, type TextFile, testEnv } from "../kit/store.ts";
import { openToolClient, type ToolClient } from "../kit/tool-client.ts";

/** More than a request scans by itself, and more than one thread's share. */
const FILES = process.env.CODECOMPASS_LONG ? 500 : 80;
const ONE = "git.example.invalid/one/api";
const TWO = "git.example.invalid/two/web";

await onTestDatabase(contexts);

function contexts(database: TestDatabase): void {
  const { url } = database;
  const box = sandbox();
  const principals = postgresPrincipals(url);
  const tokens = postgresTokens(url);
  let made = 0;
  const added = async (...globs: string[]) => {
    const name = `p${++made}`;
    const token = await principals.add({ name, globs });
    return { name, ...(await tokens.ownerOf(token))! };
  };
  const filesOf = (word: string): TextFile[] =>
    Array.from({ length: FILES }, (_, at) => {
      return { path: `src/${word}_${at}.rs`, text: `def needle_${word}_${at}\n`, uses: [`used_${at}`] };
    });

  beforeAll(async () => {
    for (const [name, word] of [
      [ONE, "one"],
      [TWO, "two"],
    ] as const) {
      const stores = postgresStores({ url, env: testEnv(), connections: 1, nameOf: keyed });
      const store = await stores.open(name, { create: true, project: PROJECT });
      await publishFiles(store, filesOf(word), { ref: "refs/heads/main" });
      await store.close();
    }
  });
  afterAll(async () => {
    await Promise.all([principals.close(), tokens.close()]);
    await database.drop();
    box[Symbol.dispose]();
  });

  describe("a pattern over many texts", () => {
    const asking = async (use: (found: (by: TokenOwner, workspace: string) => Promise<unknown>) => Promise<void>) => {
      const server: ToolClient = await openToolClient(`${box.home}-${made}`, { store: url }, { guarded: true });
      const found = async (by: TokenOwner, workspace: string) => {
        const asked = { pattern: "needle_\\w+", workspace, page_size: 50 };
        const { body } = await asPrincipal(by, () => server.call("regex_search", asked));
        return body.error?.code ?? body.pagination.total_results ?? body.metadata.total_results;
      };
      try {
        await use(found);
      } finally {
        await server.close();
      }
    };

    test.each([
      ["each its own", [ONE, TWO]],
      ["the other order", [TWO, ONE]],
    ])("%s", (_, [first, second]) =>
      asking(async (found) => {
        const [one, other] = [await added(first!), await added(second!)];
        for (const workspace of [(mine: string) => mine, () => "all"]) {
          expect(await found(one, workspace(first!))).toBe(FILES);
          expect(await found(other, workspace(second!))).toBe(FILES);
          expect(await found(one, workspace(first!))).toBe(FILES);
        }
        expect([await found(one, second!), await found(other, first!)]).toEqual(
          Array(2).fill("workspace_not_registered"),
        );
      }),
    );

    test("concurrently", () =>
      asking(async (found) => {
        const [one, other, both] = [await added(ONE), await added(TWO), await added(ONE, TWO)];
        const asked = await Promise.all([found(one, ONE), found(other, TWO), found(both, "all"), found(other, "all")]);
        expect(asked).toEqual([FILES, FILES, 2 * FILES, FILES]);
      }));

    test("the first principal is removed and sees nothing more; the second sees all its repositories", () =>
      asking(async (found) => {
        const [gone, other] = [await added(TWO), await added(ONE)];
        expect(await found(gone, TWO)).toBe(FILES);
        await principals.remove(gone.name);
        expect(await found(other, ONE)).toBe(FILES);
        expect(await found(gone, TWO)).not.toBe(FILES);
        expect(await found(other, "all")).toBe(FILES);
      }));
  });

  describe("a snapshot held by two requests, one of which has lost its rights", () => {
    const present = new AsyncLocalStorage<string>();
    const holding = async (
      use: (by: Record<"lost" | "kept", <T>(read: (at: Snapshot) => Promise<T>) => Promise<T>>) => Promise<void>,
    ) => {
      const [lost, kept] = [await added(ONE), await added(ONE)];
      const principal = () => present.getStore() ?? "";
      const stores = postgresStores({ url, env: testEnv(), connections: 4, nameOf: keyed, principal });
      const store: Store = await stores.open(ONE, { create: false, project: PROJECT });
      const snapshots = await Promise.all(
        [lost, kept].map(({ secret }) => present.run(secret, () => store.snapshot("refs/heads/main"))),
      );
      await principals.remove(lost.name);
      try {
        await use({
          lost: (read) => present.run(lost.secret, () => read(snapshots[0]!)),
          kept: (read) => present.run(kept.secret, () => read(snapshots[1]!)),
        });
      } finally {
        for (const snapshot of snapshots) snapshot!.release();
        await store.close();
      }
    };
    const reads: Record<string, (at: Snapshot) => Promise<unknown>> = {
      record: async (at) => at.record((await at.file("src/one_1.rs"))!),
      text: async (at) => at.text((await at.file("src/one_1.rs"))!),
      frame: async (at) => at.frame((await at.file("src/one_1.rs"))!),
      facts: async (at) => (await at.facts([(await at.file("src/one_1.rs"))!])).map(({ names }) => names.length > 0),
      holding: (at) => at.holding({ op: "has", trigram: 0 }),
      symbols: (at) => at.symbols({ name: "needle_one_1", match: "exact", limit: 5 }),
    };
    test.each(
      Object.keys(reads).flatMap((name) => [
        [name, "lost first"],
        [name, "kept first"],
        [name, "one after the other"],
      ]),
    )("%s, %s", async (name, order) => {
      const read = reads[name!]!;
      let expected: unknown;
      await holding(async ({ kept }) => {
        expected = await kept(read);
      });
      await holding(async ({ lost, kept }) => {
        // A request without rights fails, or returns what it had already loaded; it never affects another.
        if (order === "one after the other") {
          await lost(read).catch(() => {});
          expect(await kept(read)).toEqual(expected);
          return;
        }
        const both = order === "lost first" ? [lost(read), kept(read)] : [kept(read), lost(read)];
        const [first, second] = await Promise.allSettled(both);
        expect(order === "lost first" ? second : first).toEqual({ status: "fulfilled", value: expected });
      });
    });
  });
}

/** The name that compose gives to a repository without a checkout. */
function keyed(location: string): { key: string; name: string } {
  return { key: sha256(location).slice(0, 16), name: location };
}
