import { constants, zstdCompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { compressed } from "./compress.ts";

const byNode = (content: Uint8Array) =>
  zstdCompressSync(content, { params: { [constants.ZSTD_c_compressionLevel]: 3 } });

/** Text-like, or noise that does not compress. */
function content(size: number, kind: "text" | "noise"): Uint8Array {
  let state = size + 1;
  return Uint8Array.from({ length: size }, (_, i) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return kind === "noise" ? state >>> 24 : 97 + ((i * 7 + (state >>> 29)) % 19);
  });
}

test.each(["text", "noise"] as const)("the frames of %s are those that Node makes, whatever came before", (kind) => {
  for (const size of [0, 1, 5, 64, 700, 5_000, 131_072, 131_073, 1_000_000, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 3]) {
    const given = content(size, kind);
    expect(byNode(given).equals(compressed(given)), `${size} bytes`).toBe(true);
  }
});

test("a part of a larger buffer is compressed without what is around it", () => {
  const part = content(3_000, "text").subarray(1_000, 2_000);
  expect(byNode(part).equals(compressed(part))).toBe(true);
});
