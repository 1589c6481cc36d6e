/** The command line as users see it, on temporary repositories. What a process adds is tested with `start`. */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { ERRORS } from "../../src/model/errors.ts";
import { codecompass as startCommand } from "../kit/command.ts";
import { codecompass } from "../kit/inline-command.ts";
import { MAIN } from "../kit/main.ts";
import { git, sandbox, write } from "../kit/sandbox.ts";

const AUTH = `/// Checks a token.
pub fn validate_token(token: &str) -> bool {
    !token.is_empty()
}

pub struct Claims {
    pub subject: String,
}
`;
const FILES = {
  "src/auth.rs": AUTH,
  "src/handler.rs": 'pub fn handle_request() -> bool {\n    validate_token("x")\n}\n',
  "docs/README.md": "# A small service\n\nTokens are checked before requests are handled.\n",
};

const box = sandbox();
afterAll(() => box[Symbol.dispose]());
const run = (cwd: string, ...args: string[]) => codecompass(args, { cwd, env: box.env });
/** In a process of its own. */
const start = (cwd: string, ...args: string[]) => startCommand(args, { cwd, env: box.env });

test("a directory behind init, index and sync is the workspace", async () => {
  const [root, elsewhere] = [box.tree(FILES), box.tree({})];
  expect((await run(elsewhere, "init", root)).out).toContain(`Registered: ${root}`);
  expect((await run(elsewhere, "index", root)).out).toContain("3 files");
  expect((await run(elsewhere, "sync", root)).code).toBe(0);
  const both = await run(elsewhere, "index", root, "--path", elsewhere);
  expect(both).toMatchObject({ code: 2, err: expect.stringContaining("different directories") });
});

describe("C1: init", () => {
  const root = box.tree(FILES);

  test("runs twice, and doctor finds no problem", async () => {
    const first = await start(root, "init");
    expect(first).toMatchObject({ code: 0, err: "" });
    expect(first.out).toContain(`Registered: ${root}`);
    const second = await start(root, "init");
    expect(second).toMatchObject({ code: 0, err: "" });
    expect(second.out).toContain("Already registered");
    const doctor = await start(root, "doctor");
    expect(doctor.out).not.toContain("fail");
    expect(doctor.out).toMatch(/\d+ grammars/);
    expect(doctor.code).toBe(0);
  });

  test("writes nothing into the tree", () => {
    expect(readdirSync(root).sort()).toEqual(["docs", "src"]);
  });

  test("--json says what was registered", async () => {
    expect((await run(root, "init", "--json")).json()).toMatchObject({
      repo_root: root,
      vcs_mode: false,
      already_registered: true,
    });
  });

  for (const [name, directory] of [
    ["/", "/"],
    ["the home directory", box.env.HOME!],
  ] as const) {
    test(`rejects ${name}`, async () => {
      const refused = await run(root, "init", "--path", directory);
      expect(refused).toMatchObject({ code: 2, out: "" });
      expect(refused.err).toContain("not allowed");
    });
  }
});

describe("search", () => {
  const root = box.repository(FILES);

  test("registers, indexes and answers in a new directory", async () => {
    const found = await start(root, "search", "validate_token");
    expect(found).toMatchObject({ code: 0, err: "" });
    expect(found.out).toMatch(/^src\/auth\.rs:\d+ {2}fn .*validate_token\n/);
    expect(found.out).toContain("pub fn validate_token(token: &str) -> bool {");
    expect(readdirSync(root).sort()).toEqual([".git", "docs", "src"]);
  });

  test("words need no quotes; --json is the tool's answer", async () => {
    const found = await run(root, "search", "where", "are", "tokens", "checked", "--json", "--limit", "2");
    expect(found.code).toBe(0);
    expect(found.json()).toMatchObject({ query_intent: "natural_language", metadata: { freshness_status: "fresh" } });
    const tool = await run(root, "search_code", "where are tokens checked", "--limit", "2", "--json");
    expect(tool.json().results).toEqual(found.json().results);
  });

  test("K7: the next query sees an edit, and not the old text", async () => {
    write(root, { "src/fresh.rs": "pub fn brand_new_name() {}\n" });
    expect((await run(root, "search", "brand_new_name")).out).toContain("src/fresh.rs:1");
    write(root, { "src/fresh.rs": "pub fn another_name() {}\n" });
    expect((await run(root, "locate_symbol", "brand_new_name")).code).toBe(1);
    expect((await run(root, "locate_symbol", "another_name")).code).toBe(0);
  });

  test("from a sub-directory: paths relative to it", async () => {
    const found = await run(join(root, "docs"), "search", "validate_token", "--limit", "1");
    expect(found.out).toMatch(/^\.\.\/src\/auth\.rs:/);
  });

  test("nothing found: exit 1, empty stdout, number of files searched on stderr", async () => {
    const none = await start(root, "search", "qqxyzzyqq");
    expect(none).toMatchObject({ code: 1, out: "" });
    expect(none.err).toMatch(/Nothing found in \d+ files? at main/);
  });

  test("no colours in a pipe", async () => {
    const found = await startCommand(["search", "validate_token"], {
      cwd: root,
      env: { ...box.env, NO_COLOR: undefined },
    });
    expect(found.out).not.toContain("\x1b");
  });
});

describe("short commands", () => {
  const root = box.repository(FILES);

  test.each<[short: string[], long: string[]]>([
    [
      ["def", "validate_token"],
      ["locate_symbol", "validate_token"],
    ],
    [
      ["refs", "src/auth.rs:2"],
      ["find_references", "src/auth.rs:2"],
    ],
    [
      ["callers", "validate_token"],
      ["get_call_graph", "validate_token", "--direction", "callers"],
    ],
    [
      ["outline", "src/auth.rs"],
      ["get_file_outline", "src/auth.rs"],
    ],
    [
      ["context", "check", "tokens", "--max-tokens", "500"],
      ["get_code_context", "check tokens", "--max-tokens", "500"],
    ],
    [
      ["diff", "main", "worktree"],
      ["diff_context", "--base-ref", "main", "--head-ref", "worktree"],
    ],
    [["validate_token"], ["search", "validate_token"]],
    [
      ["--limit", "1", "where are", "tokens", "checked"],
      ["search", "where are tokens checked", "--limit", "1"],
    ],
  ])("%j is %j", async (short, long) => {
    const [a, b] = [await run(root, ...short), await run(root, ...long)];
    expect([a.code, a.out]).toEqual([b.code, b.out]);
    expect(a.out).not.toBe("");
  });

  test("a misspelt command is an error that names the command and the search", async () => {
    const refused = await run(root, "serach", "validate_token");
    expect(refused).toMatchObject({ code: 2, out: "" });
    expect(refused.err).toBe(
      "codecompass: Invalid input: unknown command 'serach'. Did you mean search?\n" +
        "To search for it: codecompass search serach\n",
    );
    expect((await run(root, "find_refrences", "x", "--json")).json().error.data.reason).toContain("find_references?");
  });
});

test("K10: a closed pipe is not an error", async () => {
  const root = box.tree(Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`f${i}.txt`, "needle\n".repeat(50)])));
  const command = `"${process.execPath}" "${MAIN}" search needle --limit 200 | head -1`;
  const ran = spawnSync("sh", ["-c", command], { cwd: root, env: box.env, encoding: "utf8" });
  expect(ran.stdout.trim().split("\n")).toHaveLength(1);
  expect(ran.stderr).toBe("");
});

describe("K8: ignore rules", () => {
  const root = box.repository({
    ".gitignore": "*.log\n",
    "a.log": "parentignored\n",
    "sub/.gitignore": "notes.txt\n",
    "sub/notes.txt": "childignored\n",
    "sub/kept.txt": "keptword\n",
    "sub/b.log": "parentignoredbelow\n",
    ".hidden/x.txt": "hiddenword\n",
  });
  const check = (name: string, code: number, cwd: string, ...args: string[]) =>
    test(name, async () => expect((await run(join(root, cwd), "search", ...args)).code).toBe(code));

  check("a kept file is found from the sub-directory", 0, "sub", "keptword");
  check("the parent's rules hold below it", 1, "sub", "parentignoredbelow");
  check("the child's rules hold", 1, "sub", "childignored");
  check("hidden files are left out", 1, ".", "hiddenword");
  check("--hidden takes them in", 0, ".", "hiddenword", "--hidden");
  check("--no-ignore takes ignored files in", 0, ".", "childignored", "--no-ignore");
  check("and the next plain question leaves them out again", 1, ".", "childignored");
});

describe("index and sync", () => {
  const root = box.repository(FILES);

  test("index reports what it did", async () => {
    const done = await start(root, "index");
    expect(done).toMatchObject({ code: 0, err: "" });
    expect(done.out).toMatch(/^Indexed 3 changed files in [\d.]+ s: 3 files, \d+ symbols at main/);
  });

  test("sync with nothing changed", async () => {
    expect((await run(root, "sync")).out).toMatch(/^Up to date/);
  });

  test("sync after an edit, as JSON", async () => {
    write(root, { "src/auth.rs": `${AUTH}pub fn added() {}\n` });
    expect((await run(root, "sync", "--json")).json()).toMatchObject({
      status: "published",
      mode: "incremental",
      changed_files: 1,
    });
  });

  test("--path and --workspace are equivalent", async () => {
    const elsewhere = box.tree({});
    expect((await run(elsewhere, "sync", "--path", root)).code).toBe(0);
    expect((await run(elsewhere, "sync", "--workspace", root)).code).toBe(0);
    expect((await run(elsewhere, "sync", "--workspace", root, "--path", elsewhere)).code).toBe(2);
  });

  test("a ref that is not checked out is indexed, a missing one is an error", async () => {
    git(root, "branch", "other");
    const indexed = await run(root, "index", "--ref", "other", "--json");
    expect(indexed.code).toBe(0);
    expect(JSON.parse(indexed.out)).toMatchObject({ status: "published", ref: "other" });
    const refused = await run(root, "index", "--ref", "nowhere");
    expect(refused.code).toBe(2);
    expect(refused.err).toContain("nowhere");
  });

  test("Ctrl-C leaves a usable index", async () => {
    const large = box.tree(Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`f${i}.rs`, AUTH.repeat(10)])));
    let said = "";
    const stopped = await startCommand(["index", "--verbose"], {
      cwd: large,
      env: box.env,
      onStart: (child) =>
        child.stderr!.on("data", (data) => {
          if (said === "") child.kill("SIGINT");
          said += data;
        }),
    });
    expect(stopped.code).toBe(130);
    expect((await run(large, "search", "validate_token", "--limit", "1")).code).toBe(0);
  });
});

describe("tools as commands", () => {
  const root = box.repository(FILES);

  test("outline, with a path relative to the current directory", async () => {
    const outline = await run(join(root, "src"), "get_file_outline", "auth.rs");
    expect(outline).toMatchObject({ code: 0, err: "" });
    expect(outline.out).toContain("2-4  pub fn validate_token(token: &str) -> bool");
  });

  test("dashes work like underscores", async () => {
    expect((await run(root, "locate-symbol", "Claims", "--kind", "struct", "--json")).json().results).toHaveLength(1);
  });

  test("an error: exit 2, message and remedy on stderr", async () => {
    const refused = await start(root, "get_file_outline", "nowhere.rs");
    expect(refused).toMatchObject({ code: 2, out: "" });
    expect(refused.err).toContain("No file nowhere.rs is indexed at main");
    expect(refused.err).toContain("Check the path");
  });

  test("an error with --json is the tool's JSON", async () => {
    const refused = await start(root, "get_file_outline", "nowhere.rs", "--json");
    expect(refused.code).toBe(2);
    expect(refused.json().error.code).toBe("file_not_found");
  });

  test("flags of a tool may have the names that other tools use", async () => {
    const named = await run(root, "regex_search", "fn", "--page-size", "1");
    expect(named.out).not.toBe("");
    expect((await run(root, "regex-search", "fn", "--limit", "1")).out).toBe(named.out);
    expect((await run(root, "regex_search", "fn", "--limit", "many")).err).toContain("page_size");
  });

  for (const [args, part] of [
    [["locate_symbol", "x", "--limit", "0"], "limit must be at least 1"],
    [["locate_symbol", "x", "--limit", "many"], "limit"],
    [["locate_symbol", "x", "--detail-level", "all"], "location, signature, context"],
    [["search_code", ""], "query must not be empty"],
    [["search", ""], "empty"],
    [["search"], "the query is empty"],
    [["serch", "x"], "Did you mean search?"],
    [["search", "x", "--limt", "3"], "Did you mean --limit?"],
    [["search", "x", "--limit", "-3"], "1 to 200"],
    [["serve-mcp", "--transport", "http", "--bind", "0.0.0.0"], "needs --token"],
    [["completion", "tcsh"], "bash, zsh, fish"],
    [["search", "x", "--config", "none.toml"], "none.toml"],
    [["search", "x", "--path", "nowhere"], "nowhere"],
  ] as const) {
    test(`bad input: ${args.join(" ")}`, async () => {
      const refused = await run(root, ...args);
      expect(refused).toMatchObject({ code: 2, out: "" });
      expect(refused.err).toContain(part);
      expect(refused.err).not.toContain("    at ");
    });
  }

  for (const [args, part] of [
    [["search", "x", "--path", "nowhere"], "nowhere"],
    [["search", "x", "--limt", "3"], "Did you mean --limit?"],
    [["index", "--ref", "nope"], "nope"],
    [["state", "import", "nowhere.tar.zst"], "there is no such file"],
    [["state", "burn", "x.tar.zst"], "export, import"],
    [["hooks", "install", "--path", "/"], "no git repository"],
    [["workspaces", "burn"], "list, add, remove"],
    [["prune-overlays", "--path", "nowhere"], "nowhere"],
    [["eval"], "--suite"],
    [["principals"], "--store"],
  ] as const) {
    test(`error in JSON: ${args.join(" ")}`, async () => {
      const refused = await run(root, ...args, "--json");
      expect(refused).toMatchObject({ code: 2, err: "" });
      const { code, message } = refused.json().error;
      expect(Object.keys(ERRORS)).toContain(code);
      expect(message).toContain(part);
    });
  }
});

describe("configuration", () => {
  test("an invalid value in the repository's file is reported with file, line and allowed values", async () => {
    const root = box.repository(FILES);
    mkdirSync(join(root, ".codecompass"));
    writeFileSync(join(root, ".codecompass", "config.toml"), "[query]\n\nlimit = 0\n");
    const refused = await run(root, "search", "x");
    expect(refused.code).toBe(2);
    expect(refused.err).toContain(`${join(".codecompass", "config.toml")}:3`);
    expect(refused.err).toContain("from 1 to 200");
    expect((await run(root, "doctor")).code).toBe(2);
  });

  test("the limit of the environment applies", async () => {
    const root = box.repository(FILES);
    const env = { ...box.env, CODECOMPASS_QUERY_LIMIT: "1" };
    const found = await codecompass(["search", "token", "--json"], { cwd: root, env });
    expect(found.json().results).toHaveLength(1);
  });
});

describe("completion", () => {
  const hasZsh = ["/bin/zsh", "/usr/bin/zsh"].some((path) => existsSync(path));

  test("bash parses its script and completes commands", async () => {
    const { out } = await start(box.tree({}), "completion", "bash");
    const answer = execFileSync("bash", [
      "-c",
      `${out}\nCOMP_WORDS=(codecompass lo); COMP_CWORD=1; _codecompass; echo "\${COMPREPLY[@]}"`,
    ]);
    expect(String(answer).trim()).toBe("locate_symbol");
  });

  test.skipIf(!hasZsh)("zsh parses its script", async () => {
    const { out } = await run(box.tree({}), "completion", "zsh");
    execFileSync("zsh", ["-n", "-c", out]);
  });

  test("fish names every command", async () => {
    const { out } = await run(box.tree({}), "completion", "fish");
    for (const name of ["search", "serve-mcp", "explain_ranking"]) expect(out).toContain(`-a ${name} `);
  });
});

test("version, --version and -V agree", async () => {
  const root = box.tree({});
  const answers = await Promise.all([start(root, "version"), start(root, "--version"), start(root, "-V")]);
  expect(new Set(answers.map((answer) => answer.out)).size).toBe(1);
  expect(answers[0]!.out).toMatch(/^\d+\.\d+\.\d+\n$/);
});
