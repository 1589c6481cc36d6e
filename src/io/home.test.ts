import { execFileSync } from "node:child_process";
import { resolve } from "node:path";
import { expect, test } from "vitest";

const MODULE = JSON.stringify(resolve(import.meta.dirname, "home.ts"));

test.skipIf(process.platform === "win32")("an empty HOME is none, never the current directory", () => {
  const code = `import(${MODULE}).then(({ userHome }) => console.log(userHome()))`;
  const env = { ...process.env, HOME: "" };
  expect(execFileSync(process.execPath, ["-e", code], { env, encoding: "utf8" })).toMatch(/^\//);
});
