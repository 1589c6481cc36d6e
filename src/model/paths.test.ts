import { describe, expect, test } from "vitest";
import { atOrBelow, isInside, lexical } from "./paths.ts";

const check = (path: string, directory: string, inside: boolean) =>
  test(`${path} ${inside ? "in" : "not in"} ${directory}`, () => expect(isInside(path, directory)).toBe(inside));

check("/srv/repos/a", "/srv/repos", true);
check("/srv/repos", "/srv/repos", true);
check("/srv/repos", "/srv/repos/", true);
check("/srv/repos-evil", "/srv/repos", false);
check("/srv/repo", "/srv/repos", false);
check("/srv", "/srv/repos", false);
check("/srv/repos/a", "/", true);
check("/other/srv/repos/a", "/srv/repos", false);
check("/SRV/repos/a", "/srv/repos", false);

test.each([
  ["/srv/repos/../../etc", "/etc"],
  ["/srv//repos/./a/", "/srv/repos/a"],
  ["/../../etc", "/etc"],
  ["/", "/"],
])("%s is %s", (path, expected) => expect(lexical(path)).toBe(expected));

test.each([
  ["src/a.ts", true],
  ["src/auth/jwt.ts", true],
  ["src/auth/", true],
  ["src/auth", true],
  ["src/authors/jwt.ts", false],
  ["src", false],
  ["other/src/a.ts", false],
  ["dox/guide.md", false],
  ["docs/guide.md", true],
])("%s at or below what is chosen: %s", (path, expected) =>
  expect(atOrBelow(["src/auth/", "src/a.ts", "docs"])(path)).toBe(expected),
);

describe("on Windows", () => {
  const inside = (path: string, directory: string, expected: boolean) =>
    test(`${path} ${expected ? "is" : "is not"} in ${directory}`, () =>
      expect(isInside(path, directory)).toBe(expected));
  inside("C:\\Users\\a\\repo\\src\\x.ts", "C:/Users/a/repo", true);
  inside("c:/users/A/REPO/src", "C:/Users/a/repo", true);
  inside("D:/Users/a/repo", "C:/Users/a/repo", false);
  inside("C:/Users/a/repo-evil", "C:/Users/a/repo", false);
  inside("//server/share/repo/a", "//SERVER/share/repo", true);
  inside("\\\\server\\share\\repo", "//server/share/repo", true);
  inside("//other/share/repo/a", "//server/share/repo", false);

  test("dots and backslashes are resolved", () => {
    expect(lexical("C:\\a\\.\\b\\..\\c.ts")).toBe("/C:/a/c.ts");
    expect(lexical("\\\\server\\share\\..\\x")).toBe("/server/x");
  });
  test("elsewhere a backslash is a letter, and case counts", () => {
    expect(lexical("/a\\b/../c")).toBe("/c");
    expect(isInside("/repo/A", "/repo/a")).toBe(false);
  });
});
