/** Text answers: what a model reads when the server or the call asks for `format: text`. */
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TOOLS } from "../../src/tools/index.ts";
import { TOOL_EXAMPLES } from "../kit/tool-examples.ts";
import { type Message, type WireServer, wireServer } from "../kit/wire.ts";

let server: WireServer;
beforeAll(() => {
  server = wireServer(undefined, { surface: { tools: "core", format: "text" } });
});
afterAll(() => server.end());

async function read(name: string, input: object): Promise<Message> {
  const { result } = await server.call(name, input);
  expect(result).not.toHaveProperty("structuredContent");
  expect(result.content).toHaveLength(1);
  return result;
}

test("the text answer of every tool", async () => {
  const replies: string[] = [];
  for (const { name } of TOOLS) {
    const input = TOOL_EXAMPLES[name] ?? {};
    const { content } = await read(name, input);
    replies.push(`# ${name} ${JSON.stringify(input)}\n${content[0].text}`);
  }
  await expect(replies.join("\n")).toMatchFileSnapshot("../golden/tool-text.golden.txt");
});

test("core lists eight tools in 2,500 tokens without output schemas; the others answer too", async () => {
  const { tools } = (await server.request("tools/list")).result;
  expect(tools).toHaveLength(8);
  for (const tool of tools) expect(tool).not.toHaveProperty("outputSchema");
  expect(countTokens(JSON.stringify(tools))).toBeLessThanOrEqual(2_500);
  expect((await read("index_status", {})).isError).toBeUndefined();
});

test("a call may ask for the other format", async () => {
  const { result } = await server.call("search_code", { query: "role", format: "json" });
  expect(result.structuredContent).toEqual(JSON.parse(result.content[0].text));
  expect(result.structuredContent.metadata).not.toHaveProperty("warnings");
  const refused = await read("search_code", { query: "role", format: "xml" });
  expect(refused.content[0].text).toMatch(/^error invalid_input: .*format must be one of: json, text\n/);
});

describe("errors", () => {
  const check = (name: string, input: object, text: string | RegExp) =>
    test(`${name} ${JSON.stringify(input)}`, async () => {
      const result = await read(name, input);
      expect(result.isError).toBe(true);
      expect(result.content[0].text).toEqual(typeof text === "string" ? text : expect.stringMatching(text));
    });
  check(
    "locate_symbol",
    {},
    'error invalid_input: name is missing. name must be a string\nExample: {"name":"validate_token","kind":"fn","limit":5}\n',
  );
  check(
    "search_code",
    { querry: "x", lang: "rust" },
    /^error invalid_input: query is missing\. .*\nlang was read as language\.\n.*"querry" \(did you mean query\?\)\.\nExample: /,
  );
  check("get_symbol_hierarchy", { symbol_name: "no_such" }, /^error symbol_not_found: No symbol named no_such/);
  check("find_related_symbols", { symbol_name: "twice" }, /^error ambiguous_symbol: 2 symbols are named twice\.\n/);
  check("regex_search", { pattern: "" }, "error invalid_input: Pattern cannot be empty\n");
});

describe("forgiving input is never silent", () => {
  const check = (name: string, input: object, warning: string) =>
    test(`${name} ${JSON.stringify(input)}`, async () => {
      const { content, isError } = await read(name, input);
      expect(isError).toBeUndefined();
      expect(content[0].text).toContain(`warning: ${warning}\n`);
    });
  check("search_code", { q: "role" }, "q was read as query.");
  check("search_code", { query: "role", limit: "2" }, 'limit "2" was read as 2.');
  check("search_code", { query: "role", compact: "True" }, 'compact "True" was read as true.');
  check("search_code", { query: "role", detail_level: "Location" }, 'detail_level "Location" was read as location.');
  check("locate_symbol", { symbol: "has_role" }, "symbol was read as name.");
  check("get_file_outline", { file: "src/types.rs" }, "file was read as path.");
  check("search_code", { query: "role", lang: "rust" }, "lang was read as language.");
  check(
    "search_code",
    { query: "role", max_token: 900 },
    'Unknown parameters were ignored: "max_token" (did you mean max_tokens?).',
  );
});
