import { expect, test } from "vitest";
import { required } from "./driver.ts";

test("a driver that is not installed is named, with the command that installs it", async () => {
  const missing = Object.assign(new Error("Cannot find package 'pg'"), { code: "ERR_MODULE_NOT_FOUND" });
  const loaded = required(() => Promise.reject(missing));
  await expect(loaded).rejects.toMatchObject({
    code: "invalid_input",
    message: expect.stringMatching(
      /needs the optional packages pg and pg-copy-streams.*npm install pg pg-copy-streams/,
    ),
  });
});

test("a driver that fails for another reason fails as it does", async () => {
  await expect(required(() => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
});
