import { expect, test } from "vitest";
import { createHash } from "./hashes.ts";

const hash = await createHash();

// The first two are the reference implementation's published vectors.
const check = (name: string, input: string | Uint8Array, hex: string) =>
  test(name, () => expect(hash(input)).toBe(hex));
check("empty", "", "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262");
check("one zero byte", new Uint8Array(1), "2d3adedff11b61f14c886e35afa036736dcd87a74d27b5c1510225d0f592e213");

test("text is hashed as UTF-8", () => expect(hash("grün")).toBe(hash(new TextEncoder().encode("grün"))));
test("calls do not influence each other", () => {
  const first = hash("a");
  hash("b");
  expect(hash("a")).toBe(first);
});
