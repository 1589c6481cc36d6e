import { setFlagsFromString } from "node:v8";
import { beforeEach, expect, test, vi } from "vitest";
import { withPlainCode } from "./v8-inlining.ts";

vi.mock("node:v8", () => ({ setFlagsFromString: vi.fn() }));

const set = vi.mocked(setFlagsFromString);
const flags = () => set.mock.calls.map(([flag]) => flag);
const plain = ["--max-inlined-bytecode-size-cumulative=0", "--no-turbo-loop-peeling"];
const usual = ["--max-inlined-bytecode-size-cumulative=920", "--turbo-loop-peeling"];

beforeEach(() => set.mockClear());

test("the flags are set with the first reader and given back with the last, whether it failed or not", async () => {
  const [first, second] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  const both = [withPlainCode({}, () => first.promise), withPlainCode({}, () => second.promise)];
  expect(flags()).toEqual(plain);
  first.resolve("read");
  expect(await both[0]).toBe("read");
  expect(flags()).toEqual(plain);
  second.reject(new Error("gone"));
  await expect(both[1]).rejects.toThrow("gone");
  expect(flags()).toEqual([...plain, ...usual]);
});

test("code is compiled at once only while little is read, by a V8 that can", async () => {
  const [much, little] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const both = [withPlainCode({}, () => much.promise), withPlainCode({ isLittle: true }, () => little.promise)];
  const can = Number(process.versions.v8.split(".")[0]) >= 13;
  expect(flags()).toEqual([...plain, ...(can ? ["--efficiency-mode"] : [])]);
  little.resolve();
  await both[1];
  expect(flags().slice(plain.length)).toEqual(can ? ["--efficiency-mode", "--no-efficiency-mode"] : []);
  much.resolve();
  await both[0];
  expect(flags().slice(-usual.length)).toEqual(usual);
});
