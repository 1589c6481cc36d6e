/** S4: hundreds of spellings of a path that leads out, for every path parameter: nothing outside is shown. */
import { execFileSync } from "node:child_process";
import { lstatSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { jsonSchema, TOOLS } from "../../src/tools/index.ts";
import { codecompass } from "../kit/command.ts";
import { unchangedFiles } from "../kit/faults.ts";
import { codecompass as runInline } from "../kit/inline-command.ts";
import { type Sandbox, sandbox } from "../kit/sandbox.ts";
import { type StdioServer, startServer } from "../kit/stdio.ts";

let box: Sandbox | undefined;
let server: StdioServer | undefined;
afterEach(async () => {
  await server?.close();
  box?.[Symbol.dispose]();
});

const CANARY = "canary_that_nobody_may_see";

/** Three hundred spellings of the outside file, relative to the workspace root. */
function spellings(root: string, outside: string): string[] {
  const target = `${outside}/secret.py`;
  const up = `../${outside.slice(outside.lastIndexOf("/") + 1)}`;
  const plain = [up, `${up}/secret.py`, target, outside, "link", "link/secret.py", "file-link.py", "slash/etc/passwd"];
  const changed: ((path: string) => string)[] = [
    (path) => path,
    (path) => `./${path}`,
    (path) => `quiet/../${path}`,
    (path) => `quiet/1/../../${path}`,
    (path) => `nowhere/../${path}`,
    (path) => `/${path}`,
    (path) => `${root}/${path}`,
    (path) => `${root}-evil/${path}`,
    (path) => `/proc/self/root${path}`,
    (path) => `/proc/self/cwd/${path}`,
    (path) => `//${path}`,
    (path) => `file://${path}`,
    (path) => `~/${path}`,
    (path) => path.replaceAll("/", "\\"),
    (path) => path.replaceAll("/", "//"),
    (path) => path.replaceAll("/", "/./"),
    (path) => path.replaceAll("..", "%2e%2e"),
    (path) => path.replaceAll("..", "%252e%252e"),
    (path) => path.replaceAll("..", "..%2f.."),
    (path) => path.replaceAll("..", "....//"),
    (path) => path.replaceAll("..", "..;"),
    (path) => path.replaceAll("..", "\u2025"),
    (path) => path.replaceAll("/", "\u2215"),
    (path) => path.replaceAll("..", "..\u200b"),
    (path) => `${path}\0`,
    (path) => `quiet/1/q1.py\0/../../${path}`,
    (path) => `${path}/`,
    (path) => `${path}/.`,
    (path) => ` ${path}`,
    (path) => `${path} `,
    (path) => `${path}\n`,
    (path) => `\\\\?\\${path}`,
    (path) => `\\\\evil\\share\\${path}`,
    (path) => `C:${path}`,
    (path) => `${path}::$DATA`,
    (path) => `--output=${path}`,
    (path) => `:(glob)${path}`,
    (path) => `$(cat ${path})`,
  ];
  return plain.flatMap((path) => changed.map((change) => change(path)));
}

test("S4: every path parameter of every tool", async () => {
  box = sandbox();
  const root = box.tree(unchangedFiles(20));
  const outside = box.tree({ "secret.py": `def ${CANARY}():\n    pass\n` });
  symlinkSync(outside, join(root, "link"));
  symlinkSync(join(outside, "secret.py"), join(root, "file-link.py"));
  symlinkSync("/", join(root, "slash"));
  expect((await codecompass(["index"], { cwd: root, env: box.env })).code).toBe(0);
  server = startServer(["--workspace", root], box.env);
  await server.initialize();
  const paths = spellings(root, outside);
  expect(paths.length).toBeGreaterThanOrEqual(300);
  for (const tool of TOOLS) {
    const properties = Object.entries(jsonSchema(tool.input).properties as Record<string, { type?: string }>);
    const taking = properties.filter(([name, { type }]) => type === "string" && /path|workspace|dir|file$/.test(name));
    for (const [name] of taking) {
      const replies = await Promise.all(
        paths.map((path) =>
          server!.request("tools/call", { name: tool.name, arguments: { ...tool.example, [name]: path } }),
        ),
      );
      for (const [at, reply] of replies.entries()) {
        const text = JSON.stringify(reply.result ?? reply.error);
        expect([tool.name, name, paths[at], text.includes(CANARY)]).toEqual([tool.name, name, paths[at], false]);
        expect(text).not.toMatch(/root:x:0|internal_error/);
      }
    }
  }
  const found = await server.tool("search_code", { query: CANARY });
  expect(JSON.stringify(found.results ?? [])).not.toContain("secret.py");
}, 600_000);

test.skipIf(process.platform === "win32")(
  "an export writes through no link and into no special file",
  async () => {
    box = sandbox();
    const root = box.tree(unchangedFiles(2));
    const kept = join(box.tree({ "kept.txt": "kept" }), "kept.txt");
    symlinkSync(kept, join(root, "linked.scip.part"));
    execFileSync("mkfifo", [join(root, "waiting.scip.part"), join(root, "fifo.scip")]);
    symlinkSync("/dev/full", join(root, "device.scip"));
    const run = (file: string) => runInline(["scip", "export", file], { cwd: root, env: box!.env });
    for (const file of ["linked.scip", "waiting.scip"]) {
      expect((await run(file)).code).toBe(0);
      expect(lstatSync(join(root, file)).isFile()).toBe(true);
    }
    expect(readFileSync(kept, "utf8")).toBe("kept");
    expect(await run("fifo.scip")).toMatchObject({ code: 2, err: expect.stringContaining("is a FIFO") });
    expect(await run("device.scip")).toMatchObject({ code: 2, err: expect.stringContaining("is a device") });
  },
  600_000,
);
