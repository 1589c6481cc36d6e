import { describe, expect, test } from "vitest";
import { compactJson } from "../tools/json.ts";
import { messageJson, ToolResult } from "./message.ts";

describe("a message is written as its plain JSON", () => {
  const told = (body: object) => new ToolResult(compactJson(body), body);
  test.each<[string, object]>([
    ["an answer", { result: told({ a: 1, list: [] }), jsonrpc: "2.0", id: 1 }],
    ["unseen characters, in it and in its id", { result: told({ a: "\u200b\u202e" }), jsonrpc: "2.0", id: "\u200bx" }],
    ["quotes, lines and halves of pairs", { result: told({ a: '"\\\n\ud800' }), jsonrpc: "2.0", id: "7" }],
    ["another order", { jsonrpc: "2.0", id: 1, result: told({ a: 1 }) }],
    ["a refusal", { result: { content: [], isError: true }, jsonrpc: "2.0", id: 1 }],
    ["no answer at all", { method: "notifications/progress", jsonrpc: "2.0" }],
    ["a batch", [{ result: told({ a: 1 }), jsonrpc: "2.0", id: 1 }]],
  ])("%s", (_, message) => {
    expect(messageJson(message)).toBe(compactJson(JSON.parse(JSON.stringify(message))));
  });
});
