import { setFlagsFromString } from "node:v8";
import { expect, test, vi } from "vitest";
import { withPlainCode } from "./plain-code.ts";

vi.mock("node:v8", () => ({ setFlagsFromString: vi.fn() }));

test("the flag is set with the first reader and given back with the last, whether it failed or not", async () => {
  const set = vi.mocked(setFlagsFromString);
  const flags = () => set.mock.calls.map(([flag]) => flag.split("=")[1]);
  const [first, second] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  const both = [withPlainCode(() => first.promise), withPlainCode(() => second.promise)];
  expect(flags()).toEqual(["0"]);
  first.resolve("read");
  expect(await both[0]).toBe("read");
  expect(flags()).toEqual(["0"]);
  second.reject(new Error("gone"));
  await expect(both[1]).rejects.toThrow("gone");
  expect(flags()).toEqual(["0", "920"]);
});
