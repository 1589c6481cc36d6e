/** `install` and `uninstall` as users see them, in a temporary home directory; `start` makes a process of its own. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { parse as parseJsonc } from "jsonc-parser";
import { parse as parseToml } from "smol-toml";
import { afterAll, describe, expect, test } from "vitest";
import { CLIENTS } from "../../src/cli/install/clients.ts";
import { openConfig, replaceConfig } from "../../src/cli/install/file.ts";
import { codecompass as startCommand } from "../kit/command.ts";
import { codecompass } from "../kit/inline-command.ts";
import { sandbox, write } from "../kit/sandbox.ts";

const box = sandbox();
afterAll(() => box[Symbol.dispose]());
const project = box.repository({ "a.ts": "export const a = 1;\n" });
let homes = 0;

interface Home {
  readonly path: string;
  run(...args: string[]): ReturnType<typeof codecompass>;
  start(...args: string[]): ReturnType<typeof codecompass>;
}

/** A new home directory, isolated from the machine's own configuration. */
function home(files: Readonly<Record<string, string>> = {}): Home {
  const path = join(realpathSync(box.env.HOME!), `person-${++homes}`);
  mkdirSync(path);
  write(path, files);
  const none = { XDG_CONFIG_HOME: "", CODEX_HOME: "", CLAUDE_CONFIG_DIR: "" };
  const options = { cwd: project, env: { ...box.env, ...none, HOME: path, CODECOMPASS_HOME: join(path, "cc") } };
  return { path, run: (...args) => codecompass(args, options), start: (...args) => startCommand(args, options) };
}

/** Where each client stores its servers on Linux, and the form of an entry. */
const WHERE: Readonly<Record<string, { user: string; project?: string; section: string; keys: readonly string[] }>> = {
  "claude-code": {
    user: ".claude.json",
    project: ".mcp.json",
    section: "mcpServers",
    keys: ["type", "command", "args"],
  },
  "claude-desktop": {
    user: ".config/Claude/claude_desktop_config.json",
    section: "mcpServers",
    keys: ["command", "args"],
  },
  cursor: {
    user: ".cursor/mcp.json",
    project: ".cursor/mcp.json",
    section: "mcpServers",
    keys: ["type", "command", "args"],
  },
  vscode: {
    user: ".config/Code/User/mcp.json",
    project: ".vscode/mcp.json",
    section: "servers",
    keys: ["type", "command", "args"],
  },
  codex: {
    user: ".codex/config.toml",
    project: ".codex/config.toml",
    section: "mcp_servers",
    keys: ["command", "args"],
  },
  gemini: {
    user: ".gemini/settings.json",
    project: ".gemini/settings.json",
    section: "mcpServers",
    keys: ["command", "args"],
  },
  windsurf: { user: ".codeium/windsurf/mcp_config.json", section: "mcpServers", keys: ["command", "args"] },
  zed: {
    user: ".config/zed/settings.json",
    project: ".zed/settings.json",
    section: "context_servers",
    keys: ["command", "args"],
  },
  opencode: {
    user: ".config/opencode/opencode.json",
    project: "opencode.json",
    section: "mcp",
    keys: ["type", "command"],
  },
};

// biome-ignore lint/suspicious/noExplicitAny: tests read files as they come
const parsed = (file: string): any => {
  const text = readFileSync(file, "utf8");
  return file.endsWith(".toml") ? parseToml(text) : parseJsonc(text);
};

test("every client has a row here", () => expect(Object.keys(WHERE).sort()).toEqual(CLIENTS.map((c) => c.id).sort()));

describe.skipIf(process.platform !== "linux")("user scope", () => {
  for (const [client, { user, section, keys }] of Object.entries(WHERE)) {
    test(client, async () => {
      const person = home();
      const file = join(person.path, user);
      const installed = await person.run("install", "--client", client);
      expect(installed).toMatchObject({ code: 0, err: "" });
      expect(installed.out).toContain(`+++ ${file}`);
      expect(installed.out).toMatch(/\nInstalled for .*\nNext: .*\nUndo: codecompass uninstall --client /);
      const entry = parsed(file)[section].codecompass;
      expect(Object.keys(entry)).toEqual(keys);
      const words: string[] = [entry.command, entry.args ?? []].flat(2);
      expect(words[0]).toBe(process.execPath);
      expect(words[1]).toMatch(/bin.codecompass\.js$/);
      expect(words[2]).toBe("serve-mcp");
      const bytes = readFileSync(file);
      expect((await person.run("install", "--client", client)).out).toContain("Already installed");
      expect(readFileSync(file)).toEqual(bytes);
      const removed = await person.run("uninstall", "--client", client);
      expect(removed).toMatchObject({ code: 0, err: "" });
      expect(readdirSync(person.path)).toEqual(["cc"]);
      expect((await person.run("uninstall", "--client", client)).out).toContain("Not installed");
    });
  }

  test("the written entry starts the server", async () => {
    const person = home();
    await person.start("install", "--client", "claude-code");
    const { command, args } = parsed(join(person.path, ".claude.json")).mcpServers.codecompass;
    const client = new Client({ name: "test", version: "1" });
    const env = { ...box.env, HOME: person.path } as Record<string, string>;
    await client.connect(new StdioClientTransport({ command, args, env, cwd: project, stderr: "ignore" }));
    expect(client.getServerVersion()?.name).toBe("codecompass");
    await client.close();
  });

  test("an editor that passes the open project gets a variable, another one a fixed path", async () => {
    const person = home();
    const args = async (client: string, ...more: string[]) => {
      await person.run("install", "--client", client, ...more);
      return parsed(join(person.path, WHERE[client]!.user))[WHERE[client]!.section].codecompass.args.slice(
        2 + SURFACE.length,
      );
    };
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the client fills it in
    expect(await args("vscode")).toEqual(["--workspace", "${workspaceFolder}"]);
    expect(await args("claude-desktop")).toEqual(["--workspace", project]);
    expect(await args("claude-code")).toEqual([]);
    expect(await args("claude-code", "--workspace", project)).toEqual(["--workspace", project]);
  });
});

/** What every entry starts the server with. */
const SURFACE = ["--format", "text", "--tools", "core"];

describe("project scope", () => {
  for (const [client, { project: path, section }] of Object.entries(WHERE)) {
    test(client, async () => {
      const person = home();
      const root = box.repository({ "a.ts": "" });
      const installed = await person.run("install", "--client", client, "--project", "--path", root);
      if (path === undefined) {
        expect(installed).toMatchObject({ code: 2, out: "" });
        expect(installed.err).toContain("no configuration per project");
        return;
      }
      expect(installed).toMatchObject({ code: 0, err: "" });
      expect(installed.out).toContain("This file is inside your repository");
      const entry = parsed(join(root, path))[section].codecompass;
      expect([entry.command, entry.args ?? []].flat(2).slice(0, 2)).toEqual(["codecompass", "serve-mcp"]);
      await person.run("uninstall", "--client", client, "--project", "--path", root);
      expect(readdirSync(root).sort()).toEqual([".git", "a.ts"]);
    });
  }

  test("without --project nothing is written into the repository", async () => {
    const person = home();
    await person.run("install", "--client", "cursor");
    expect(readdirSync(project).sort()).toEqual([".git", "a.ts"]);
  });

  test("a directory that leads out of the project is rejected", async () => {
    const person = home();
    const root = box.repository({ "a.ts": "" });
    const outside = box.tree({});
    symlinkSync(outside, join(root, ".cursor"));
    const refused = await person.run("install", "--client", "cursor", "--project", "--path", root);
    expect(refused).toMatchObject({ code: 2, out: "" });
    expect(refused.err).toContain("leads out of the project");
    expect(readdirSync(outside)).toEqual([]);
  });
});

describe("an existing file", () => {
  const COMMENTED =
    '// mine\n{\n\t"theme": "x", // dark\n\t"mcpServers": {\n\t\t"a": { "command": "a" }, // keep\n\t},\n}\n';

  test("comments, order, indentation and mode stay; after uninstall not a byte differs", async () => {
    const person = home({ ".gemini/settings.json": COMMENTED });
    const file = join(person.path, ".gemini/settings.json");
    chmodSync(file, 0o640);
    const installed = await person.run("install", "--client", "gemini");
    const after = readFileSync(file, "utf8");
    expect(after.split("\n").filter((line) => !COMMENTED.split("\n").includes(line)).length).toBeGreaterThan(0);
    for (const line of COMMENTED.split("\n")) expect(after.split("\n")).toContain(line);
    expect(installed.out).toContain('+\t\t"codecompass": {');
    expect(installed.out).not.toMatch(/^-\s/m);
    expect(statSync(file).mode & 0o777).toBe(0o640);
    await person.run("uninstall", "--client", "gemini");
    expect(readFileSync(file, "utf8")).toBe(COMMENTED);
    expect(statSync(file).mode & 0o777).toBe(0o640);
  });

  test("a byte order mark stays", async () => {
    const person = home({ ".cursor/mcp.json": "\uFEFF{}\n" });
    await person.run("install", "--client", "cursor");
    expect(readFileSync(join(person.path, ".cursor/mcp.json"), "utf8")).toMatch(/^\uFEFF\{\n {2}"mcpServers"/);
    await person.run("uninstall", "--client", "cursor");
    expect(readFileSync(join(person.path, ".cursor/mcp.json"), "utf8")).toBe("\uFEFF{}\n");
  });

  test("installing again with another workspace updates, and one uninstall reverts all", async () => {
    const person = home({ ".claude.json": '{"numStartups": 3}' });
    const file = join(person.path, ".claude.json");
    await person.run("install", "--client", "claude-code");
    const again = await person.run("install", "--client", "claude-code", "--workspace", project, "--json");
    expect(again.json()).toMatchObject({
      client: "claude-code",
      scope: "user",
      file,
      status: "updated",
      written: true,
    });
    expect(parsed(file).mcpServers.codecompass.args.slice(2 + SURFACE.length)).toEqual(["--workspace", project]);
    await person.run("uninstall", "--client", "claude-code");
    expect(readFileSync(file, "utf8")).toBe('{"numStartups": 3}');
  });

  test("later changes by the client stay", async () => {
    const person = home();
    const file = join(person.path, ".cursor/mcp.json");
    await person.run("install", "--client", "cursor");
    const value = parsed(file);
    value.mcpServers.other = { command: "other" };
    writeFileSync(file, JSON.stringify(value, null, 4));
    await person.run("uninstall", "--client", "cursor");
    expect(parsed(file)).toEqual({ mcpServers: { other: { command: "other" } } });
  });

  test("an existing entry is updated and restored", async () => {
    const own = '[mcp_servers.codecompass]\ncommand = "mine"\nargs = []\nenabled = false\n';
    const person = home({ ".codex/config.toml": own });
    const file = join(person.path, ".codex/config.toml");
    expect((await person.run("install", "--client", "codex")).out).toContain("Updated for Codex");
    expect(parsed(file).mcp_servers.codecompass).toMatchObject({ command: process.execPath, enabled: false });
    expect((await person.run("uninstall", "--client", "codex")).out).toContain("Restored the previous entry");
    expect(readFileSync(file, "utf8")).toBe(own);
  });

  test("opencode: uses the file and the section that exist", async () => {
    const person = home({ ".config/opencode/opencode.jsonc": '{\n  "mcp": {\n    "servers": {}\n  }\n}\n' });
    await person.run("install", "--client", "opencode");
    const value = parsed(join(person.path, ".config/opencode/opencode.jsonc"));
    expect(value.mcp.servers.codecompass.command[0]).toBe(process.execPath);
    expect(existsSync(join(person.path, ".config/opencode/opencode.json"))).toBe(false);
  });
});

describe("nothing is written", () => {
  test("--dry-run shows the difference", async () => {
    const person = home();
    const shown = await person.start("install", "--client", "cursor", "--dry-run");
    expect(shown).toMatchObject({ code: 0, err: "" });
    expect(shown.out).toContain("+++ ");
    expect(shown.out).toContain("Nothing was written");
    expect(readdirSync(person.path)).toEqual([]);
  });

  test("--print prints the client's own format on stdout and the file name on stderr", async () => {
    const person = home();
    const printed = await person.start("install", "--client", "codex", "--print");
    expect(parseToml(printed.out)).toMatchObject({ mcp_servers: { codecompass: { command: process.execPath } } });
    expect(printed.err).toContain(join(person.path, ".codex", "config.toml"));
    expect(readdirSync(person.path)).toEqual([]);
  });
});

describe("errors leave the file unchanged", () => {
  /** Both commands fail with a reason on stderr and change nothing. */
  const refuses = (name: string, part: string, prepare: (file: string) => void) =>
    test(name, async () => {
      const person = home();
      const file = join(person.path, ".cursor/mcp.json");
      mkdirSync(dirname(file));
      prepare(file);
      const before = statSync(file).isFile() ? readFileSync(file) : undefined;
      const refused = await person.run("install", "--client", "cursor");
      expect(refused).toMatchObject({ code: 2, out: "" });
      expect(refused.err).toContain(`${file} was left as it is`);
      expect(refused.err).toContain(part);
      expect(refused.err).toContain("install --print");
      if (before) expect(readFileSync(file)).toEqual(before);
      expect(readdirSync(dirname(file)).sort()).toEqual(
        name === "a symbolic link" ? ["mcp.json", "real.json"] : ["mcp.json"],
      );
      expect(existsSync(join(person.path, "cc", "clients"))).toBe(false);
    });

  refuses("broken JSON", "line 2, column 3", (file) => writeFileSync(file, "{\n  nonsense\n}"));
  refuses("another encoding", "not UTF-8", (file) => writeFileSync(file, Buffer.from([0xff, 0xfe, 0x7b, 0, 0x7d, 0])));
  refuses("a directory", "not a file", (file) => mkdirSync(file));
  refuses("a symbolic link", "symbolic link to real.json", (file) => {
    writeFileSync(join(dirname(file), "real.json"), "{}");
    symlinkSync("real.json", file);
  });
  refuses("a read-only file", "read-only", (file) => writeFileSync(file, "{}", { mode: 0o444 }));
  refuses("servers that are a list", "is not an object", (file) => writeFileSync(file, '{"mcpServers": []}'));

  test("a concurrent write of another program is not lost", () => {
    const file = join(box.tree({ "mcp.json": "{}" }), "mcp.json");
    const opened = openConfig(file);
    writeFileSync(file, '{"theirs": 1}');
    expect(() => replaceConfig(opened, '{"ours": 1}', { mode: 0o600 })).toThrow("at the same moment");
    expect(readFileSync(file, "utf8")).toBe('{"theirs": 1}');
    expect(readdirSync(dirname(file))).toEqual(["mcp.json"]);
  });

  test("neither is a file that appears in between", () => {
    const file = join(box.tree({}), "deep", "mcp.json");
    const opened = openConfig(file);
    write(dirname(file), { "mcp.json": '{"theirs": 1}' });
    expect(() => replaceConfig(opened, '{"ours": 1}', { mode: 0o600 })).toThrow("at the same moment");
    expect(readFileSync(file, "utf8")).toBe('{"theirs": 1}');
  });

  for (const [args, part] of [
    [["install"], "--client is missing; it is one of: claude-code"],
    [["install", "--client", "emacs"], "Allowed choices are claude-code"],
    [["uninstall", "--client", "cursor", "--user", "--project"], "exclude each other"],
    [["install", "--client", "cursor", "--path", "nowhere"], "nowhere is not a directory"],
  ] as const) {
    test(args.join(" "), async () => {
      const refused = await home().run(...args);
      expect(refused).toMatchObject({ code: 2, out: "" });
      expect(refused.err).toContain(part);
    });
  }
});

test("instructions prints a marked block and names only existing tools", async () => {
  const person = home();
  const printed = await person.run("instructions");
  expect(printed).toMatchObject({ code: 0, err: "" });
  expect(printed.out).toMatch(/^<!-- codecompass:begin -->\n.*\n<!-- codecompass:end -->\n$/s);
  expect(printed.out).toContain("`search_code`");
  expect(printed.out.length).toBeLessThan(1_500);
  expect(readdirSync(person.path)).toEqual([]);
});
