import fc from "fast-check";
import ignore from "ignore";
import { expect, test } from "vitest";
import { mayMatch } from "./ignore-patterns.ts";

const check = (pattern: string, path: string, may: boolean) =>
  test(`${pattern} on ${path}`, () =>
    expect(mayMatch([{ patterns: [pattern] }], { ignoresCase: false })(path, "")).toBe(may));

check("target", "src/target", true);
check("target", "src/targets", false);
check("/docs/build/", "docs/build", true);
check("*.pyc", "a/b.pyc", true);
check("*.tar.gz", "x.y.tar.gz", true);
check("*.pyc", "a/b.py", false);
check("!keep.py", "keep.py", true);
check("foo/**", "foo/a.c", true);
check("[Mm]akefile", "makefile", true);
check("node_modules/", "a/node_modules/", true);
check("*.egg-info/", "a.egg-info/", true);
check("node_modules/", "a/src/", false);
check("# comment", "comment", false);

const piece = fc.constantFrom("a", "b", "ab", "A.b", "*.B", "a*", "*", "**", "?b", "[ab]", ".a");
const pattern = fc
  .tuple(fc.constantFrom("", "!", "/", "!/"), fc.array(piece, { minLength: 1, maxLength: 3 }), fc.constantFrom("", "/"))
  .map(([head, parts, tail]) => head + parts.join("/") + tail);
const path = fc.array(fc.constantFrom("a", "B", "ab", "a.b", "b.b", "x", ".a"), { minLength: 1, maxLength: 4 });

test("what a rule mentions is never missed below directories that are entered", () => {
  fc.assert(
    fc.property(
      fc.array(pattern, { minLength: 1, maxLength: 6 }),
      path,
      fc.constantFrom("", "/"),
      fc.boolean(),
      (patterns, parts, tail, ignoresCase) => {
        const list = ignore({ ignorecase: ignoresCase }).add(patterns);
        const parents = parts.slice(0, -1).map((_, i) => `${parts.slice(0, i + 1).join("/")}/`);
        fc.pre(parents.every((parent) => !list.ignores(parent)));
        const at = parts.join("/") + tail;
        if (list.ignores(at)) expect(mayMatch([{ patterns }], { ignoresCase })(at, "")).toBe(true);
      },
    ),
    { numRuns: 3000 },
  );
});
