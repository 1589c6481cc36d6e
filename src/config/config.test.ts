import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { scratchDirectory } from "../../test/kit/scratch.ts";
import { closest } from "../text/edit-distance.ts";
import { environmentLayer, findLine, flagLayer, type Layer, loadConfig, resolve, textLayer } from "./load.ts";
import { CONFIG_KEYS, type ConfigKey, DEFAULTS, envName } from "./schema.ts";

const toml = (text: string): Layer => textLayer("config.toml", text);

describe("precedence", () => {
  const check = (name: string, layers: Layer[], key: ConfigKey, expected: unknown) =>
    test(name, () => expect(resolve(layers).config[key]).toBe(expected));

  check("nothing given: the default", [], "query.limit", 10);
  check("a file", [toml("[query]\nlimit = 20")], "query.limit", 20);
  check("the later file", [toml("[query]\nlimit = 20"), toml("[query]\nlimit = 30")], "query.limit", 30);
  check(
    "environment over file",
    [toml("[query]\nlimit = 20"), environmentLayer({ CODECOMPASS_QUERY_LIMIT: "5" })],
    "query.limit",
    5,
  );
  check(
    "flag over environment",
    [environmentLayer({ CODECOMPASS_QUERY_LIMIT: "5" }), flagLayer({ "query.limit": 7 })],
    "query.limit",
    7,
  );
  check(
    "an absent flag says nothing",
    [toml("query.limit = 4"), flagLayer({ "query.limit": undefined })],
    "query.limit",
    4,
  );
  check("an empty variable says nothing", [environmentLayer({ CODECOMPASS_QUERY_LIMIT: "" })], "query.limit", 10);
  check("[search] is read", [toml('[search]\nfreshness_policy = "strict"')], "query.freshness_policy", "strict");
  check(
    "[query] wins over [search]",
    [toml('[search]\nfreshness_policy = "strict"\n[query]\nfreshness_policy = "best_effort"')],
    "query.freshness_policy",
    "best_effort",
  );
  check("legacy true is full", [toml("[debug]\nranking_reasons = true")], "query.ranking_explain_level", "full");
  check("legacy false is off", [toml("[debug]\nranking_reasons = false")], "query.ranking_explain_level", "off");
  check(
    "the newer key wins over the legacy one",
    [toml('[debug]\nranking_reasons = true\n[query]\nranking_explain_level = "basic"')],
    "query.ranking_explain_level",
    "basic",
  );
  check(
    "a switch from the environment",
    [environmentLayer({ CODECOMPASS_SERVER_PREWARM: "0" })],
    "server.prewarm",
    false,
  );
});

describe("refusals name the place and what is allowed", () => {
  const check = (name: string, layers: () => Layer[], ...parts: string[]) =>
    test(name, () => {
      let message = "";
      try {
        resolve(layers());
      } catch (error) {
        message = (error as Error).message;
      }
      for (const part of parts) expect(message).toContain(part);
    });

  check(
    "unknown key",
    () => [toml("[query]\n\nlimitt = 3")],
    "config.toml:3",
    "query.limitt",
    "did you mean `query.limit`?",
  );
  check("unknown table", () => [toml("[nothing]\nlike = 1")], "config.toml:2", "known options: query.freshness_policy");
  check(
    "unknown choice",
    () => [toml('[query]\nfreshness_policy = "lax"')],
    "config.toml:2",
    '"strict", "balanced", "best_effort"',
  );
  check("in the older table", () => [toml('[search]\nfreshness_policy = "lax"')], "config.toml:2");
  check("too large", () => [toml("query.limit = 5000")], "config.toml:1", "from 1 to 200");
  check("wrong type", () => [toml('[query]\nlimit = "many"')], '"many"', "whole number");
  check("array", () => [toml("[query]\nlimit = [1]")], "config.toml:2", "[1]");
  check("syntax", () => [toml("[query]\nlimit = = 3")], "config.toml:2");
  check("variable", () => [environmentLayer({ CODECOMPASS_QUERY_LIMIT: "x" })], "CODECOMPASS_QUERY_LIMIT", "1 to 200");
  check("flag", () => [flagLayer({ "query.limit": 0 })], "--limit");
});

describe("lineOf", () => {
  const check = (text: string, key: string, line: number) => test(key, () => expect(findLine(text, key)).toBe(line));
  check("a = 1\nb.c = 2", "b.c", 2);
  check("# x\n[a]\n[b]\nc = 1", "b.c", 4);
  check("x = 1\nb = { c = 2 }", "b.c", 2);
  check('["b"]\n"c" = 2', "b.c", 2);
});

describe("closest", () => {
  const check = (word: string, expected: string | undefined) =>
    test(word, () => expect(closest(word, ["search", "sync", "index", "doctor"])).toBe(expected));
  check("serach", "search");
  check("Index", "index");
  check("docter", "doctor");
  check("banana", undefined);
});

test("every option has its own variable and a default that it accepts", () => {
  expect(new Set(CONFIG_KEYS.map(envName)).size).toBe(CONFIG_KEYS.length);
  expect(resolve([flagLayer(DEFAULTS)]).config).toEqual(DEFAULTS);
});

describe("files", () => {
  const scratch = scratchDirectory("config");
  const repository = (): { root: string; home: string } => {
    const root = mkdtempSync(join(scratch, "tree-"));
    mkdirSync(join(root, "repo", ".git"), { recursive: true });
    mkdirSync(join(root, "repo", "deep"));
    mkdirSync(join(root, "repo", ".codecompass"));
    mkdirSync(join(root, "home"));
    writeFileSync(join(root, "repo", ".codecompass", "config.toml"), "[query]\nlimit = 3\n");
    writeFileSync(join(root, "home", "config.toml"), "[query]\nlimit = 4\n[server]\nprewarm = false\n");
    return { root: join(root, "repo"), home: join(root, "home") };
  };

  test("the repository's file wins over the user's, from a sub-directory too", () => {
    const { root, home } = repository();
    const loaded = loadConfig({ workspace: join(root, "deep"), env: { CODECOMPASS_HOME: home } });
    expect(loaded.config).toMatchObject({ "query.limit": 3, "server.prewarm": false });
    expect(loaded.files).toEqual([join(root, ".codecompass", "config.toml"), join(home, "config.toml")]);
  });

  test("--config replaces both", () => {
    const { root, home } = repository();
    const own = join(home, "own.toml");
    writeFileSync(own, "[query]\nlimit = 9\n");
    const loaded = loadConfig({ workspace: root, env: { CODECOMPASS_HOME: home }, configPath: own });
    expect(loaded.config).toMatchObject({ "query.limit": 9, "server.prewarm": true });
  });

  test("--config with no such file is refused", () => {
    const { root, home } = repository();
    expect(() => loadConfig({ workspace: root, env: {}, configPath: join(home, "none.toml") })).toThrow("none.toml");
  });

  test("a repository cannot decide where code and keys are sent, that secrets are indexed, or how many threads run", () => {
    const { root, home } = repository();
    const file = join(root, ".codecompass", "config.toml");
    for (const [key, value] of [
      ["embedding.endpoint", "http://collector.invalid"],
      ["embedding.api_key_env", "AWS_SECRET_ACCESS_KEY"],
      ["embedding.model", "./model"],
      ["index.include_secrets", true],
      ["index.workers", 64],
      ["server.readers", 16],
      ["server.warmset", 64],
    ] as const) {
      const [table, name] = key.split(".");
      const text = `[${table}]\n${name} = ${JSON.stringify(value)}\n`;
      writeFileSync(file, text);
      const load = () => loadConfig({ workspace: root, env: { CODECOMPASS_HOME: home } });
      expect(load).toThrow(`${file}:2: a repository cannot set \`${key}\``);
      writeFileSync(join(home, "config.toml"), text);
      writeFileSync(file, "");
      expect(load().config[key]).toBe(value);
    }
  });

  test("outside a repository nothing above the workspace is read", () => {
    const { home } = repository();
    mkdirSync(join(home, ".codecompass"));
    mkdirSync(join(home, "inner"));
    writeFileSync(join(home, ".codecompass", "config.toml"), "[query]\nlimit = 8\n");
    expect(loadConfig({ workspace: join(home, "inner"), env: { CODECOMPASS_HOME: join(home, "none") } }).files).toEqual(
      [],
    );
  });
});

describe("hostile files", () => {
  const deep = Array.from({ length: 100_000 }, () => "a").join(".");
  const refused = (name: string, text: string, message: RegExp) =>
    test(name, () => expect(() => resolve([toml(text)])).toThrow(message));

  refused("a key of 100,000 parts", `# first\n${deep} = 1\n`, /config\.toml:2: a key has more than 32 parts/);
  refused("a table of 100,000 parts", `# first\n\n[${deep}]\n`, /config\.toml:3: a key has more than 32 parts/);
  refused("inline tables 900 deep", `x = ${"{a=".repeat(900)}1${"}".repeat(900)}`, /config\.toml:1: a key has more/);
  refused("arrays 100,000 deep", `x = ${"[".repeat(100_000)}${"]".repeat(100_000)}`, /config\.toml:1: .*nested/);
  refused("250,000 spaces before a comment", `${" ".repeat(250_000)}# x\nfoo = 1\n`, /config\.toml:2: unknown option/);
  refused("a name of 250,000 letters", `${"a".repeat(250_000)} = 1`, /^.{1,200}; known options/);
});
