/** I4: files made to break parsers, in every language, and 2,000 hostile files in a row: all are listed, nothing ends the job. */
import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { TreeSitterGrammars } from "../../src/adapters/treesitter/grammars.ts";
import { grammarSources } from "../../src/adapters/treesitter/locate.ts";
import { parse } from "../../src/ingest/parse.ts";
import { READABLE } from "../../src/languages/index.ts";
import { codecompass } from "../kit/command.ts";
import { prng } from "../kit/prng.ts";
import { sandbox } from "../kit/sandbox.ts";

const PATIENCE_MS = 600_000;
const MARKER = "needle_behind_the_bomb";

/** On many lines: one long line would be left out as minified and never reach a parser. */
const BOMBS: Readonly<Record<string, string>> = {
  round: "(\n".repeat(100_000),
  list: `x = [${"1, 2, 3,\n".repeat(60_000)}1]`,
  square: "[\n".repeat(100_000),
  curly: "{\n".repeat(100_000),
  generic: "A<\n".repeat(50_000),
  blocks: "if (a) {\n".repeat(20_000),
  quotes: `"'\`\n`.repeat(30_000),
};
/** Most bombs take a parser all the time that it is given: so little here, two seconds in the product. */
const LITTLE_MS = 100;
/** Where a long list is given the two seconds as well. */
const LISTS = [".py", ".js", ".go"];

const grammatical = READABLE.filter((language) => language.grammar !== undefined);
const extensions = grammatical.flatMap((it) => it.extensions.slice(0, 1));

function bombIn(extension: string, bomb: string): string {
  return `${extension === ".php" ? "<?php\n" : ""}${bomb}\n${MARKER}\n`;
}

test(
  `I4: ${extensions.length} grammars given the time that a file has: every file is indexed and can be searched`,
  async () => {
    using box = sandbox();
    const files: Record<string, string> = { "good.py": "def still_parsed():\n    pass\n" };
    for (const extension of extensions) files[`round${extension}`] = bombIn(extension, BOMBS.round!);
    for (const extension of LISTS) files[`list${extension}`] = bombIn(extension, BOMBS.list!);
    const root = box.tree(files);
    const ran = await codecompass(["index", "--json"], { cwd: root, env: box.env });
    expect(ran.err).toBe("");
    expect(ran.json()).toMatchObject({ file_count: Object.keys(files).length, skipped_reasons: {} });
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
  PATIENCE_MS,
);

describe("I4: every bomb in every grammar, given little time: an outcome, and the next file is read as ever", () => {
  const grammars = new TreeSitterGrammars(grammarSources(grammatical));

  test.each(grammatical.map((language) => [language.id, language] as const))(
    "%s",
    async (id, language) => {
      const read = (text: string, budgetMs: number) => parse(language, text, grammars, budgetMs);
      const sample = readFileSync(sampleOf(id), "utf8");
      const names = async () => (await read(sample, PATIENCE_MS)).definitions.length;
      const before = await names();
      expect(before).toBeGreaterThan(0);
      for (const [name, bomb] of Object.entries(BOMBS)) {
        const { outcome } = await read(bombIn(language.extensions[0] ?? "", bomb), LITTLE_MS);
        expect(`${name} ${outcome}`).toMatch(/ (clean|partial|timeout|crash)$/);
        expect(await names()).toBe(before);
      }
    },
    PATIENCE_MS,
  );
});

/** The language's own sample, that its goldens are made from. */
function sampleOf(id: string): string {
  return globSync(fileURLToPath(new URL(`../../src/languages/${id}/sample.*`, import.meta.url)))[0]!;
}

test(
  "I4: 2,000 files of random bytes and broken code in a row: all are accounted for",
  async () => {
    using box = sandbox();
    const random = prng(4);
    const noise = () => String.fromCharCode(...Array.from({ length: 400 }, () => 32 + Math.floor(random() * 95)));
    const files: Record<string, string> = {};
    for (let i = 0; i < 2_000; i++) files[`f${i}${extensions[i % extensions.length]}`] = `${noise()}\n${noise()}\n`;
    const root = box.tree(files);
    const ran = await codecompass(["index", "--json"], { cwd: root, env: box.env });
    expect(ran.err).toBe("");
    expect(ran.json()).toMatchObject({ status: "published", file_count: 2_000 });
  },
  PATIENCE_MS,
);
