import { Buffer } from "node:buffer";
import { expect, test } from "vitest";
import { decodeFileName, escapedPathBytes, withSlashes } from "./file-names.ts";

const check = (bytes: number[] | string, name: string) =>
  test(name, () => {
    const raw = Buffer.from(bytes as never);
    expect(decodeFileName(raw)).toBe(name);
    expect(escapedPathBytes(name) ?? Buffer.from(name)).toEqual(raw);
  });
check("plain.rs", "plain.rs");
check("grün😀.ts", "grün😀.ts");
check([0x61, 0xff, 0x2e, 0x63], "a\\xff.c");
check([0xe9, 0x74, 0xe9], "\\xe9t\\xe9");
check([0xc3, 0xa9, 0xc3], "é\\xc3");

test("a file that is really named so has no other spelling than its own", () => {
  expect(decodeFileName(Buffer.from("a\\xff.c"))).toBe("a\\xff.c");
});

test.each([
  ["C:\\Users\\zoë\\my repo", "C:/Users/zoë/my repo"],
  ["\\\\server\\share\\repo", "//server/share/repo"],
  ["\\\\?\\C:\\a long path", "C:/a long path"],
  ["\\\\?\\UNC\\server\\share\\repo", "//server/share/repo"],
  ["C:/mixed\\slashes", "C:/mixed/slashes"],
])("on Windows, %s has slashes; elsewhere a backslash is a letter", (path, expected) => {
  expect(withSlashes(path, "\\")).toBe(expected);
  expect(withSlashes(path, "/")).toBe(path);
});
