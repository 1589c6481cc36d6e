/** SQLite and PostgreSQL give the same bytes: ranked search, patterns, symbols, outlines, references, diffs. */
import { cpSync, globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { onTestDatabase } from "../kit/database-tests.ts";
import { type IndexedEngine, indexEngine, randomQueries } from "../kit/indexed-engines.ts";
import type { TestDatabase } from "../kit/postgres.ts";
import { branch, git, sandbox, write } from "../kit/sandbox.ts";

/** Folders of this repository: code of a realistic size, with names that occur in many places. */
const ROOMS = ["segment", "query", ...(process.env.CODECOMPASS_LONG ? ["compass", "regex"] : [])];
const QUESTIONS = process.env.CODECOMPASS_LONG ? 300 : 100;

await onTestDatabase(engines);

function engines({ url, drop }: TestDatabase): void {
  describe("SQLite and PostgreSQL", () => {
    const box = sandbox();
    const root = box.repository({ "README.md": "# rooms\n" });
    const source = resolve(import.meta.dirname, "..", "..", "src");
    for (const room of ROOMS) cpSync(join(source, room), join(root, room), { recursive: true });
    git(root, "add", "-A");
    git(root, "commit", "-qm", "rooms");
    // A clone with a remote: its tree is stored as a difference to the shared view.
    git(root, "remote", "add", "origin", "https://git.example.invalid/acme/rooms.git");
    branch(root, "feat/other", () => {
      write(root, {
        "segment/top.ts": "export function best(): number[] {\n  return [];\n}\n",
        "more.ts": "export const more = 1;\n",
      });
    });
    const paths = globSync("**/*.ts", { cwd: root }).sort();
    // Tests contain programs as strings, whose names are not symbols.
    const own = paths.filter((path) => !path.endsWith(".test.ts"));
    const texts = own.map((path) => readFileSync(join(root, path), "utf8"));
    const names = [...new Set(texts.flatMap((text) => text.match(/(?<=^export (?:function|class) )\w{4,}/gm) ?? []))];
    let sides: [IndexedEngine, IndexedEngine];

    beforeAll(async () => {
      sides = [
        await indexEngine(root, join(box.home, "sqlite"), ""),
        await indexEngine(root, join(box.home, "postgres"), url),
      ];
      // A query would wait for the branch's overlay only for a while.
      for (const { compass, project } of sides)
        await compass.index(project, { ref: "feat/other", mode: "full", force: false, waitMs: 3_600_000 });
    }, 300_000);
    afterAll(async () => {
      await Promise.all(sides.map(({ compass }) => compass.close()));
      await drop();
      box[Symbol.dispose]();
    });

    const alike = async (tool: string, inputs: readonly object[]) => {
      for (const input of inputs) {
        const [one, other] = await Promise.all(sides.map((side) => side.call(tool, input)));
        expect(other, `${tool} ${JSON.stringify(input)}`).toBe(one);
        // Both reject a name that several symbols have, with the same candidates.
        expect(one).not.toMatch(/^\{"error":\{"code":"(?!ambiguous_symbol)/);
      }
    };
    const some = <T>(list: readonly T[], every: number) => list.filter((_, at) => at % every === 0);

    test(
      `${QUESTIONS} ranked queries`,
      () =>
        alike(
          "search_code",
          randomQueries(texts, QUESTIONS).map((query) => ({ query, limit: 10 })),
        ),
      300_000,
    );
    test(
      "with filters, and on a branch",
      () =>
        alike(
          "search_code",
          randomQueries(texts, 20, 3).flatMap((query) => [
            { query, language: "typescript", path: "segment" },
            { query, ref: "feat/other" },
          ]),
        ),
      300_000,
    );
    test("semantic and hybrid search", async () => {
      const asked = randomQueries(texts, 20, 5).map((query) => ({ query, limit: 10 }));
      await alike("semantic_search", asked);
      await alike("hybrid_search", asked);
    }, 300_000);
    test(
      "patterns",
      () =>
        alike(
          "regex_search",
          [
            "TODO",
            "\\bfunction \\w+\\(",
            "readonly .*: number",
            "[A-Z]\\w+Error",
            "^import .*node:",
            "(?i)corruption",
            "x{3}",
          ].map((pattern) => ({ pattern })),
        ),
      300_000,
    );
    test(
      "symbols",
      () =>
        alike(
          "locate_symbol",
          some(names, 4).map((name) => ({ name })),
        ),
      300_000,
    );
    test(
      "outlines",
      () =>
        alike(
          "get_file_outline",
          some(paths, 6).map((path) => ({ path })),
        ),
      300_000,
    );
    test("references and graphs", async () => {
      const asked = some(names, 8).map((name) => ({ symbol_name: name }));
      await alike("find_references", asked);
      await alike("get_call_graph", asked);
    }, 300_000);
    test("diffs", () => alike("diff_context", [{ base_ref: "main", head_ref: "feat/other" }]), 300_000);
  });
}
