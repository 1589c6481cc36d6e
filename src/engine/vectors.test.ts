/** Damaged vectors stay an error for every query; they never become "not embedded". */
import { expect, test } from "vitest";
import { encodeTestVectors, MODEL } from "../../test/kit/vectors.ts";
import { createKernel } from "../embed/kernel.ts";
import type { ContentHash, FileId } from "../model/ids.ts";
import type { Content } from "../ports/backend.ts";
import { VectorSearch } from "./vectors.ts";
import type { ViewState } from "./view-state.ts";

const files = [1, 2, 3].map((id) => ({
  id: id as FileId,
  path: `${id}.rs`,
  language: "rust",
  contentHash: "" as ContentHash,
  symbols: 0,
  chunks: 1,
}));
const view = { files: new Map(files.map((file) => [file.path, file])) } as unknown as ViewState;

test("a flipped bit fails every query, also one for named files only", async () => {
  const bytes = encodeTestVectors([[100, 0, 0, 0]]);
  const flipped = Uint8Array.from(bytes);
  flipped[flipped.length - 1]! ^= 1;
  const content = {
    blobs: async ({ versions }: { versions: readonly number[] }) =>
      versions.map((owner) => ({ owner, start: 0, bytes: owner === 2 ? flipped : bytes })),
  } as unknown as Content;
  const search = new VectorSearch(content, createKernel);
  const query = { model: MODEL, vector: Float32Array.of(1, 0, 0, 0) };
  for (const limit of [5, 0, 0]) {
    const asked = search.nearest(view, { ...query, limit, also: files });
    await expect(asked).rejects.toThrow("stored vectors fail their checksum");
  }
});
