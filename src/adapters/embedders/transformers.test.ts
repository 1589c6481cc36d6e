import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { openTransformers } from "./transformers.ts";

const folder = mkdtempSync(join(tmpdir(), "onnx-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** A fake of the package that records its calls. */
function fakePackage() {
  const seen = {
    models: [] as string[],
    env: { allowRemoteModels: true, allowLocalModels: true, localModelPath: "x" },
  };
  const load = async () => ({
    env: seen.env,
    pipeline: async (_: string, model: string) => {
      seen.models.push(model);
      return async (texts: readonly string[]) => ({ tolist: () => texts.map((text) => [text.length, 1]) });
    },
  });
  return { seen, load };
}
const hash = (text: string) => text;

test("a folder is read from disk and nothing may be downloaded", async () => {
  const { seen, load } = fakePackage();
  const { model, documents, query } = await openTransformers({ model: folder, hash, load });
  expect(seen.models).toEqual([folder]);
  expect(seen.env.allowRemoteModels).toBe(false);
  expect(model).toMatchObject({ name: folder, dims: 2 });
  expect((await documents([{ text: "a" }, { text: "bb" }])).scales).toHaveLength(2);
  expect(Math.hypot(...(await query("abc"))!)).toBeCloseTo(1);
});

test("a name is the package's to find", async () => {
  const { seen, load } = fakePackage();
  const { model } = await openTransformers({ model: "owner/some-model", hash, load });
  expect(seen.models).toEqual(["owner/some-model"]);
  expect(seen.env.allowRemoteModels).toBe(true);
  expect(model.cut).toBeUndefined();
});

test("a folder that is not there, and the package that is not installed", async () => {
  await expect(openTransformers({ model: join(folder, "none"), hash })).rejects.toThrow(/no folder/);
  await expect(openTransformers({ model: "owner/some-model", hash })).rejects.toThrow(/npm install/);
});
