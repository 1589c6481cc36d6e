import { expect, test } from "vitest";
import { readLine } from "./message.ts";

const check = (line: string, expected: object) =>
  test(line.slice(0, 60), () => expect(readLine(line)).toMatchObject(expected));
const refused = (line: string, code: number, id: unknown = null) =>
  check(line, { kind: "invalid", reply: { id, error: { code, data: { code: "invalid_input" } } } });

check('{"jsonrpc":"2.0","id":1,"method":"ping"}', { kind: "request", message: { id: 1, method: "ping" } });
check('\ufeff{"jsonrpc":"2.0","id":"a","method":"ping","params":null}\r', { kind: "request", message: { id: "a" } });
check('{"jsonrpc":"2.0","method":"notifications/x"}', { kind: "notification" });
check('{"jsonrpc":"2.0","method":"notifications/x","params":5}', { kind: "ignored" });
check('{"jsonrpc":"2.0","id":1,"result":{}}', { kind: "ignored" });
check("   ", { kind: "ignored" });
check("[1,2]", { kind: "batch", members: [1, 2] });
refused("{", -32700);
refused("5", -32600);
refused('{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600, 1);
refused('{"jsonrpc":"2.0","id":1}', -32600, 1);
refused('{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', -32602, 1);
refused('{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600);
refused('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":null}}', -32602, 1);
refused('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"progressToken":{}}}}', -32602, 1);
refused("[".repeat(101) + "]".repeat(101), -32600);

test("only the members of JSON-RPC are kept", () => {
  expect(readLine('{"jsonrpc":"2.0","id":1,"method":"ping","extra":1}')).toEqual({
    kind: "request",
    message: { jsonrpc: "2.0", id: 1, method: "ping" },
  });
});

test.each(['"__proto__"', '"constructor"', '"\\u005f_proto__"'])("a member %s is dropped", (key) => {
  const read = readLine(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":{${key}:{"polluted":1},"b":2}}}`);
  expect(read).toMatchObject({ kind: "request", message: { params: { a: { b: 2 } } } });
  expect(JSON.stringify(read)).not.toContain("polluted");
});

test("brackets in strings do not count as depth", () => {
  const query = '[\\"'.repeat(200);
  expect(readLine(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"q":"${query}"}}`).kind).toBe("request");
});
