import { constants, type createZstdCompress, zstdCompressSync } from "node:zlib";
import { afterEach, expect, test, vi } from "vitest";
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

afterEach(() => {
  vi.doUnmock("node:zlib");
  vi.resetModules();
});

/** The module as it is where a runtime's streams are made so. */
async function where(make: (real: typeof createZstdCompress) => typeof createZstdCompress): Promise<typeof compressed> {
  vi.doMock("node:zlib", async (original) => {
    const real = await original<typeof import("node:zlib")>();
    return { ...real, createZstdCompress: make(real.createZstdCompress) };
  });
  vi.resetModules();
  return (await import("./compress.ts")).compressed;
}

test("a runtime whose streams have other insides is asked by its own functions", async () => {
  const bare = { on: () => bare };
  const by = await where(() => (() => bare) as never);
  expect(byNode(content(700, "text")).equals(by(content(700, "text")))).toBe(true);
});

test("a compressor that is gone, or that takes nothing in, makes no frame", async () => {
  let made: ReturnType<typeof createZstdCompress> | undefined;
  const by = await where((real) => (options) => {
    made = real(options);
    return made;
  });
  const [one, other] = [content(700, "text"), content(900, "noise")];
  expect(byNode(one).equals(by(one))).toBe(true);
  const handle = (made as unknown as { _handle: { writeSync(): void } })._handle;
  handle.writeSync = () => {};
  expect(byNode(other).equals(by(other))).toBe(true);
  made!.destroy();
  expect(byNode(other).equals(by(other))).toBe(true);
});
