import { expect, test } from "vitest";
import { blobId } from "./hashes.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

// As `git hash-object` says.
test("the empty blob and a short one, by both names", () => {
  expect(blobId(bytes(""), "sha1")).toBe("e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
  expect(blobId(bytes("hello\n"), "sha1")).toBe("ce013625030ba8dba906f756967f9e9ca394464a");
  expect(blobId(bytes("hello\n"), "sha256")).toBe("2cf8d83d9ee29543b34a87727421fdecb7e3f3a183d337639025de576db9ebb4");
});
