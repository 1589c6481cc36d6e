import { expect, test } from "vitest";
import { globFilter } from "./glob.ts";

const PATHS = ["a.rs", "b.ts", "src/a.rs", "src/deep/c.test.ts", "src/x[1].py", "docs/d.md"];

const check = (globs: readonly string[], kept: readonly string[]) =>
  test(globs.join(" "), () => expect(PATHS.filter(globFilter(globs))).toEqual(kept));

check([], PATHS);
check(["*.rs"], ["a.rs", "src/a.rs"]);
check(["/*.rs"], ["a.rs"]);
check(["src/*"], ["src/a.rs", "src/x[1].py"]);
check(["src/**"], ["src/a.rs", "src/deep/c.test.ts", "src/x[1].py"]);
check(["src/"], ["src/a.rs", "src/deep/c.test.ts", "src/x[1].py"]);
check(["**/*.ts"], ["b.ts", "src/deep/c.test.ts"]);
check(["src/**/c*"], ["src/deep/c.test.ts"]);
check(["*.{rs,md}"], ["a.rs", "src/a.rs", "docs/d.md"]);
check(["!*.ts"], ["a.rs", "src/a.rs", "src/x[1].py", "docs/d.md"]);
check(["*.ts", "!*.test.ts"], ["b.ts"]);
check(["!*.ts", "b.ts"], ["b.ts"]);
check(["[ab].*"], ["a.rs", "b.ts", "src/a.rs"]);
check(["[!a].*"], ["b.ts", "src/deep/c.test.ts", "docs/d.md"]);
check(["?.md"], ["docs/d.md"]);
check(["x\\[1\\].py"], ["src/x[1].py"]);

test.each(["", "{a", "[z-a]", "[", "src/[a", "!{"])("%j is refused", (glob) =>
  expect(() => globFilter([glob])).toThrow(/glob/),
);
