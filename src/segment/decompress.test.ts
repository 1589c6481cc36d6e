import { once } from "node:events";
import { createZstdCompress, zstdCompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { decompressed } from "./stored-content.ts";

const MOST = 64 << 20;

function content(size: number): Buffer {
  return Buffer.from(Uint8Array.from({ length: size }, (_, i) => (i * i) >> 7));
}

// Where a frame's head says its size in another way, and beside that.
test.each([0, 1, 255, 256, 257, 18_000, 65_535, 65_791, 65_792, 3_000_000])("%i bytes, in one buffer", (size) => {
  const [given, frame] = [content(size), zstdCompressSync(content(size))];
  const before = process.memoryUsage().arrayBuffers;
  const plain = decompressed(frame, MOST);
  const taken = process.memoryUsage().arrayBuffers - before;
  expect(plain.equals(given)).toBe(true);
  // What is decompressed piece by piece is there twice.
  if (size > 100_000) expect(taken).toBeLessThan(1.5 * size);
});

test("a frame that does not say its size", async () => {
  const stream = createZstdCompress();
  const parts: Buffer[] = [];
  stream.on("data", (part: Buffer) => parts.push(part));
  stream.write(content(50_000));
  stream.end(content(50_000));
  await once(stream, "end");
  const plain = decompressed(Buffer.concat(parts), MOST);
  expect(plain.equals(Buffer.concat([content(50_000), content(50_000)]))).toBe(true);
});

test("a frame that claims far more than it holds is refused, and asks for no memory", () => {
  const frame = zstdCompressSync(content(3_000_000));
  const forged = Buffer.from(frame);
  // The four bytes of its size.
  forged.writeUInt32LE(0xffff_fff0, (forged[4]! & 0x20) === 0 ? 6 : 5);
  const before = process.memoryUsage().arrayBuffers;
  expect(() => decompressed(forged, MOST)).toThrow();
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(MOST);
  expect(() => decompressed(frame.subarray(0, 100), MOST)).toThrow();
  expect(() => decompressed(frame.subarray(0, 7), MOST)).toThrow();
  expect(() => decompressed(frame, 1_000)).toThrow();
});
