/** Workspaces as in S3: access, one job for many callers, eviction (C51–C54), and the commands. */
import { mkdirSync, readFileSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { unchangedFiles, until } from "../kit/faults.ts";
import { type HttpProcess, startHttp, toolCall } from "../kit/http.ts";
import { codecompass } from "../kit/inline-command.ts";
import { type Sandbox, sandbox, write } from "../kit/sandbox.ts";
import { startServer } from "../kit/stdio.ts";

let box: Sandbox | undefined;
const servers: HttpProcess[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
  box?.[Symbol.dispose]();
});

const start: typeof startHttp = async (...args) => {
  const server = await startHttp(...args);
  servers.push(server);
  return server;
};

/** A directory of trees, each with one file that names it. */
function trees(names: readonly string[]): { readonly root: string; readonly at: (name: string) => string } {
  const root = box!.tree(Object.fromEntries(names.map((name) => [`${name}/code.py`, `def in_${name}():\n    pass\n`])));
  return { root, at: (name) => join(root, name) };
}

async function code(server: HttpProcess, workspace: string): Promise<string> {
  const reply = await server.tool("locate_symbol", { name: "x", workspace });
  return reply.error?.code ?? "served";
}

test("C51: auto-discovery off: only registered workspaces are served", async () => {
  box = sandbox();
  const { at } = trees(["known", "unknown"]);
  const server = await start(["--workspace", at("known")], box.env);
  expect(await code(server, at("known"))).toBe("served");
  expect(await code(server, join(at("known"), "."))).toBe("served");
  for (const path of [at("unknown"), "/etc", join(at("known"), "../unknown"), "/nowhere/at/all"]) {
    expect([path, await code(server, path)]).toEqual([path, "workspace_not_registered"]);
  }
  expect(await code(server, `${at("known")}\0`)).toBe("invalid_input");
  expect(await code(server, `/${"a".repeat(10_000)}`)).toBe("invalid_input");
  expect(await code(server, "")).toBe("invalid_input");
  expect((await server.send({ path: "/health" })).status).toBe(200);
});

test("C51: auto-discovery on: nothing outside the allowed root, however it is spelled", async () => {
  box = sandbox();
  const { root, at } = trees(["allowed/a", "outside", "allowed-evil"]);
  symlinkSync(at("outside"), join(root, "allowed", "link"));
  symlinkSync("/", join(root, "allowed", "slash"));
  symlinkSync(at("allowed/a"), join(root, "outside", "in"));
  const server = await start(["--auto-workspace", "--allowed-root", at("allowed")], box.env, at("outside"));
  for (const path of [
    at("outside"),
    at("allowed-evil"),
    `${at("allowed")}-evil`,
    `${at("allowed")}/../outside`,
    `${at("allowed")}/a/../../outside`,
    `${at("allowed")}/link`,
    `${at("allowed")}/slash/etc`,
    "/proc/self/root/etc",
    `/proc/self/cwd`,
    "/etc",
    "/",
    box.env.HOME!,
    "/root",
    "relative/path",
    "~",
    "//evil/share",
    "\\\\evil\\share",
    `${at("allowed")}/%2e%2e/outside`,
  ]) {
    expect([path, await code(server, path)]).toEqual([
      path,
      expect.stringMatching(/^workspace_not_(allowed|registered)$/),
    ]);
    if (!path.includes("%2e")) expect([path, await code(server, path)]).toEqual([path, "workspace_not_allowed"]);
  }
  expect(await code(server, `${at("allowed")}/a\0`)).toBe("invalid_input");
  expect(await code(server, `/${"a".repeat(10_000)}`)).toBe("invalid_input");
  // The target of the link counts.
  expect(await code(server, join(at("outside"), "in"))).toBe("served");
  const known = (await codecompass(["workspaces", "--json"], { cwd: root, env: box.env })).json();
  expect(known.map((one: { repo_root: string }) => one.repo_root)).toEqual([at("allowed/a")]);
});

const RETARGETED = process.env.CODECOMPASS_LONG ? 1_000 : 300;

test(`C51: a link that is retargeted ${RETARGETED} times never leads outside`, async () => {
  box = sandbox();
  const { root, at } = trees(["allowed/a", "outside"]);
  const server = await start(["--auto-workspace", "--allowed-root", at("allowed")], box.env);
  const link = join(root, "allowed", "link");
  const spare = join(root, "spare");
  let swapping = true;
  const swaps = (async () => {
    for (let i = 0; swapping; i++) {
      symlinkSync(i % 2 === 0 ? at("outside") : at("allowed/a"), spare);
      renameSync(spare, link);
      await new Promise((resolve) => setImmediate(resolve));
    }
  })();
  for (let i = 0; i < RETARGETED / 20; i++) {
    const answers = await Promise.all(Array.from({ length: 20 }, () => code(server, link)));
    for (const answer of answers) expect(answer).toMatch(/^served$|^workspace_not_(allowed|registered)$/);
  }
  swapping = false;
  await swaps;
  const known = (await codecompass(["workspaces", "--json"], { cwd: root, env: box.env })).json();
  for (const { repo_root } of known) expect(repo_root).toBe(at("allowed/a"));
});

test("without workspaces the error says how to add one", async () => {
  box = sandbox();
  const none = await codecompass(["workspaces"], { cwd: box.tree({}), env: box.env });
  expect(none).toMatchObject({ code: 1, out: "", err: expect.stringContaining("workspaces add DIR") });
});

test("C52: auto-discovery needs an existing root", async () => {
  box = sandbox();
  const cwd = box.tree({});
  const run = (...args: string[]) => codecompass(["serve-mcp", ...args], { cwd, env: box!.env });
  for (const transport of ["stdio", "http"]) {
    const none = await run("--transport", transport, "--auto-workspace");
    expect([none.code, none.err]).toEqual([2, expect.stringContaining("--allowed-root")]);
    const absent = await run("--transport", transport, "--auto-workspace", "--allowed-root", "/nowhere/at/all");
    expect([absent.code, absent.err]).toEqual([2, expect.stringContaining("not a directory")]);
  }
  const open = await run("--transport", "http", "--bind", "0.0.0.0");
  expect([open.code, open.err]).toEqual([2, expect.stringContaining("--token")]);
  for (const port of ["-1", "65536", "x", ""])
    expect((await run("--transport", "http", `--port=${port}`)).code).toBe(2);
});

test("C48: the help names the defaults", async () => {
  box = sandbox();
  const { out } = await codecompass(["serve-mcp", "--help"], { cwd: box.tree({}), env: box.env });
  expect(out).toMatch(/--port <port>[^-]*default: "9100"/s);
  expect(out).toMatch(/--bind <address>[^-]*default:\s+"127.0.0.1"/s);
});

test("C53: eight concurrent first calls: one job, partial answers, then ready", async () => {
  box = sandbox();
  const root = box.tree(
    Object.fromEntries(Object.entries(unchangedFiles(400)).map(([path, text]) => [`new/${path}`, text])),
  );
  const workspace = join(root, "new");
  const server = await start(["--auto-workspace", "--allowed-root", root], box.env);
  const first = await Promise.all(
    Array.from({ length: 8 }, () => server.tool("locate_symbol", { name: "quiet_7", workspace })),
  );
  for (const { metadata, results } of first) {
    expect(metadata).toMatchObject({ indexing_status: "indexing", result_completeness: "partial" });
    expect(results).toEqual([]);
  }
  await until("it is ready", async () => {
    const { metadata } = await server.tool("locate_symbol", { name: "quiet_7", workspace });
    return metadata.indexing_status === "ready" && metadata.result_completeness === "complete";
  });
  const found = await server.tool("locate_symbol", { name: "quiet_7", workspace });
  expect(found.results[0].name).toBe("quiet_7");
  const builds = async () => {
    const { recent_jobs } = await server.tool("index_status", { workspace });
    return recent_jobs.filter((job: { mode: string }) => job.mode === "full");
  };
  // The published view is visible a moment before the job is marked as done.
  await until("the build is noted", async () => (await builds()).length > 0);
  expect(await builds()).toHaveLength(1);
  const health = (await server.send({ path: "/health" })).json();
  expect(health.projects.map((one: { repo_root: string }) => one.repo_root)).toEqual([workspace]);
});

test("index_status and index_repo can be the first call, too", async () => {
  box = sandbox();
  const { root, at } = trees(["one", "two"]);
  const server = await start(["--auto-workspace", "--allowed-root", root], box.env);
  expect((await server.tool("index_status", { workspace: at("one") })).index_status).toBe("indexing");
  expect((await server.tool("index_repo", { workspace: at("two"), wait_seconds: 60 })).status).toBe("published");
});

test("C54: the least recently used is evicted with its index, registered ones never", async () => {
  box = sandbox();
  const names = ["mine", ...Array.from({ length: 5 }, (_, at) => `auto${at}`)];
  const { root, at } = trees(names);
  const args = ["--workspace", at("mine"), "--auto-workspace", "--allowed-root", root, "--max-auto-workspaces", "3"];
  const server = await start(args, box.env);
  const known = async () => {
    const { out } = await codecompass(["workspaces", "--json"], { cwd: root, env: box!.env });
    return (JSON.parse(out) as { repo_root: string }[]).map((one) => one.repo_root.slice(root.length + 1));
  };
  const ready = async (name: string) => {
    const workspace = at(name);
    await until(`${name} is ready`, async () => {
      const { results, error } = await server.tool("locate_symbol", { name: `in_${name}`, workspace });
      expect(error).toBeUndefined();
      return results.length === 1;
    });
  };
  await ready("mine");
  for (const name of ["auto0", "auto1", "auto2"]) await ready(name);
  expect(await known()).toEqual(["auto0", "auto1", "auto2", "mine"]);
  await ready("auto3");
  expect(await known()).toEqual(["auto1", "auto2", "auto3", "mine"]);
  await ready("auto1");
  await ready("auto4");
  expect(await known()).toEqual(["auto1", "auto3", "auto4", "mine"]);
  await ready("auto0");
  await ready("mine");
  expect(await known()).toContain("mine");
});

test("a workspace discovered by one server is served by another only inside its own roots, until it is registered", async () => {
  box = sandbox();
  const { root, at } = trees(["one"]);
  const finder = await start(["--auto-workspace", "--allowed-root", root], box.env);
  expect(await code(finder, at("one"))).toBe("served");
  const closed = await start([], box.env, root);
  expect(await code(closed, at("one"))).toBe("workspace_not_registered");
  expect((await codecompass(["workspaces", "add", at("one")], { cwd: root, env: box.env })).code).toBe(0);
  expect(await code(closed, at("one"))).toBe("served");
});

test("a workspace that disappears is reported, returns, and never stops the server", async () => {
  box = sandbox();
  const { root, at } = trees(["here", "other"]);
  const server = await start(["--workspace", at("here"), "--workspace", at("other")], box.env);
  const ask = () => server.tool("locate_symbol", { name: "in_here" });
  await until("it is indexed", async () => (await ask()).results?.length === 1);
  renameSync(at("here"), join(root, "away"));
  expect((await ask()).error).toMatchObject({
    code: "project_not_found",
    data: { suggestion: expect.stringContaining("put it back") },
  });
  expect((await server.tool("locate_symbol", { name: "x", workspace: at("here") })).error).toMatchObject({
    code: "workspace_not_registered",
    data: { suggestion: expect.stringContaining("no such directory") },
  });
  expect(await code(server, at("other"))).toBe("served");
  expect((await server.send({ path: "/health" })).status).toBe(200);
  renameSync(join(root, "away"), at("here"));
  await until("it is back", async () => (await ask()).results?.length === 1);
  write(at("here"), { "later.py": "def came_later():\n    pass\n" });
  await until("it is followed again", async () => {
    return (await server.tool("locate_symbol", { name: "came_later" })).results?.length === 1;
  });
});

test("a workspace that is missing at start is reported at once", async () => {
  box = sandbox();
  const { at } = trees(["here"]);
  const server = await start(["--workspace", at("nowhere"), "--workspace", at("here")], box.env);
  expect(server.stderr()).toContain(`--workspace ${at("nowhere")} is not a directory`);
  expect(server.stderr()).not.toContain(at("here"));
});

test("a home directory and the root of a drive are not workspaces", async () => {
  box = sandbox();
  for (const directory of ["/", box.env.HOME!]) {
    const ran = await codecompass(["workspaces", "add", directory], { cwd: box.tree({}), env: box.env });
    expect([ran.code, ran.err]).toEqual([2, expect.stringMatching(/not allowed/)]);
    const server = startServer(["--workspace", directory], box.env);
    await server.initialize();
    expect((await server.tool("search_code", { query: "x" })).error.code).toBe("workspace_not_allowed");
    await server.close();
  }
});

test("workspaces: list, add, remove", async () => {
  box = sandbox();
  const { root, at } = trees(["one", "two"]);
  const run = (...args: string[]) => codecompass(["workspaces", ...args], { cwd: root, env: box!.env });
  expect((await run()).code).toBe(1);
  expect((await run("add", "one", "two")).out).toBe(`Registered: ${at("one")}\nRegistered: ${at("two")}\n`);
  expect((await codecompass(["index", "--path", at("one")], { cwd: root, env: box.env })).code).toBe(0);
  expect((await run()).out).toBe(`${at("one")}\n${at("two")}\n`);
  const [row] = (await run("list", "--json")).json();
  expect(row).toMatchObject({ repo_root: at("one"), auto_discovered: false });
  expect(row.last_used_at).toMatch(/^\d{4}-\d\d-\d\dT/);
  expect((await run("remove", "one")).out).toBe(`Removed: ${at("one")}\n`);
  expect((await run()).out).toBe(`${at("two")}\n`);
  expect((await run("remove", "one")).code).toBe(2);
  rmSync(at("two"), { recursive: true });
  expect((await run("remove", "two")).code).toBe(0);
  for (const args of [["add"], ["remove"], ["rename", "x"]]) expect((await run(...args)).code).toBe(2);
});

test("a damaged registration is listed with the reason, and replaced by adding the directory again", async () => {
  box = sandbox();
  const { root, at } = trees(["one", "two"]);
  const run = (...args: string[]) => codecompass(["workspaces", ...args], { cwd: root, env: box!.env });
  await run("add", "one", "two");
  const [row] = (await run("list", "--json")).json();
  const file = join(box.home, "workspaces", `${row.project_id}.json`);
  writeFileSync(file, readFileSync(file, "utf8").replace(/"registered_at":\d/, '"registered_at":9'));
  expect((await run()).out).toBe(
    `${at("two")}\n${at("one")}  (damaged registration: wrong checksum; add the directory again)\n`,
  );
  expect((await run("list", "--json")).json()[1]).toEqual({ repo_root: at("one"), file, damaged: "wrong checksum" });
  writeFileSync(file, "{");
  expect((await run("list", "--json")).json()[1]).toEqual({ file, damaged: "not JSON" });
  await run("add", "one");
  expect((await run()).out).toBe(`${at("one")}\n${at("two")}\n`);
});

test("many servers register concurrently: every row is stored", async () => {
  box = sandbox();
  const names = Array.from({ length: 12 }, (_, at) => `w${at}`);
  const { root } = trees(names);
  await Promise.all(names.map((name) => codecompass(["workspaces", "add", name], { cwd: root, env: box!.env })));
  expect((await codecompass(["workspaces", "--json"], { cwd: root, env: box.env })).json()).toHaveLength(12);
});

test("C12, C13 over HTTP: a call names its workspace", async () => {
  box = sandbox();
  const { at } = trees(["one", "two"]);
  const server = await start(["--workspace", at("one"), "--workspace", at("two")], box.env);
  const answer = await server.post(toolCall(1, "locate_symbol", { name: "in_two", workspace: at("two") }));
  const body = JSON.parse(answer.json().result.content[0].text);
  expect(body.results[0].name).toBe("in_two");
  expect(Object.keys(body.metadata)).toEqual(expect.arrayContaining(["freshness_status", "indexing_status", "ref"]));
  expect((await server.tool("locate_symbol", { name: "in_two" })).results).toEqual([]);
  mkdirSync(join(at("two"), "deep/er"), { recursive: true });
  write(at("two"), {});
  const deep = await server.tool("locate_symbol", {
    name: "in_two",
    workspace: realpathSync(join(at("two"), "deep/er")),
  });
  expect(deep.results[0].name).toBe("in_two");
});
