/** Paths that lead out of the root, with descriptor paths and, as on macOS and Windows, without. */
import { renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { tree } from "../../../test/kit/walk-paths.ts";

const HERE = process.platform;
afterEach(() => {
  Object.defineProperty(process, "platform", { value: HERE });
});

describe.each([HERE, "darwin"])("on %s", (platform) => {
  async function filesOn() {
    Object.defineProperty(process, "platform", { value: platform });
    vi.resetModules();
    return (await import("./files.ts")).diskFiles();
  }

  test("a path through a symlink is neither read nor stamped nor walked", async () => {
    const files = await filesOn();
    const outside = tree({ "x.py": "outside", "e/x.py": "outside" });
    const root = tree({ "d/x.py": "inside", "d/e/x.py": "inside" });
    const read = async (path: string) => {
      const result = await files.read(root, path, 100);
      return result.ok ? Buffer.from(result.bytes).toString() : "refused";
    };
    expect(await read("d/e/x.py")).toBe("inside");
    expect(await files.stamp(root, "d/x.py")).toBeDefined();
    renameSync(join(root, "d"), join(root, "moved"));
    symlinkSync(outside, join(root, "d"));
    for (const path of ["d/x.py", "d/e/x.py", "moved/../d/x.py", "../x.py"])
      expect([path, await read(path)]).toEqual([path, "refused"]);
    expect(await files.stamp(root, "d/x.py")).toBeUndefined();
    const seen: unknown[] = [];
    for await (const batch of files.walk(root)) seen.push(...batch);
    expect(seen).toMatchObject([
      { skip: { path: "d", reason: "symlink" } },
      { file: { path: "moved/e/x.py" } },
      { file: { path: "moved/x.py" } },
    ]);
  });

  test("a root may be named through a symlink", async () => {
    const files = await filesOn();
    const root = join(tree({}), "link");
    symlinkSync(tree({ "d/x.py": "inside" }), root);
    expect(await files.read(root, "d/x.py", 100)).toMatchObject({ ok: true });
    expect(await files.stamp(root, "d/x.py")).toBeDefined();
    const seen: unknown[] = [];
    for await (const batch of files.walk(root)) seen.push(...batch);
    expect(seen).toMatchObject([{ file: { path: "d/x.py" } }]);
  });
});

test("depth costs no descriptors: the walk comes back to directories that it had to close", async () => {
  const deep = (levels: number) => "d/".repeat(levels);
  const root = tree(Object.fromEntries(Array.from({ length: 150 }, (_, at) => [`${deep(at)}z.py`, ""])));
  const { diskFiles } = await import("./files.ts");
  const seen: string[] = [];
  for await (const batch of diskFiles().walk(root))
    seen.push(...batch.map((item) => ("file" in item ? item.file.path : "")));
  expect(seen).toHaveLength(150);
});
