import { execFileSync } from "node:child_process";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { scratchDirectory } from "../../../test/kit/scratch.ts";
import { CatFile } from "./cat-file.ts";

const root = scratchDirectory("cat-file");
const git = (args: string[], input = "") =>
  execFileSync("git", ["-C", root, ...args], { encoding: "utf8", input }).trim();
git(["init", "-q"]);
const [one, two] = ["one", "two"].map((text) => git(["hash-object", "-w", "--stdin"], text)) as [string, string];

/** The output of a process is in its pipe by then, and this process has not read it. */
const WRITTEN_MS = 1_000;
const SECONDS = 30;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function waitWithoutReading(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WRITTEN_MS);
}

test("a timer that comes due while this process is stopped gives up nothing", async () => {
  const objects = new CatFile(root);
  const asked = objects.get(one);
  waitWithoutReading();
  vi.advanceTimersToNextTimer();
  expect(await asked).toMatchObject({ id: one });
  objects.close();
});

test("what a process printed before it was given up is no answer to later requests", async () => {
  const objects = new CatFile(root);
  const givenUp = objects.get(one);
  waitWithoutReading();
  vi.advanceTimersByTime(SECONDS * 1_000);
  expect(await givenUp).toEqual({ corrupt: true });
  expect(await objects.get(two)).toMatchObject({ id: two, bytes: new TextEncoder().encode("two") });
  objects.close();
});
