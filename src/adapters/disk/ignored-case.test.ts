/**
 * File systems that do not tell names apart by case, as on macOS and Windows. Here one is simulated: a path that no
 * listing has leads to the entry whose name differs in case only. Listings show each name as it was written.
 */
import type * as NodeFs from "node:fs";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { pipelineFixture } from "../../../test/kit/pipeline-fixture.ts";
import { pick, prng } from "../../../test/kit/prng.ts";
import { files, tree, walkPaths } from "../../../test/kit/walk-paths.ts";

const system = vi.hoisted(() => ({ ignoresCase: false }));

vi.mock("node:fs", async (importOriginal) => {
  const { interceptFileCalls } = await import("../../../test/kit/file-calls.ts");
  const real = await importOriginal<typeof NodeFs>();
  const DESCRIPTOR = /^\/proc\/self\/fd\/\d+(?=\/)/;
  /** The path as the directories on the way list its names. */
  function spelled(path: unknown): unknown {
    if (!system.ignoresCase || typeof path !== "string" || !path.startsWith("/")) return path;
    const base = DESCRIPTOR.exec(path)?.[0] ?? "";
    return path
      .slice(base.length + 1)
      .split("/")
      .reduce((at, name) => `${at}/${listedName(`${at}/`, name)}`, base);
  }
  function listedName(directory: string, name: string): string {
    if (real.lstatSync(directory + name, { throwIfNoEntry: false }) !== undefined) return name;
    try {
      return real.readdirSync(directory).find((it) => it.toLowerCase() === name.toLowerCase()) ?? name;
    } catch {
      return name;
    }
  }
  return interceptFileCalls(real, ([path, ...rest]) => [spelled(path), ...rest]);
});
const fs = await vi.importActual<typeof NodeFs>("node:fs");

beforeAll(() => {
  system.ignoresCase = true;
});
afterAll(() => {
  system.ignoresCase = false;
});

let root = "";
beforeEach(() => {
  root = tree({ "Foo.ts": "a", "src/bar.ts": "b", "src/deep/Baz.ts": "c" });
});

test("the simulation opens every spelling and lists one", async () => {
  expect((await import("node:fs")).readFileSync(`${root}/SRC/DEEP/baz.TS`, "utf8")).toBe("c");
  expect(await walkPaths(root)).toEqual(["Foo.ts", "src/bar.ts", "src/deep/Baz.ts"]);
});

test.each([
  ["foo.ts", ["Foo.ts"]],
  ["Foo.ts", ["Foo.ts"]],
  // A directory is walked whole where its name is spelled in another way.
  ["SRC/BAR.ts", ["src/bar.ts", "src/deep/Baz.ts"]],
  ["SRC", ["src/bar.ts", "src/deep/Baz.ts"]],
  ["src/deep/gone.ts", []],
])("a walk of %s finds what is listed", async (only, found) => {
  expect(await walkPaths(root, { only: [only] })).toEqual(found);
  expect(await walkPaths(root, { only: [only, ...found] })).toEqual(found);
});

test.each([
  ["Foo.ts", true],
  ["foo.ts", false],
  ["src/deep/Baz.ts", true],
  ["src/Deep/Baz.ts", false],
  ["SRC/deep/Baz.ts", false],
])("only the spelling of the listing has a stamp: %s", async (path, has) => {
  expect((await files.stamp(root, path)) !== undefined).toBe(has);
});

test("a file is read by any spelling, and nothing outside the tree is", async () => {
  expect(await files.read(root, "SRC/bar.TS", 100)).toMatchObject({ ok: true });
  fs.symlinkSync(tree({ "x.ts": "outside" }), `${root}/Link`);
  expect(await files.read(root, "link/x.ts", 100)).toMatchObject({ ok: false });
});

// A watcher reports the old and the new name of what was renamed.
test("after renames by case only, the view shows what a new index shows", async () => {
  const { root, run, shown } = await pipelineFixture({
    "A.rs": "fn a() {}",
    "src/B.rs": "fn b() {}",
    "src/in/C.rs": "fn c() {}",
  });
  await run();
  const random = prng(40);
  const other = (name: string) => (name === name.toLowerCase() ? name.toUpperCase() : name.toLowerCase());
  for (let round = 0; round < 24; round++) {
    const paths = fs.readdirSync(root, { recursive: true }) as string[];
    const from = paths[pick(random, paths.length)]!;
    const name = from.slice(from.lastIndexOf("/") + 1);
    const to = from.slice(0, from.length - name.length) + other(name);
    fs.renameSync(`${root}/${from}`, `${root}/${to}`);
    await run({ paths: round % 2 === 0 ? [from, to] : [to, from] });
    expect(await shown(), `${from} → ${to}`).toEqual(await walkPaths(root));
  }
});
