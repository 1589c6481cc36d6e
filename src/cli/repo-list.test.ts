import { expect, test } from "vitest";
import { parseRepoList } from "./repo-list.ts";

const check = (text: string, expected: readonly (readonly [string, string?])[]) =>
  test(JSON.stringify(text), () => {
    const found = parseRepoList(text, "/lists").map(({ path, ref }) => (ref === undefined ? [path] : [path, ref]));
    expect(found).toEqual(expected);
  });

check("/a\n/b.git\n", [["/a"], ["/b.git"]]);
check("a\n../b main\n", [["/lists/a"], ["/b", "main"]]);
check("# all of them\n\n/a  feature/x  # not main\n/b # no ref\n", [["/a", "feature/x"], ["/b"]]);
check('"/with a space" main\r\n"/b#c"\r\n', [["/with a space", "main"], ["/b#c"]]);
check("/a\n/a\n/a main\n./../a main", [["/a"], ["/a", "main"]]);
check("\uFEFF/a#1\n", [["/a#1"]]);

const refused = (text: string, reason: RegExp) =>
  test(`refused: ${JSON.stringify(text)}`, () => expect(() => parseRepoList(text, "/lists")).toThrow(reason));

refused("", /names no repository/);
refused("# nothing\n", /names no repository/);
refused("/a\n/with two refs\n", /line 2 .*double quotes/);
refused('"/open\n', /line 1/);
