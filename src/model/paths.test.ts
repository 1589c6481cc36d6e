import { expect, test } from "vitest";
import { isInside, lexical } from "./paths.ts";

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
