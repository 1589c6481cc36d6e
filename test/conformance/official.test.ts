/** The official conformance suite against a real server, for the newest revision of each era. The suite supports HTTP only. */
import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type HttpProcess, startHttp } from "../kit/http.ts";
import { sandbox } from "../kit/sandbox.ts";
import { EXCEPTIONS, NOT_DECLARED } from "./exceptions.ts";

const SUITE = resolve(import.meta.dirname, "../../node_modules/@modelcontextprotocol/conformance/dist/index.js");
/** No scenario takes longer than a second on a server that responds. */
const SCENARIO_MS = "20000";

interface Check {
  readonly id: string;
  readonly status: "SUCCESS" | "FAILURE" | "WARNING" | "INFO" | "SKIPPED";
  readonly errorMessage?: string;
}

const box = sandbox();
let server: HttpProcess;
beforeAll(async () => {
  const root = box.repository({ "src/a.ts": "export function hello(): number {\n  return 1;\n}\n" });
  server = await startHttp(["--workspace", root], box.env);
});
afterAll(async () => {
  await server.close();
  box[Symbol.dispose]();
});

/** Every check by `scenario/check`, as the suite wrote it to its output directory. */
async function run(revision: string): Promise<Map<string, Check>> {
  const out = resolve(box.env.HOME!, `conformance-${revision}`);
  const url = `http://127.0.0.1:${server.port}/`;
  const args = ["server", "--url", url, "--requirements", revision, "--timeout", SCENARIO_MS, "-o", out];
  await new Promise<void>((done) => {
    // The exit status also counts the checks that EXCEPTIONS explains, so read the checks themselves.
    execFile(process.execPath, [SUITE, ...args], { cwd: box.env.HOME, env: box.env, maxBuffer: 1 << 26 }, () => done());
  });
  const checks = readdirSync(out).flatMap((directory) => {
    const scenario = directory.replace(/^server-/, "").replace(/-\d{4}-\d\d-\d\dT.*$/, "");
    const read = JSON.parse(readFileSync(resolve(out, directory, "checks.json"), "utf8")) as Check[];
    return read.map((check) => [`${scenario}/${check.id}`, check] as const);
  });
  return new Map(checks);
}

const explained = (name: string, { errorMessage = "" }: Check) =>
  EXCEPTIONS.some(({ checks, says }) => checks.includes(name) && says.test(errorMessage));

describe("the official suite", () => {
  const failed = new Set<string>();

  for (const [revision, fewest] of [
    ["2026-07-28", 60],
    ["2025-11-25", 30],
  ] as const) {
    test(`${revision}: every check passes except those with a reason`, { timeout: 300_000 }, async () => {
      const checks = [...(await run(revision))].filter(([name]) => !NOT_DECLARED.test(name));
      const wrong = checks.filter(([, { status }]) => status === "FAILURE" || status === "WARNING");
      for (const [name] of wrong) failed.add(name);
      const unexplained = wrong.filter(([name, check]) => !explained(name, check));
      expect(unexplained.map(([name, { errorMessage }]) => `${name}: ${errorMessage}`)).toEqual([]);
      // A suite that could not reach the server reports few checks of any kind.
      expect(checks.filter(([, { status }]) => status === "SUCCESS").length).toBeGreaterThanOrEqual(fewest);
    });
  }

  test("every exception still applies", () => {
    expect(EXCEPTIONS.flatMap(({ checks }) => checks).filter((check) => !failed.has(check))).toEqual([]);
  });
});
