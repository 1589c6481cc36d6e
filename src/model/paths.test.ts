import { expect, test } from "vitest";
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
