/** I4: files made to break parsers, in every language, and 2,000 hostile files in a row: all are listed, nothing ends the job. */
import { expect, test } from "vitest";
import { LANGUAGES } from "../../src/languages/index.ts";
import { codecompass } from "../kit/command.ts";
import { prng } from "../kit/prng.ts";
import { sandbox } from "../kit/sandbox.ts";

const PATIENCE_MS = 600_000;
const MARKER = "needle_behind_the_bomb";

/** On many lines: one long line would be left out as minified and never reach a parser. */
const IN_EVERY: Readonly<Record<string, string>> = {
  round: "(\n".repeat(100_000),
  list: `x = [${"1, 2, 3,\n".repeat(60_000)}1]`,
};
/** Each grammar meets two of these: most of them take a parser all the time that it is given. */
const IN_TURN: readonly (readonly [name: string, bomb: string])[] = [
  ["square", "[\n".repeat(100_000)],
  ["curly", "{\n".repeat(100_000)],
  ["generic", "A<\n".repeat(50_000)],
  ["blocks", "if (a) {\n".repeat(20_000)],
  ["quotes", `"'\`\n`.repeat(30_000)],
];

function bombsOf(grammar: number): (readonly [name: string, bomb: string])[] {
  const turn = (step: number) => IN_TURN[(grammar + step) % IN_TURN.length]!;
  return [...Object.entries(IN_EVERY), turn(0), turn(2)];
}

const extensions = LANGUAGES.filter((language) => language.grammar !== undefined).map((it) => it.extensions[0]!);

test(
  `I4: four bombs in each of ${extensions.length} grammars: every file is indexed and can be searched`,
  async () => {
    using box = sandbox();
    const files: Record<string, string> = { "good.py": "def still_parsed():\n    pass\n" };
    for (const [grammar, extension] of extensions.entries()) {
      for (const [name, bomb] of bombsOf(grammar)) files[`${name}${extension}`] = `${bomb}\n${MARKER}\n`;
    }
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
