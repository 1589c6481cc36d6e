/** `index --repos`: a list of repositories, on both engines; what fails stops nobody, what was killed goes on. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { bareCloneOf } from "../kit/bare-clone.ts";
import { codecompass } from "../kit/command.ts";
import { wasKilled } from "../kit/faults.ts";
import { type TestDatabase, testDatabase } from "../kit/postgres.ts";
import { F_RUST } from "../kit/repos/f-rust.ts";
import { branch, sandbox, write } from "../kit/sandbox.ts";

const box = sandbox();
const database = await testDatabase();
afterAll(async () => {
  if (!("skip" in database)) await database.drop();
  box[Symbol.dispose]();
});

/** With `main` and `feature/x`. `remote`: the name it is known by. */
function bareClone(files: Readonly<Record<string, string>>, remote: string): string {
  const root = box.repository(files);
  branch(root, "feature/x", () => write(root, { "extra.py": "def only_on_the_branch():\n    return 1\n" }));
  return bareCloneOf(root, remote);
}

function list(name: string, ...lines: string[]): string {
  const file = join(box.home, "..", name);
  writeFileSync(file, `# repositories\n\n${lines.join("\n")}\n`);
  return file;
}

interface Row {
  readonly path?: string;
  readonly ref?: string;
  readonly status?: string;
  readonly changed_files?: number;
  readonly error?: { readonly code: string };
}

const rowsOf = (out: string): Row[] =>
  out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Row);

function cases(store: readonly string[], home: string): void {
  const env = { ...box.env, CODECOMPASS_HOME: home };
  const run = (args: readonly string[], more: NodeJS.ProcessEnv = {}) =>
    codecompass(["index", ...args, ...store], { cwd: box.home.replace(/home$/, ""), env: { ...env, ...more } });
  const checkout = box.repository(F_RUST);
  const bare = bareClone({ "a.py": "def alpha():\n    return 1\n" }, `https://host.example/${home.length}/a.git`);

  test("every repository and ref has a line; what cannot be indexed stops no other, and shows in the exit code", async () => {
    const file = list(
      "mixed",
      checkout,
      `${bare} # its default branch`,
      `${bare} feature/x`,
      "nowhere",
      `${bare} none`,
    );
    const { code, out } = await run(["--repos", file, "--json"]);
    const rows = rowsOf(out);
    const found = rows
      .slice(0, -1)
      .map(({ path, ref, status, error }) => [path, ref, status, error?.code])
      .sort();
    const nowhere = join(box.home, "..", "nowhere");
    expect(found).toEqual(
      [
        [checkout, "main", "published", undefined],
        [bare, "main", "published", undefined],
        [bare, "feature/x", "published", undefined],
        [bare, "none", "failed", "ref_not_indexed"],
        [nowhere, undefined, "failed", "invalid_input"],
      ].sort(),
    );
    expect({ code, sum: rows.at(-1) }).toMatchObject({
      code: 2,
      sum: { repositories: 5, published: 3, failed: 2, not_done: 0 },
    });
    const again = await run(["--repos", list("well", checkout, bare, `${bare} feature/x`), "--jobs", "1"]);
    expect({ code: again.code, err: again.err }).toEqual({ code: 0, err: "" });
    expect(
      again.out.split("\n").filter((line) => /^\[[123]\/3\] \/.*: Up to date: \d+ files?, /.test(line)),
    ).toHaveLength(3);
  });

  test("killed after the second of four, the next run has two left", async () => {
    const four = Array.from({ length: 4 }, (_, at) =>
      box.repository({ [`f${at}.py`]: `def f${at}():\n    return ${at}\n` }),
    );
    const file = list("four", ...four);
    const args = ["--repos", file, "--json", "--jobs", "1"];
    expect(wasKilled(await run(args, { CODECOMPASS_FAILPOINT: "publish:after#2" }))).toBe(true);
    const { code, out } = await run(args);
    const changed = rowsOf(out).map(({ changed_files }) => changed_files);
    expect({ code, changed }).toEqual({ code: 0, changed: [0, 0, 1, 1, undefined] });
  });
}

describe("sqlite", () => cases([], join(box.home, "s")));

describe("what is no list", () => {
  const check = (args: string[], said: RegExp) =>
    test(args.join(" "), async () => {
      const { code, err } = await codecompass(["index", ...args], { cwd: box.tree({}), env: box.env });
      expect({ code, err }).toEqual({ code: 2, err: expect.stringMatching(said) });
    });
  check(["--repos", "missing.txt"], /the list cannot be read/);
  check(["--repos", list("empty")], /names no repository/);
  check(["--repos", list("any", "/tmp"), "--jobs", "none"], /--jobs must be a whole number/);
  check(["--repos", list("other", "/tmp"), "--path", "."], /leave --path out/);
});

if ("skip" in database) test.skip(`postgres: ${database.skip}`, () => {});
else postgres(database);

function postgres({ url, sql }: TestDatabase): void {
  describe("postgres", () => cases(["--store", url], join(box.home, "shared")));

  test("one that another machine began and died over is waited for, done here, and told of as done", async () => {
    const clone = bareClone({ "left.py": "def left():\n    return 1\n" }, "https://host.example/left/behind.git");
    const args = ["-v", "index", "--repos", list("left", clone), "--json", "--store", url];
    const how = { cwd: box.tree({}), env: box.env };
    const killed = { ...box.env, CODECOMPASS_FAILPOINT: "walk:after" };
    expect(wasKilled(await codecompass(args, { ...how, env: killed }))).toBe(true);
    const held = await sql(
      `UPDATE codecompass.lease SET host = 'elsewhere', expires_at = (extract(epoch FROM now()) * 1000)::bigint + 5000
        WHERE repo = (SELECT id FROM codecompass.repository WHERE name = 'host.example/left/behind') RETURNING repo`,
    );
    expect(held).toHaveLength(1);
    const { code, out, err } = await codecompass(args, how);
    expect({ code, changed: rowsOf(out)[0]!.changed_files }).toEqual({ code: 0, changed: 1 });
    expect(err).toMatch(/waiting for another ingest of /);
  });

  test("connections stay from repository to repository", async () => {
    const of = (count: number, word: string) =>
      Array.from({ length: count }, (_, at) =>
        bareClone(
          { [`${word}${at}.py`]: `def ${word}${at}():\n    return ${at}\n` },
          `https://host.example/${word}/${at}`,
        ),
      );
    /** How many connections it takes to index so many, one after the other. */
    const sessionsOf = async (clones: readonly string[]) => {
      const count = async () => {
        const query = "SELECT sessions::int FROM pg_stat_database WHERE datname = current_database()";
        return (await sql(query))[0]!.sessions as number;
      };
      const before = await count();
      const args = ["index", "--repos", list("stay", ...clones), "--jobs", "1", "--store", url];
      expect((await codecompass(args, { cwd: box.tree({}), env: box.env })).code).toBe(0);
      return (await count()) - before;
    };
    expect(await sessionsOf(of(8, "eight"))).toBeLessThanOrEqual((await sessionsOf(of(2, "two"))) + 3);
  });

  test("a fork and a ref add hardly any content", async () => {
    const body = (at: number) =>
      Array.from({ length: 40 }, (_, line) => `def f${at}_${line}(x):\n    return x + ${at * line}\n`).join("\n");
    const files = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`p/f${at}.py`, body(at)]));
    const first = bareClone(files, "https://host.example/upstream/project.git");
    const fork = bareClone({ ...files, "p/own.py": body(99) }, "https://host.example/somebody/project.git");
    const index = async (...lines: string[]) => {
      const args = ["index", "--repos", list("forks", ...lines), "--store", url];
      expect((await codecompass(args, { cwd: box.tree({}), env: box.env })).code).toBe(0);
      const [row] = await sql("SELECT count(*)::int AS blobs, sum(length(bytes))::int AS bytes FROM codecompass.blob");
      return row as { blobs: number; bytes: number };
    };
    const before = (await sql("SELECT coalesce(sum(length(bytes)), 0)::int AS bytes FROM codecompass.blob"))[0]!
      .bytes as number;
    const one = await index(first);
    const two = await index(`${first} feature/x`, fork, `${fork} feature/x`);
    // Texts, records, facts and vectors of two files: the fork's own, and the one that both branches added.
    expect(two.blobs - one.blobs).toBeLessThanOrEqual(8);
    expect(two.bytes - one.bytes).toBeLessThan(0.1 * (one.bytes - before));
  });
}
