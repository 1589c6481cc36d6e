/** The MCP Inspector's command line against a real server: both eras, both transports, strict schema checks. */
import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TOOLS } from "../../src/tools/index.ts";
import { type HttpProcess, startHttp } from "../kit/http.ts";
import { MAIN } from "../kit/main.ts";
import { sandbox } from "../kit/sandbox.ts";

const INSPECTOR = resolve(
  import.meta.dirname,
  "../../node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js",
);

/** The Inspector's exit status for a result with `isError`. */
const TOOL_IS_ERROR = 5;

const box = sandbox();
const root = box.repository({ "src/a.ts": "export function hello(): number {\n  return 1;\n}\n" });
let http: HttpProcess;
beforeAll(async () => {
  http = await startHttp(["--workspace", root], box.env);
});
afterAll(async () => {
  await http.close();
  box[Symbol.dispose]();
});

interface Inspected {
  readonly code: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests read replies as they come
  readonly result: any;
  readonly err: string;
}

function inspect(target: readonly string[], ...args: string[]): Promise<Inspected> {
  const all = [INSPECTOR, "--cli", "--format", "json", ...args, ...target];
  return new Promise((done) => {
    execFile(process.execPath, all, { cwd: root, env: box.env, maxBuffer: 1 << 26 }, (error, out, err) => {
      const code = error === null ? 0 : Number(error.code);
      done({ code, result: out === "" ? undefined : JSON.parse(out).result, err });
    });
  });
}

const TARGETS: readonly (readonly [string, () => readonly string[]])[] = [
  ["stdio", () => [process.execPath, MAIN, "serve-mcp", "--workspace", root]],
  ["http", () => ["--transport", "http", "--server-url", `http://127.0.0.1:${http.port}/`]],
];

for (const [transport, target] of TARGETS) {
  for (const era of ["legacy", "modern"]) {
    describe(`${transport}, ${era}`, () => {
      test("lists every tool; no schema has an error", async () => {
        const listed = await inspect(target(), "--protocol-era", era, "--method", "tools/list", "--strict");
        expect(listed.err).not.toMatch(/^Error/m);
        expect(listed.code).toBe(0);
        expect(listed.result.tools.map((tool: { name: string }) => tool.name)).toEqual(TOOLS.map(({ name }) => name));
      });

      const call = (input: object) =>
        inspect(
          target(),
          ...["--protocol-era", era, "--method", "tools/call", "--tool-name", "search_code"],
          ...["--tool-args-json", JSON.stringify(input)],
        );

      test("calls a tool", async () => {
        const { code, result } = await call({ query: "hello" });
        expect(code).toBe(0);
        expect(result.structuredContent.results[0]).toMatchObject({ path: "src/a.ts", name: "hello" });
      });

      test("distinguishes an error result from a success", async () => {
        const { code, result, err } = await call({ query: "hello", limit: 0 });
        expect(code).toBe(TOOL_IS_ERROR);
        expect(err).toContain("tool_is_error");
        expect(JSON.parse(result.content[0].text).error.code).toBe("invalid_input");
      });
    });
  }
}
