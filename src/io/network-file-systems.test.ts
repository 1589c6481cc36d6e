import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { networkFileSystem } from "./network-file-systems.ts";

test.each([
  [0x6969, "NFS"],
  [0xff534d42, "SMB"],
  [0xff534d42 | 0, "SMB"],
  [0xef53, undefined],
])("a file system of type %i is %s", (type, name) => {
  expect(networkFileSystem("/home", () => ({ type }))).toBe(name);
});

test("a directory of this machine, and none", () => {
  expect(networkFileSystem(tmpdir())).toBe(undefined);
  expect(networkFileSystem("/no/such/directory")).toBe(undefined);
});
