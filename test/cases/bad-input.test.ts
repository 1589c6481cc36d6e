/** Contract 5 and 7: invalid input through stdio, HTTP and the CLI. Over stdio and HTTP the answers are the same bytes. */
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type HttpProcess, startHttp, toolCall } from "../kit/http.ts";
import { codecompass } from "../kit/inline-command.ts";
import { F_GREP } from "../kit/repos/f-grep.ts";
import { commit, git, type Sandbox, sandbox, write } from "../kit/sandbox.ts";
import { type StdioServer, startServer } from "../kit/stdio.ts";

let box: Sandbox;
let root: string;
let outside: string;
let stdio: StdioServer;
let http: HttpProcess;

beforeAll(async () => {
  box = sandbox();
  root = box.repository(F_GREP);
  git(root, "checkout", "-q", "-b", "other");
  write(root, { "fresh/only_there.py": "def only_on_other():\n    return 'retry a call'\n" });
  commit(root, "other");
  git(root, "checkout", "-q", "main");
  outside = box.tree({ "secret.py": "def outside(): return 'retry'\n" });
  symlinkSync(outside, join(root, "way-out"));
  stdio = startServer(["--workspace", root], box.env);
  await stdio.initialize();
  expect((await stdio.tool("reindex", {})).success).toBe(true);
  http = await startHttp(["--workspace", root], box.env);
}, 60_000);

afterAll(async () => {
  await stdio.close();
  await http.close();
  box[Symbol.dispose]();
});

// biome-ignore lint/suspicious/noExplicitAny: tests read replies as they come
type Anything = any;

/** Only freshness and how it was determined may differ between two processes. */
function bare(reply: Anything): Anything {
  const text = reply.result?.content?.[0]?.text;
  if (text === undefined) return reply.error;
  const { metadata: { freshness_status: _, indexing_status: __, ...metadata } = {} as Anything, ...rest } =
    JSON.parse(text);
  return { ...rest, metadata };
}

/** The answer of both servers. */
async function ask(name: string, input: object): Promise<Anything> {
  const one = bare(await stdio.request("tools/call", { name, arguments: input }));
  const posted = await http.post(toolCall(1, name, input));
  expect(posted.status).toBe(200);
  expect(bare(posted.json())).toEqual(one);
  return one;
}

const MEANING = ["semantic_search", "hybrid_search", "search_code"] as const;

describe.each(MEANING)("%s", (tool) => {
  const refusal = tool === "search_code" ? { error: { code: "invalid_input" } } : { code: -32602 };

  test.each<[name: string, query: string]>([
    ["every byte", String.fromCharCode(...Array.from({ length: 256 }, (_, at) => at))],
    ["NUL", "\0"],
    ["half a character", "\ud800 retry \udc00"],
    ["emoji", "👩‍👩‍👧‍👦🎉"],
    ["combining marks", "e\u0301".repeat(50)],
    ["right to left", "\u202eretry\u202c مرحبا"],
    ["Chinese", "如何重试失败的请求"],
    ["Russian", "повторить запрос после ошибки"],
    ["an operator", "NEAR(a b) AND * OR ^ -x"],
    ["SQL", "'; DROP TABLE files; --"],
    ["one word without end", "a_b".repeat(3_300)],
  ])("%s is answered", async (_, query) => {
    expect((await ask(tool, { query })).results).toBeInstanceOf(Array);
  });

  test("a megabyte is truncated, and the answer says so", async () => {
    const { results, metadata } = await ask(tool, { query: "call a function again after a failure ".repeat(30_000) });
    expect(results[0]?.file ?? results[0]?.path).toBe("src/retry.js");
    expect(metadata.warnings).toContain("query was cut to its first 65536 characters.");
  });

  test("empty and non-text input is rejected by name", async () => {
    const reason = async (query: unknown) => {
      const answer = await ask(tool, { query });
      expect(answer).toMatchObject(refusal);
      return (answer.error ?? answer).data.reason as string;
    };
    for (const query of ["", " \n\t "]) expect(await reason(query)).toMatch(/must not be empty|cannot be empty/);
    for (const query of [5, ["a"], {}, true]) expect(await reason(query)).toBe("query must be a string");
  });

  test("paths that lead out, lead nowhere or are invalid are rejected; a path of another ref is not", async () => {
    for (const path of [outside, "way-out", "..", "/proc/self/root/etc", "no/such", "", "a\0b", "x".repeat(10_000)]) {
      const answer = await ask(tool, { query: "retry", path });
      const { code, data } = answer.error ?? answer;
      expect([path.slice(0, 20), data.parameter, data.tool ?? tool]).toEqual([path.slice(0, 20), "path", tool]);
      expect(["invalid_input", "workspace_not_registered", -32602]).toContain(code);
    }
    const threshold = tool === "search_code" ? {} : { threshold: 0 };
    const there = { query: "retry a call", path: "fresh", ref: "other", ...threshold };
    const { results } = await ask(tool, there);
    expect(results.map((it: Anything) => it.file ?? it.path)).toEqual(["fresh/only_there.py"]);
    const out = await ask(tool, { ...there, path: "fresh/../../x" });
    expect((out.error ?? out).data).toMatchObject({ parameter: "path", reason: "fresh/../../x does not exist" });
    const inside = await ask(tool, { query: "retry a call", path: join(root, "src"), ...threshold });
    expect(inside.results[0].file ?? inside.results[0].path).toBe("src/retry.js");
  });

  test("invalid globs are rejected", async () => {
    for (const glob of ["[", "{a", "*".repeat(5_000), 7]) {
      const answer = await ask(tool, { query: "retry", glob });
      expect(answer).toMatchObject(refusal);
      expect((answer.error ?? answer).data.parameter).toBe("glob");
    }
    expect((await ask(tool, { query: "retry", glob: "*.rs, !src/**" })).results).toEqual([]);
  });
});

test.each<[pattern: string, position: number]>([
  ["(", 0],
  ["a[b", 1],
  ["x\\nb", 1],
  ["\0", 0],
  ["🎉\ud83c", 1],
  ["🎉{99999}", 1],
  ["é".repeat(30_000), 20_000],
])("regex_search refuses %.10j at %d", async (pattern, position) => {
  const data = { tool: "regex_search", parameter: "pattern", code: "invalid_input", position };
  expect(await ask("regex_search", { pattern })).toMatchObject({ code: -32001, message: "Tool error", data });
});

test("regex_search: patterns in other scripts, as plain text, on another ref", async () => {
  const total = async (input: object) => (await ask("regex_search", input)).metadata.total_results;
  expect(await total({ pattern: "🎉|日本" })).toBe(1);
  expect(await total({ pattern: "(?i)GRÜßE" })).toBe(1);
  expect(await total({ pattern: "*", fixed_strings: true })).toBe(2);
  expect(await total({ pattern: "def", path: "fresh", ref: "other" })).toBe(1);
});

test("both servers are healthy after all of this", async () => {
  for (const answer of [await stdio.tool("health_check"), await http.tool("health_check")])
    expect(answer.status).toMatch(/^(ready|indexing)$/);
  expect(`${stdio.stderr()}${http.stderr()}`).not.toMatch(/\bat .*\.[jt]s:\d+/);
});

test.each<[args: string[], code: number, says: RegExp]>([
  [["--semantic", "--", ""], 2, /the query is empty/],
  [["--hybrid", "--", " \t"], 2, /the query is empty/],
  [["--semantic", "--", "如何重试"], 1, /Searched by words only.*\n.*Nothing found in/],
  [["--hybrid", "--", "🎉"], 0, /Searched by words only/],
  [["--semantic", "--", "\u001b[31m".repeat(3_000)], 1, /Nothing found/],
  [["--regex", "("], 2, /unclosed group \(at character 1 of the pattern\)/],
  [["--regex", "a{9999}{9999}"], 2, /too large: it repeats too much \(at character 8 of the pattern\)/],
  [["--regex", "--", ""], 2, /the pattern is empty/],
  [["--regex", "outside", "way-out"], 2, /way-out lies outside the workspace/],
  [["--regex", "x", "no-such"], 2, /no-such does not exist/],
  [["--semantic", "x", "--path", "./no-such"], 2, /no-such is not (a directory|registered)/],
  [["--semantic", "x", "-g", "["], 2, /"\[" is not a glob/],
])("codecompass search %j", async (args, code, says) => {
  const ran = await codecompass(["search", ...args], { cwd: root, env: box.env });
  expect([ran.code, ran.err]).toEqual([code, expect.stringMatching(says)]);
  expect(ran.err).not.toContain("\u001b");
  if (code !== 0) expect(ran.out).toBe("");
});
