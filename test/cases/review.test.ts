/** `review` over a repository with a feature branch: findings, gates, SARIF, and the scripts that comment in CI. */
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { codecompass } from "../kit/inline-command.ts";
import { MAIN } from "../kit/main.ts";
import { branch, git, gitState, sandbox, write } from "../kit/sandbox.ts";

const CART = `export function total(items: number[]): number {
  return items.reduce((a, b) => a + b, 0);
}
export function discount(n: number): number {
  return n * 0.9;
}
export function shipping(n: number): number {
  return n > 50 ? 0 : 5;
}
export function tax(n: number): number {
  return n * 0.2;
}
function inner(n: number): number {
  return n;
}
`;
const AFTER = CART.replace(/export function discount[^}]*}\n/, "")
  .replace("shipping(n: number)", "shipping(n: number, country: string)")
  .replace("a + b, 0", "b + a, 0")
  .replace("export function tax", "function tax")
  .replace("inner(n: number)", "inner(n: string)")
  .concat("export function refund(n: number): number {\n  return -n;\n}\n");
const PAY = `import { discount, shipping, total } from "./cart";
export function pay(items: number[]): number {
  return discount(total(items)) + shipping(1);
}
`;

const box = sandbox();
const run = (...args: string[]) => codecompass(args, { cwd: root, env: box.env });
let root: string;

beforeAll(() => {
  root = box.repository({
    "src/cart.ts": CART,
    "src/pay.ts": PAY,
    "test/cart.test.ts": 'import { total } from "../src/cart";\ntest("total", () => total([1]));\n',
  });
  branch(root, "feature", () => write(root, { "src/cart.ts": AFTER }));
});
afterAll(() => box[Symbol.dispose]());

const FINDINGS = [
  ["removed-public", "cart.tax", "src/cart.ts", 7, 0],
  ["removed-public", "cart.discount", "src/pay.ts", 3, 1],
  ["changed-public", "cart.shipping", "src/cart.ts", 4, 1],
  ["untested", "cart.shipping", "src/cart.ts", 4, 0],
  ["untested", "cart.refund", "src/cart.ts", 13, 0],
];

describe("review", () => {
  test("finds what is removed, hidden, changed or untested, and leaves private and tested code alone", async () => {
    const before = gitState(root);
    const { findings, warnings } = (await run("review", "--base", "main", "--head", "feature", "--json")).json();
    expect(
      // biome-ignore lint/suspicious/noExplicitAny: the answer as it comes
      findings.map((one: any) => [one.rule, one.symbol, one.path, one.line, one.uses.length]),
    ).toEqual(FINDINGS);
    expect(warnings).toEqual([]);
    expect(gitState(root)).toEqual(before);
  });

  test("a symbol renamed is gone under its old name; the files on disk are compared too", async () => {
    write(root, { "src/cart.ts": CART.replace("discount(", "reduced(") });
    const found = (await run("review", "--head", "worktree", "--json")).json();
    git(root, "checkout", "-q", "--", "src/cart.ts");
    expect(found.findings).toMatchObject([
      { rule: "removed-public", symbol: "cart.discount", path: "src/pay.ts", line: 3 },
      { rule: "untested", symbol: "cart.reduced" },
    ]);
    expect(found.warnings).toEqual([]);
  });

  test("members of what is gone, local functions and names that others have too are no findings of their own", async () => {
    const before = `class Gone:
    def __init__(self):
        self.x = 1

    def close(self):
        return 1


class Kept:
    def __init__(self):
        def local():
            return 1

        self.y = local()


def close():
    return Kept()
`;
    const own = box.repository({ "a.py": before });
    write(own, {
      "a.py": before
        .slice(before.indexOf("class Kept"))
        .replace("def local()", "def other()")
        .replace("= local", "= other"),
    });
    const { out } = await codecompass(["review", "--head", "worktree"], { cwd: own, env: box.env });
    expect(out).toBe(
      [
        "a.py:1  removed-public  class a.Gone was removed from a.py; no use found",
        "a.py:2  untested  method a.Kept.__init__ was changed and no test uses it",
        "",
      ].join("\n"),
    );
  });

  test("what a script keeps to itself and keys of data are no API; what others require is", async () => {
    const files = {
      "lib/a.js":
        'var http = require("http");\nfunction inner(a) {\n  return http.get(a);\n}\nexports.outer = function outer(a) {\n  return inner(a);\n};\n',
      "lib/b.js": 'const { outer } = require("./a");\nconst get = (http) => http.get();\nouter(1);\nget(2);\n',
      "ci.yml": "cache:\n  paths: a\n",
    };
    const own = box.repository(files);
    write(own, {
      "lib/a.js": files["lib/a.js"].replace('"http"', '"node:http"').replaceAll("(a)", "(a, b)"),
      "ci.yml": "other: 1\n",
    });
    const { findings } = (
      await codecompass(["review", "--head", "worktree", "--json"], { cwd: own, env: box.env })
    ).json();
    const found = findings.filter((one: { rule: string }) => one.rule !== "untested");
    expect(found).toMatchObject([{ rule: "changed-public", path: "lib/a.js", line: 5, uses: [{ path: "lib/b.js" }] }]);
  });

  test("it says where uses were not counted to the end or not looked up", async () => {
    const name = (at: number) => `made_${String(at).padStart(3, "0")}`;
    const all = Array.from({ length: 410 }, (_, at) => at);
    const source = (parameter: string) =>
      all.map((at) => `export function ${name(at)}(${parameter}: number) {\n  return ${parameter};\n}\n`).join("");
    const calls = Array.from({ length: 12 }, (_, at) => `made_000(${at});\n`).join("");
    const own = box.repository({ "a.ts": source("a"), "b.ts": `import { made_000 } from "./a";\n${calls}` });
    write(own, { "a.ts": source("b") });
    const { out, err } = await codecompass(["review", "--head", "worktree"], { cwd: own, env: box.env });
    expect(out.match(/; \d+ uses found, perhaps more$/gm)).toEqual(["; 10 uses found, perhaps more"]);
    expect(out.match(/; no use found$/gm)).toHaveLength(399);
    expect(out.match(/; uses were not looked up$/gm)).toHaveLength(10);
    expect(err).toContain("warning: Uses and tests were looked up for 400 of 410 changed public symbols.");
  });

  const gate = (rules: readonly string[], code: number) =>
    test(`--fail-on ${rules.join(" ")} exits with ${code}`, async () => {
      const flags = rules.flatMap((rule) => ["--fail-on", rule]);
      expect((await run("review", "main", "feature", ...flags)).code).toBe(code);
    });
  gate([], 0);
  gate(["removed-public"], 1);
  gate(["changed-public", "untested"], 1);
  gate(["no-such-rule"], 2);

  test("a change without findings passes every gate", async () => {
    const all = ["removed-public", "changed-public", "untested"].flatMap((rule) => ["--fail-on", rule]);
    const passed = await run("review", "--head", "main", ...all);
    expect([passed.code, passed.out]).toEqual([0, "No public symbol was removed, changed or left without a test.\n"]);
  });

  test("an unknown ref is an error that names it", async () => {
    const failed = await run("review", "--base", "nowhere");
    expect([failed.code, failed.out]).toEqual([2, ""]);
    expect(failed.err).toContain("nowhere");
  });

  test("text reads well", async () => {
    expect((await run("review", "--head", "feature")).out).toMatchInlineSnapshot(`
      "src/cart.ts:7  removed-public  fn cart.tax is not public any more; no use found
      src/pay.ts:3  removed-public  fn cart.discount was removed from src/cart.ts; 1 place still with its name
          src/pay.ts:3  return discount(total(items)) + shipping(1);
      src/cart.ts:4  changed-public  fn cart.shipping changed from \`export function shipping(n: number): number\` to \`export function shipping(n: number, country: string): number\`; 1 use found
          src/pay.ts:3  return discount(total(items)) + shipping(1);
      src/cart.ts:4  untested  fn cart.shipping was changed and no test uses it
      src/cart.ts:13  untested  fn cart.refund was added and no test uses it
      "
    `);
  });

  test("SARIF names every rule, and every location is a line of the tree after the change", async () => {
    const { version, runs } = (await run("review", "--head", "feature", "--format", "sarif")).json();
    expect(version).toBe("2.1.0");
    const [{ tool, results }] = runs;
    expect(tool.driver.rules.map(({ id }: { id: string }) => id)).toEqual([
      "removed-public",
      "changed-public",
      "untested",
    ]);
    // biome-ignore lint/suspicious/noExplicitAny: the answer as it comes
    const shown = results.map(({ ruleId, level, locations, relatedLocations }: any) => {
      const { artifactLocation, region } = locations[0].physicalLocation;
      return [ruleId, level, `${artifactLocation.uri}:${region.startLine}`, relatedLocations.length];
    });
    expect(shown).toEqual([
      ["removed-public", "error", "src/cart.ts:7", 0],
      ["removed-public", "error", "src/pay.ts:3", 1],
      ["changed-public", "warning", "src/cart.ts:4", 1],
      ["untested", "note", "src/cart.ts:4", 0],
      ["untested", "note", "src/cart.ts:13", 0],
    ]);
    for (const [, , at] of shown) {
      const [path, line] = at.split(":");
      expect(git(root, "show", `feature:${path}`).split("\n").length).toBeGreaterThan(Number(line));
    }
  });
});

describe("in CI", () => {
  const script = resolve(import.meta.dirname, "..", "..", "integrations", "ci", "review.mjs");

  interface Comment {
    id: number;
    body: string;
  }

  /** The part of GitHub's and GitLab's interface that the script uses, with 120 comments of other people. */
  async function forge(use: (url: string, comments: Comment[], log: string[]) => Promise<void>) {
    const comments = Array.from({ length: 120 }, (_, id): Comment => ({ id, body: `comment ${id}` }));
    const log: string[] = [];
    const server = createServer(async (request, response) => {
      const { pathname, searchParams } = new URL(request.url!, "http://localhost");
      const { authorization, "private-token": privateToken } = request.headers;
      log.push(`${request.method} ${pathname} ${authorization ?? privateToken}`);
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      let answer: unknown = {};
      if (request.method === "GET") {
        const page = Number(searchParams.get("page"));
        answer = comments.slice((page - 1) * 100, page * 100);
      } else {
        const { body } = JSON.parse(Buffer.concat(chunks).toString());
        const id = Number(/\/(\d+)$/.exec(pathname)?.[1]);
        if (request.method === "POST") comments.push({ id: 500, body });
        else comments.find((one) => one.id === id)!.body = body;
      }
      response.end(JSON.stringify(answer));
    }).listen(0, "127.0.0.1");
    await new Promise((done) => server.once("listening", done));
    try {
      await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, comments, log);
    } finally {
      server.close();
    }
  }

  /** A clone of a bare repository, as a runner has it, with the index of the base restored from an archive. */
  function runner(): { clone: string; env: NodeJS.ProcessEnv } {
    const bare = join(box.home, "..", "bare.git");
    const clone = join(box.home, "..", `clone-${Math.random()}`);
    if (!git(root, "branch", "--list", "pushed").trim()) {
      git(root, "clone", "-q", "--bare", root, bare);
      git(root, "branch", "pushed");
    }
    git(root, "clone", "-q", "--branch", "feature", bare, clone);
    const env = { ...box.env, CODECOMPASS_HOME: `${clone}-home`, CODECOMPASS_PROGRAM: MAIN };
    return { clone, env: { ...env, REVIEW_BASE: "origin/main" } };
  }

  const review = async (cwd: string, env: NodeJS.ProcessEnv) => {
    try {
      const { stdout, stderr } = await promisify(execFile)(process.execPath, [script], { cwd, env });
      return { code: 0, stdout, stderr };
    } catch (error) {
      return error as { code: number; stdout: string; stderr: string };
    }
  };

  test("GitHub: one comment, which the next run replaces; SARIF, summary and output; the gate fails the job", async () => {
    const { clone, env: base } = runner();
    const archive = `${clone}.tar.zst`;
    expect((await run("index")).code).toBe(0);
    expect((await run("state", "export", archive)).code).toBe(0);
    await forge(async (url, comments, log) => {
      const [sarif, output, summary] = ["sarif", "output", "summary"].map((name) => `${clone}.${name}`) as [
        string,
        string,
        string,
      ];
      const env = {
        ...base,
        REVIEW_INDEX: archive,
        REVIEW_SARIF: sarif,
        GITHUB_OUTPUT: output,
        GITHUB_STEP_SUMMARY: summary,
        GITHUB_API_URL: url,
        GITHUB_REPOSITORY: "acme/shop",
        GITHUB_PULL_REQUEST: "7",
        GITHUB_TOKEN: "t0ken",
      };
      expect((await review(clone, env)).code).toBe(0);
      expect(comments).toHaveLength(121);
      expect(comments.at(-1)!.body).toMatch(/^<!-- codecompass review -->\n### Symbols changed/);
      expect(comments.at(-1)!.body).toContain("#### 5 findings");
      expect(readFileSync(output, "utf8")).toBe("findings=5\n");
      expect(readFileSync(summary, "utf8")).toBe(comments.at(-1)!.body);
      expect(JSON.parse(readFileSync(sarif, "utf8")).runs[0].results).toHaveLength(5);
      comments.at(-1)!.body += "\nold";
      const failed = await review(clone, { ...env, REVIEW_INDEX: "", REVIEW_FAIL_ON: "removed-public" });
      expect(failed.code).toBe(1);
      expect(failed.stderr).toContain("src/pay.ts:3: removed-public: fn cart.discount was removed");
      expect(comments).toHaveLength(121);
      expect(comments.at(-1)!.body).not.toContain("\nold");
      expect(new Set(log.map((line) => line.split(" ").slice(0, 2).join(" ")))).toEqual(
        new Set([
          "GET /repos/acme/shop/issues/7/comments",
          "POST /repos/acme/shop/issues/7/comments",
          "PATCH /repos/acme/shop/issues/comments/500",
        ]),
      );
      expect(log.every((line) => line.endsWith("Bearer t0ken"))).toBe(true);
    });
    expect(git(clone, "status", "--porcelain")).toBe("");
  });

  test("GitLab: a note of the merge request; a refused request fails with its status", async () => {
    const { clone, env: base } = runner();
    await forge(async (url, comments) => {
      const env = {
        ...base,
        CI_API_V4_URL: url,
        CI_PROJECT_ID: "3",
        CI_MERGE_REQUEST_IID: "9",
        CODECOMPASS_GITLAB_TOKEN: "t0ken",
      };
      expect((await review(clone, env)).code).toBe(0);
      expect(comments.at(-1)!.body).toContain("**removed-public**");
      const refused = await review(clone, { ...env, CI_API_V4_URL: "http://127.0.0.1:9" });
      expect(refused.code).toBe(1);
      expect(refused.stderr).toContain("fetch failed");
    });
  });

  test("without a request the review is printed; a broken archive fails before anything is posted", async () => {
    const { clone, env } = runner();
    expect((await review(clone, env)).stdout).toContain("#### 5 findings");
    const broken = `${clone}-broken.tar.zst`;
    writeFileSync(broken, "no archive");
    const failed = await review(clone, { ...env, REVIEW_INDEX: broken });
    expect([failed.code, failed.stdout]).toEqual([1, ""]);
    expect(failed.stderr).toContain("codecompass: ");
  });
});
