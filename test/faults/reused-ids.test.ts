/**
 * An index that is removed and created again counts its generations, files and segments from one. A process that has the
 * old one open must answer from the new one, and from no cache of the old.
 */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { testDatabase } from "../kit/postgres.ts";
import { git, sandbox } from "../kit/sandbox.ts";
import { indexAll, openToolClient, type ToolClient } from "../kit/tool-client.ts";

const FILES = process.env.CODECOMPASS_LONG ? 200 : 45;
const ROUNDS = process.env.CODECOMPASS_LONG ? 10 : 1;

const database = await testDatabase();
afterAll(async () => void ("skip" in database || (await database.drop())));

describe("SQLite", () => removedAndMadeAnew({ store: "", name: undefined }));
if ("skip" in database) test.skip(`postgres: ${database.skip}`, () => {});
else {
  describe("PostgreSQL, a tree of this machine", () => removedAndMadeAnew({ store: database.url, name: undefined }));
  describe("PostgreSQL, by name", () =>
    removedAndMadeAnew({ store: database.url, name: "git.example.invalid/acme/api" }));
}

function removedAndMadeAnew({ store, name }: { readonly store: string; readonly name: string | undefined }): void {
  // Small views are answered on the caller's thread, large ones by reader threads; each has its own caches.
  test.each([undefined, "all"] as const)("readers: %s", { timeout: 300_000 }, async (readers) => {
    using box = sandbox();
    const home = join(box.home, "..", `home-${readers}`);
    const root = box.repository(contentOf(0));
    if (name !== undefined) git(root, "remote", "add", "origin", `https://${name}.git`);
    await using admin = closing(await openToolClient(home, { store }));
    await indexAll(admin.it, [root]);
    await using server = closing(await openToolClient(home, { store }, readers && { readers }));
    for (let round = 1; round <= ROUNDS; round++) {
      for (const [tool, told] of await answersOf(server.it, root, round - 1))
        expect([tool, told]).toEqual([tool, expect.stringContaining(`gone_${round - 1}_1`)]);
      await admin.it.compass.forget(root);
      if (name !== undefined) await admin.it.compass.forget(`repo:${name}`);
      for (const path of Object.keys(contentOf(round - 1))) rmSync(join(root, path));
      for (const [path, text] of Object.entries(contentOf(round))) writeFileSync(join(root, path), text);
      await indexAll(admin.it, [root]);
      for (const [tool, told] of await answersOf(server.it, root, round)) {
        expect([tool, told]).toEqual([tool, expect.stringContaining(`gone_${round}_1`)]);
        expect([tool, told]).toEqual([tool, expect.not.stringContaining(`gone_${round - 1}_`)]);
      }
    }
  });
}

/** The same number of files and symbols in each round, with other names: every number is reused. */
function contentOf(round: number): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: FILES }, (_, at) => {
      const name = `gone_${round}_${at}`;
      return [`f${at}_${round}.rs`, `/// common words\npub fn ${name}() {}\nfn user() { ${name}(); }\n`];
    }),
  );
}

/** The first ones are the same in each round, so that anything cached by the query is hit. */
async function answersOf(
  { call }: ToolClient,
  workspace: string,
  round: number,
): Promise<(readonly [string, string])[]> {
  const answers: (readonly [string, string])[] = [];
  for (const [tool, input] of [
    ["search_code", { query: "common words", limit: FILES }],
    ["regex_search", { pattern: "gone_\\d+_1\\b", page_size: 20 }],
    ["hybrid_search", { query: "common words", page_size: FILES }],
    ["locate_symbol", { name: `gone_${round}_1` }],
    ["find_references", { symbol_name: `gone_${round}_1` }],
    ["get_file_outline", { path: `f1_${round}.rs` }],
  ] as const) {
    const { body } = await call(tool, { ...input, workspace });
    answers.push([tool, JSON.stringify(body.results ?? body.symbols ?? body.references ?? body)]);
  }
  return answers;
}

function closing(it: ToolClient): { readonly it: ToolClient } & AsyncDisposable {
  return { it, [Symbol.asyncDispose]: () => it.close() };
}
