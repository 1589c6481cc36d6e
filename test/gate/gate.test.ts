/** What a change must pass besides its tests: types, lint, import rules, dead code, prose and generated docs. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { stalePages } from "../../scripts/docs.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Runs one of the package's scripts; the test shows its output. */
function script(name: string): Promise<string> {
  return new Promise((resolve) => {
    execFile("npm", ["run", "--silent", name], { cwd: root, maxBuffer: 1 << 26 }, (error, stdout, stderr) =>
      resolve(error ? `${stdout}${stderr}`.trim() || error.message : ""),
    );
  });
}

describe("gate", () => {
  for (const name of ["types", "lint", "arrows", "dead", "prose"]) {
    test(name, async () => expect(await script(name)).toBe(""), 300_000);
  }

  test("generated docs are up to date", async () => expect(await stalePages()).toEqual([]));
});
