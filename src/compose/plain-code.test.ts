import { setFlagsFromString } from "node:v8";
import { expect, test, vi } from "vitest";
import { withPlainCode } from "./plain-code.ts";

vi.mock("node:v8", () => ({ setFlagsFromString: vi.fn() }));

test("the flags are set with the first reader and given back with the last, whether it failed or not", async () => {
  const set = vi.mocked(setFlagsFromString);
  const flags = () => set.mock.calls.map(([flag]) => flag);
  const plain = ["--max-inlined-bytecode-size-cumulative=0", "--no-turbo-loop-peeling"];
  const usual = ["--max-inlined-bytecode-size-cumulative=920", "--turbo-loop-peeling"];
  const [first, second] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  const both = [withPlainCode(() => first.promise), withPlainCode(() => second.promise)];
  expect(flags()).toEqual(plain);
  first.resolve("read");
  expect(await both[0]).toBe("read");
  expect(flags()).toEqual(plain);
  second.reject(new Error("gone"));
  await expect(both[1]).rejects.toThrow("gone");
  expect(flags()).toEqual([...plain, ...usual]);
});
