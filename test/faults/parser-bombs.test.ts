/** I4: files made to break parsers, in every language, and 2,000 hostile files in a row: all are listed, none ends the job. */
import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { TreeSitterGrammars } from "../../src/adapters/treesitter/grammars.ts";
import { grammarSources } from "../../src/adapters/treesitter/locate.ts";
import { parse } from "../../src/ingest/read-file.ts";
import { READABLE } from "../../src/languages/index.ts";
import { until } from "../kit/faults.ts";
import { codecompass } from "../kit/inline-command.ts";
import { prng } from "../kit/prng.ts";
import { sandbox, write } from "../kit/sandbox.ts";
import { startServer } from "../kit/stdio.ts";

const TIMEOUT_MS = 600_000;
const MARKER = "needle_behind_the_bomb";

/** On many lines: one long line would be skipped as minified and never reach a parser. */
const BOMBS: Readonly<Record<string, string>> = {
  round: "(\n".repeat(100_000),
  list: `x = [${"1, 2, 3,\n".repeat(60_000)}1]`,
  square: "[\n".repeat(100_000),
  curly: "{\n".repeat(100_000),
  generic: "A<\n".repeat(50_000),
  blocks: "if (a) {\n".repeat(20_000),
  quotes: `"'\`\n`.repeat(30_000),
};
/** Most bombs use all the time that a parser gets: very little here, two seconds in the product. */
const LITTLE_MS = 15;
/** The extensions that get the two seconds as well. */
const LISTS = [".py", ".js", ".go"];

const grammatical = READABLE.filter((language) => language.grammar !== undefined);
const extensions = grammatical.flatMap((it) => it.extensions.slice(0, 1));
/** A grammar that gives up takes two seconds of the processor: by default one in twelve gets them. */
const slowExtensions = extensions.filter((_, at) => process.env.CODECOMPASS_LONG !== undefined || at % 12 === 0);
const HOSTILE_FILES = process.env.CODECOMPASS_LONG ? 2_000 : 200;

function bombIn(extension: string, bomb: string): string {
  return `${extension === ".php" ? "<?php\n" : ""}${bomb}\n${MARKER}\n`;
}

test(
  `I4: ${slowExtensions.length} grammars with the product's time limit: every file is indexed and searchable`,
  async () => {
    using box = sandbox();
    const files: Record<string, string> = { "good.py": "def still_parsed():\n    pass\n" };
    for (const extension of slowExtensions) files[`round${extension}`] = bombIn(extension, BOMBS.round!);
    for (const extension of LISTS) files[`list${extension}`] = bombIn(extension, BOMBS.list!);
    const root = box.tree(files);
    const ran = await codecompass(["index", "--json"], { cwd: root, env: box.env });
    expect(ran.err).toBe("");
    expect(ran.json()).toMatchObject({
      file_count: Object.keys(files).length,
      skipped_reasons: { parse_gave_up: expect.any(Number) },
    });
    const found = await codecompass(["locate_symbol", "still_parsed"], { cwd: root, env: box.env });
    expect(found.code).toBe(0);
    const text = await codecompass(["search", `"${MARKER}"`, "--json", "--limit", "5"], { cwd: root, env: box.env });
    expect(text.json().results).toHaveLength(5);
    const status = await codecompass(["index_status", "--json"], { cwd: root, env: box.env });
    const given = status.json().problems.find((one: { problem: string }) => /timeout|crash/.test(one.problem));
    const outline = await codecompass(["get_file_outline", given.path, "--json"], { cwd: root, env: box.env });
    expect(outline.json().metadata).toMatchObject({
      result_completeness: "partial",
      warnings: [expect.stringContaining("its symbols are not known")],
    });
  },
  TIMEOUT_MS,
);

test(
  "I4: a file that its parser abandons is counted, makes symbol answers partial, and is retried by the next index",
  async () => {
    using box = sandbox();
    const root = box.tree({ "bomb.py": bombIn(".py", BOMBS.round!), "good.py": "def good():\n    pass\n" });
    const run = async (...args: string[]) =>
      (await codecompass([...args, "--json"], { cwd: root, env: box.env })).json();
    const gap = { parse_gave_up: 1 };
    expect(await run("index")).toMatchObject({ file_count: 2, skipped_reasons: gap });
    // An empty answer would claim that the symbol does not exist.
    const asked = [
      ["locate_symbol", "absent"],
      ["search_code", "absent"],
      ["find_references", "good"],
    ];
    for (const args of asked) {
      expect((await run(...args)).metadata).toMatchObject({
        result_completeness: "partial",
        coverage: { files_indexed: 2, files_skipped: 1, skipped_reasons: gap },
        warnings: [expect.stringContaining("bomb.py")],
      });
    }
    const unaffected = [
      ["regex_search", MARKER],
      ["get_file_outline", "good.py"],
    ];
    for (const args of unaffected) expect((await run(...args)).metadata.result_completeness).toBe("complete");
    // No answer waits for a retry, and no publish is made for one; an explicit run retries.
    const before = await run("index_status");
    expect(before.recent_jobs).toHaveLength(1);
    for (const command of ["sync", "index"]) {
      expect(await run(command)).toMatchObject({ job_id: expect.any(String), changed_files: 0, skipped_reasons: gap });
    }
    expect((await run("index_status")).last_indexed_at).toBe(before.last_indexed_at);
    await aServerDoesNotSpin(root, box.env);
    write(root, { "bomb.py": "def defused():\n    pass\n" });
    expect(await run("sync")).toMatchObject({ symbol_count: 2, skipped_reasons: {} });
    const { results, metadata } = await run("locate_symbol", "defused");
    expect(results).toHaveLength(1);
    expect(metadata.result_completeness).toBe("complete");
    expect(await run("sync")).not.toHaveProperty("job_id");
  },
  TIMEOUT_MS,
);

/** The watcher does not retry a file that cannot be parsed, even if another file changes. */
async function aServerDoesNotSpin(root: string, env: NodeJS.ProcessEnv): Promise<void> {
  const server = startServer(["--workspace", root], env);
  await server.initialize();
  const jobs = async () => (await server.tool("index_status")).recent_jobs.length;
  const found = async (name: string) => (await server.tool("locate_symbol", { name })).results.length === 1;
  const atFirst = await jobs();
  for (let round = 0; round < 3; round++) expect(await found("good")).toBe(true);
  expect(await jobs()).toBe(atFirst);
  write(root, { "good.py": "def better():\n    pass\n" });
  await until("the edit shows", () => found("better"));
  // What a job has published shows before the job is recorded.
  await until("its job is recorded", async () => (await jobs()) > atFirst);
  for (let round = 0; round < 3; round++) expect(await found("better")).toBe(true);
  expect(await jobs()).toBe(atFirst + 1);
  await server.close();
}

describe("I4: every bomb in every grammar, with little time: an outcome, and the next file is parsed normally", () => {
  const grammars = new TreeSitterGrammars(grammarSources(grammatical));

  test.each(grammatical.map((language) => [language.id, language] as const))(
    "%s",
    async (id, language) => {
      const read = (text: string, budgetMs: number) => parse(language, text, grammars, budgetMs);
      const sample = readFileSync(sampleOf(id), "utf8");
      const names = async () => (await read(sample, TIMEOUT_MS)).definitions.length;
      const before = await names();
      expect(before).toBeGreaterThan(0);
      for (const [name, bomb] of Object.entries(BOMBS)) {
        const { outcome } = await read(bombIn(language.extensions[0] ?? "", bomb), LITTLE_MS);
        expect(`${name} ${outcome}`).toMatch(/ (clean|partial|timeout|crash)$/);
        expect(await names()).toBe(before);
      }
    },
    TIMEOUT_MS,
  );
});

/** The language's own sample, from which its goldens are made. */
function sampleOf(id: string): string {
  const places = [`${id}/sample.*`, `formats/samples/${id}.*`];
  const found = globSync(places.map((at) => fileURLToPath(new URL(`../../src/languages/${at}`, import.meta.url))));
  return found.find((path) => !path.includes(".golden."))!;
}

test(
  `I4: ${HOSTILE_FILES} files of random bytes and broken code in a row: all are accounted for`,
  async () => {
    using box = sandbox();
    const random = prng(4);
    const noise = () => String.fromCharCode(...Array.from({ length: 400 }, () => 32 + Math.floor(random() * 95)));
    const files: Record<string, string> = {};
    for (let i = 0; i < HOSTILE_FILES; i++)
      files[`f${i}${extensions[i % extensions.length]}`] = `${noise()}\n${noise()}\n`;
    const root = box.tree(files);
    const ran = await codecompass(["index", "--json"], { cwd: root, env: box.env });
    expect(ran.err).toBe("");
    expect(ran.json()).toMatchObject({ status: "published", file_count: HOSTILE_FILES });
  },
  TIMEOUT_MS,
);
