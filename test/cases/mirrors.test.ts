/** The Rust cases in other languages: every name leads to the file that defines it, in both tools. */
import { expect, test } from "vitest";
import { F_GO, F_PY, F_TS, type Mirror } from "../kit/repos/f-others.ts";
import { sandbox } from "../kit/sandbox.ts";
import { startServer } from "../kit/stdio.ts";

const check = (language: string, mirror: Mirror) =>
  test(`C5 in ${language}`, async () => {
    using box = sandbox();
    const server = startServer(["--workspace", box.repository(mirror.files)], box.env);
    await server.initialize();
    await server.tool("index_repo", { wait_seconds: 60 });
    const misses: string[] = [];
    for (const [name, path] of mirror.homes) {
      for (const [tool, input] of [
        ["locate_symbol", { name }],
        ["search_code", { query: name }],
      ] as const) {
        const [first] = (await server.tool(tool, input)).results;
        if (first?.path !== path || first.language !== language) misses.push(`${tool} ${name}: ${first?.path}`);
      }
    }
    await server.close();
    expect(misses).toEqual([]);
  });

check("typescript", F_TS);
check("python", F_PY);
check("go", F_GO);
