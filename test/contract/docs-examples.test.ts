/** The program accepts every example in the documentation: commands, options, tool calls. */
import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { CommandSpec } from "../../src/cli/command.ts";
import { allSpecs, buildProgram } from "../../src/cli/program.ts";
import { resolve, textLayer } from "../../src/config/load.ts";
import { TOOLS } from "../../src/tools/index.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const PAGES = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "docs/**/*.md", "deploy/**/*.md", "integrations/**/*.md"];
const pages = PAGES.flatMap((pattern) => globSync(pattern, { cwd: root })).map((path) => ({
  path,
  text: readFileSync(`${root}/${path}`, "utf8"),
}));

interface Block {
  readonly language: string;
  readonly body: string;
  /** The nearest heading above the block. */
  readonly heading: string;
}

function blocks(text: string): Block[] {
  return [...text.matchAll(/^( *)```(\w*)\n([\s\S]*?)^\1```/gm)].map(({ 2: language = "", 3: body = "", index }) => {
    const heading = [...text.slice(0, index).matchAll(/^#+ (.*)$/gm)].at(-1)?.[1] ?? "";
    return { language, body, heading };
  });
}

/** Command lines of shell blocks and of inline code. Placeholders such as … count as words. */
function commandLines(text: string): string[] {
  const shell = blocks(text)
    .filter(({ language }) => language === "sh" || language === "text")
    .flatMap(({ body }) => body.split("\n"))
    .map((line) =>
      line
        .replace(/^\s*(\$ )?/, "")
        .replace(/\s+#.*$/, "")
        .replace(/ >>? .*$/, ""),
    )
    .flatMap((line) => line.split(/ && | \| | &$/))
    .map((part) => part.trim().replace(/^(\w+=\S+ )+/, ""));
  const inline = [...text.replace(/^( *)```[\s\S]*?^\1```/gm, "").matchAll(/`([^`\n]+)`/g)].map((match) => match[1]!);
  return [...shell, ...inline]
    .map((line) => line.replace(/^node (\S*\/)?bin\/codecompass\.js /, "codecompass "))
    .filter((line) => /^codecompass [a-z-]/.test(line));
}

function words(line: string): string[] {
  return [...line.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|(\S+)/g)].map((m) => m[1] ?? m[2] ?? m[3]!).slice(1);
}

const specs = await allSpecs();

/** The error for a command line, or undefined. Nothing is run. */
async function complaint(line: string): Promise<string | undefined> {
  const quiet: CommandSpec[] = specs.map((spec) => ({ ...spec, run: async () => 0 }));
  let said = "";
  const terminal = { out: () => {}, err: (text: string) => (said += text) };
  const given = { terminal, signal: new AbortController().signal, env: {}, cwd: "/" } as never;
  try {
    await buildProgram(quiet, given, () => {}).parseAsync(words(line), { from: "user" });
    return undefined;
  } catch (error) {
    return `${line}: ${said.trim() || (error as Error).message}`;
  }
}

describe("examples in the documentation", () => {
  for (const { path, text } of pages) {
    const lines = commandLines(text);
    if (lines.length === 0) continue;
    test(`${path}: ${lines.length} command lines parse`, async () => {
      const complaints = await Promise.all(lines.map(complaint));
      expect(complaints.filter((one) => one !== undefined)).toEqual([]);
    });
  }

  test("an invalid command line is detected", async () => {
    expect(await complaint("codecompass search --no-such-flag x")).toContain("--no-such-flag");
    expect(await complaint("codecompass no-such-command")).toContain("no-such-command");
  });

  test("the program accepts the TOML examples", () => {
    const examples = pages.flatMap(({ path, text }) =>
      blocks(text)
        .filter(({ language }) => language === "toml")
        .map(({ body }) => ({ path, body })),
    );
    expect(examples.length).toBeGreaterThan(0);
    for (const { path, body } of examples) resolve([textLayer(path, body)]);
  });

  test("the tools accept the calls in docs/tools.md", () => {
    const { text } = pages.find(({ path }) => path === "docs/tools.md")!;
    const calls = blocks(text).filter(({ language }) => language === "json");
    expect(calls.length).toBeGreaterThanOrEqual(TOOLS.length);
    for (const { heading, body } of calls) {
      const tool = TOOLS.find(({ name }) => name === heading);
      expect(tool?.input.safeParse(JSON.parse(body)).error, heading).toBeUndefined();
    }
  });
});
