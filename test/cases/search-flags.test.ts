/** `codecompass search` with regex and semantic mode: every grep-like flag, through the build of the program. */
import { spawnSync } from "node:child_process";
import { rgPath } from "@vscode/ripgrep";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CommandResult } from "../kit/command.ts";
import { codecompass } from "../kit/inline-command.ts";
import { F_GREP } from "../kit/repos/f-grep.ts";
import { type Sandbox, sandbox } from "../kit/sandbox.ts";

let box: Sandbox;
let root: string;

beforeAll(async () => {
  box = sandbox();
  root = box.tree(F_GREP);
  expect((await codecompass(["index"], { cwd: root, env: box.env })).code).toBe(0);
}, 60_000);
afterAll(() => box[Symbol.dispose]());

const search = (line: readonly string[]): Promise<CommandResult> =>
  codecompass(["search", ...line], { cwd: root, env: box.env });
const pathsIn = (out: string) => [...new Set(out.match(/^[\w./-]+?(?=:\d)/gm))];

describe("--regex", () => {
  test.each<[flags: string[], out: string]>([
    [["flush", "src"], "src/store.rs:5:    /// Writes a row and flushes it to the disk.\n"],
    [["-w", "sync", "src"], ""],
    [["-F", "i64(", "src"], ""],
    [["-F", "sleep(delay)", "src"], "src/retry.js:9:      await sleep(delay);\n"],
    [["-i", "-l", "TOKEN"], "src/auth.py\n"],
    [["-n", "WEATHER", "-i", "docs/notes.md"], "3:The weather was fine, and the garden grew.\n"],
    [
      ["-n", "-A", "1", "beginPath", "src/draw.ts"],
      "2:  canvas.beginPath();\n3-  canvas.arc(x, y, radius, 0, 2 * Math.PI);\n",
    ],
    [
      ["-n", "-B", "1", "# Notes|weather", "docs/notes.md"],
      "1:# Notes\n2-\n3:The weather was fine, and the garden grew.\n",
    ],
    [["-n", "-C", "1", "second", "crlf.txt"], "1-first line\n2:second line\n3-third line\n"],
    [["-l", "a", "--type", "python", "--type", "typescript"], "src/auth.py\nsrc/draw.ts\n"],
    [["-l", "a", "--glob", "*.{rs,md}", "--glob", "!docs/**"], "src/store.rs\n"],
    [["--no-snippet", "line", "crlf.txt"], "crlf.txt:1\ncrlf.txt:2\ncrlf.txt:3\n"],
    [["--top-k", "2", "-n", "line", "crlf.txt"], "1:first line\n2:second line\n"],
    [["-n", "stroke", "src/draw.ts", "--full-section"], F_GREP["src/draw.ts"]!.replace(/^/gm, "-").replace(/-$/, "")],
  ])("%j", async (flags, out) => {
    const ran = await search(["--regex", ...flags]);
    const shown = flags.includes("--full-section") ? ran.out.replace(/^\d+[-:]/gm, "-") : ran.out;
    expect([shown, ran.code]).toEqual([out, out === "" ? 1 : 0]);
  });
});

describe("as ripgrep", () => {
  test.each<[line: string]>([
    ["-c line"],
    ["-c -m 1 line crlf.txt"],
    ["-o \\w+s\\b src"],
    ["-e session -e flush"],
    ["-F -e sleep( -e i64("],
    ["--regex -v e src/store.rs"],
    ["-cv e"],
    ["-S token"],
    ["-S Token"],
    ["-S \\Woken"],
    ["-m 1 e"],
    ["--vimgrep a. src"],
    ["-0 -c line"],
    ["-0 -l line"],
    ["-0n token"],
    ["-q token"],
    ["-q no_such_word"],
    ["-U \\{\\n\\s+\\w+ src"],
    ["-U -o \\)[^()]*\\n\\s*\\w+ src"],
    ["-U --vimgrep (?s)insert.*?let src"],
    ["-U -m 1 e;\\s+\\w src"],
    ["-Uv (?s)^.*Backoff.*$ src"],
    ["-U -C 1 garden\\sgrew|Notes\\n+The docs"],
    ["-Ul \\r?\\nsecond"],
    ["-Uw line\\s+second"],
    ["--files"],
    ["--files -0 src"],
  ])("search %s", async (line) => {
    const args = line.split(" ");
    const rg = spawnSync(rgPath, ["-n", "--no-heading", "--sort", "path", ...args.filter((one) => one !== "--regex")], {
      cwd: root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
    const own = await search(["--sort", "path", "-n", ...args]);
    // ripgrep prints the end of a CRLF line.
    expect([own.out, own.code]).toEqual([rg.stdout.replaceAll("\r\n", "\n"), rg.status]);
  });

  test("--type-list names languages that --type takes", async () => {
    const { out } = await search(["--type-list"]);
    expect(out).toMatch(/^rust: \*\.rs$/m);
  });

  test("a flag that selects --regex says so; -C keeps a question a question", async () => {
    expect((await search(["-i", "flush", "src"])).err).toBe("-i searches for a regular expression, as with --regex\n");
    expect((await search(["-i", "--regex", "flush", "src"])).err).toBe("");
    const around = await search(["a row to the disk", "-C", "2"]);
    expect(around).toMatchObject({ code: 0, err: "" });
    expect(around.out).toBe((await search(["--hybrid", "a row to the disk", "--threshold", "0", "-C", "2"])).out);
  });
});

describe.each(["--semantic", "--hybrid"])("%s", (mode) => {
  const several = (...flags: string[]) =>
    search([mode, "make a session token, write a row, call a function", "--threshold", "0", ...flags]);
  const ask = (...flags: string[]) => search([mode, "call again after a failure", "--threshold", "0", ...flags]);

  test("prints locations, scores, names and text", async () => {
    const plain = await ask("--top-k", "1");
    expect(plain.code).toBe(0);
    expect(plain.out).toMatch(/^src\/retry\.js:1-13 {2}fn \S*withBackoff\n {4}\/\/ Calls a function again/);
    expect((await ask("--top-k", "1", "--scores")).out).toMatch(/^src\/retry\.js:1-13 {2}[01]\.\d{3} {2}fn/);
    expect((await ask("--top-k", "1", "--no-snippet")).out).toMatch(/^src\/retry\.js:1-13 .*\n$/);
    expect((await ask("--top-k", "1", "--full-section")).out).toContain("delay *= 2;");
    expect((await several("--top-k", "2", "-l")).out.trimEnd().split("\n")).toHaveLength(2);
  });

  test("a threshold without a mode says which list it is about", async () => {
    const implied = await search(["call again after a failure", "--threshold", "0"]);
    expect(implied.err).toMatch(/^--threshold is a score .* --hybrid\n/);
    expect((await ask("--top-k", "1")).err).not.toContain("--hybrid\n");
  });

  test("languages filter, context extends, limits truncate", async () => {
    expect(pathsIn((await several("--type", "python", "--type", "rust")).out).sort()).toEqual([
      "src/auth.py",
      "src/store.rs",
    ]);
    const narrow = (await several("--type", "rust", "--top-k", "1")).out.split("\n").length;
    expect((await several("--type", "rust", "--top-k", "1", "-C", "3")).out.split("\n").length).toBeGreaterThanOrEqual(
      narrow,
    );
    expect(pathsIn((await several("--no-snippet", "--top-k", "3")).out)).toHaveLength(3);
  });

  test("globs filter what is ranked, also in JSON", async () => {
    const globs = ["-g", "*.{py,rs}", "-g", "!src/auth*"];
    expect(pathsIn((await several("--top-k", "5", ...globs)).out)).toEqual(["src/store.rs"]);
    const { results } = (await several("--json", "--top-k", "5", ...globs)).json();
    expect(new Set(results.map(({ file }: { file: string }) => file))).toEqual(new Set(["src/store.rs"]));
    expect(pathsIn((await several("--top-k", "1", "-g", "/src/*.py")).out)).toEqual(["src/auth.py"]);
    expect(await several("-g", "*.zig")).toMatchObject({ code: 1, out: "" });
  });

  test("JSON is the tool's; JSON lines are one object each", async () => {
    const whole = (await several("--json", "--top-k", "2", "--type", "python")).json();
    expect(whole.results.map(({ file }: { file: string }) => file)).toEqual(
      ["src/auth.py", "src/auth.py"].slice(0, whole.results.length),
    );
    expect((await ask("--json", "--no-snippet", "--top-k", "1")).json().results[0]).not.toHaveProperty("snippet");
    const lines = (await several("--jsonl", "--top-k", "2")).out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines).toHaveLength(2);
    const first = JSON.parse((await ask("--jsonl", "--top-k", "1")).out);
    expect(first).toMatchObject({
      path: "src/retry.js",
      language: "javascript",
      span: { line_start: 1, line_end: 13 },
    });
    expect(first.snippet).toContain("withBackoff");
    expect(JSON.parse((await ask("--jsonl", "--no-snippet", "--top-k", "1")).out)).not.toHaveProperty("snippet");
  });

  test("a threshold that nothing reaches finds nothing, and says what to do", async () => {
    const ran = await search([mode, "call again after a failure", "--threshold", "1"]);
    expect(ran).toMatchObject({ code: 1, out: "" });
    expect(ran.err).toContain("a lower --threshold finds more");
  });
});

describe("without a mode", () => {
  const ask = (...flags: string[]) => search(["write a row to the disk, or a session token", ...flags]);
  const files = (out: string) => [...new Set(out.match(/^[\w./-]+(?=:\d)/gm))];

  test("types, globs and --top-k filter the results", async () => {
    expect(files((await ask()).out)[0]).toBe("src/store.rs");
    expect(files((await ask("--type", "python")).out)).toEqual(["src/auth.py"]);
    expect(files((await ask("-g", "!*.rs")).out)).toEqual(["src/auth.py"]);
    expect(files((await ask("-g", "*.rs")).out)).toEqual(["src/store.rs"]);
    const { results } = (await ask("--json", "-g", "*.py", "--top-k", "1")).json();
    expect(results.map(({ path }: { path: string }) => path)).toEqual(["src/auth.py"]);
  });

  test("repeated flags give the same order as one list", async () => {
    const order = files((await ask("--limit", "4")).out);
    const lines = (await ask("--jsonl", "--no-snippet", "--top-k", "4")).out.trimEnd().split("\n");
    expect([...new Set(lines.map((line) => JSON.parse(line).path))]).toEqual(order);
    const [best] = (await ask("--json", "--top-k", "1")).json().results;
    const shown = (await ask("--scores", "--top-k", "1")).out;
    expect(shown).toMatch(new RegExp(`^src/store\\.rs:\\d+ {2}${best.score.toFixed(4)} {2}fn .*${best.name}\n`));
    expect((await ask("--top-k", "1")).out).not.toContain(best.score.toFixed(4));
    expect((await ask("--no-snippet", "--top-k", "1")).out).toMatch(/^src\/store\.rs:\S+ .*\n$/);
    expect((await ask("--threshold", "1")).code).toBe(1);
    const none = await ask("-g", "*.zig", "--no-snippet");
    expect(none.err).toContain("Nothing found in");
    expect(none.err).not.toContain("--threshold");
  });
});

test.each<[flags: string[], says: string]>([
  [["--semantic", "x", "--threshold", "1.5"], "--threshold is 1.5; allowed: a number from 0 to 1"],
  [["--hybrid", "x", "--threshold", "much"], "--threshold is much"],
  [["--semantic", "x", "--top-k", "0"], "--top-k is 0; allowed: a whole number from 1"],
  [["--regex", "x", "-C", "-1"], "--context"],
  [["--semantic", " "], "the query is empty"],
  [["--semantic", "x", "-w"], "-w goes with --regex; --semantic takes --type, --glob, --path and -C"],
  [["--hybrid", "x", "-F", "-A", "2"], "-F, -A go with --regex"],
  [["--hybrid", "x", "-g", ""], "is not a glob"],
  [["x", "--top-k", "0"], "--top-k is 0; allowed: a whole number from 1 to 200"],
  [["--regex", "x", "--type", "klingon"], "language must be one of"],
  [["--semantic", "--hybrid", "x"], "exclude each other"],
  [["--regex", "a(b"], "unclosed group (at character 2 of the pattern)"],
])("refused: %j", async (flags, says) => {
  const ran = await search(flags);
  expect([ran.code, ran.out]).toEqual([2, ""]);
  expect(ran.err).toContain(says);
});

test.each<[flags: string[], says: string]>([
  [["--semantic", "x", "--type", "python", "--type", "rust"], "--json takes one --type"],
  [["--regex", "x", "--type", "python", "--type", "rust"], "--json takes one --type"],
  [["--semantic", "--hybrid", "x"], "exclude each other"],
  [["x", "--top-k", "0"], "--top-k is 0"],
])("refused in JSON: %j", async (flags, says) => {
  const ran = await search([...flags, "--json"]);
  expect([ran.code, ran.err]).toEqual([2, ""]);
  expect(ran.json().error).toMatchObject({ code: "invalid_input", message: expect.stringContaining(says) });
});
