/** An answer without uses is complete only if no line of code holds the name for a reason that is not known. */
import { expect, test } from "vitest";
import { indexTree } from "../../test/kit/index-tree.ts";
import type { Tree } from "../../test/kit/references.ts";
import { references } from "./find-references.ts";

async function unread(tree: Tree, name: string): Promise<readonly string[]> {
  const { at, ids } = await indexTree(tree);
  const { total, limits, textMatches } = await references({ name, limit: 5 }, at, ids);
  expect(total).toBe(0);
  expect(limits.length > 0).toBe(textMatches !== undefined);
  return (textMatches ?? []).map(({ path, line }) => `${path}:${line}`);
}

test.each<[string, Tree, string, string[]]>([
  ["a global of a script", { "a.js": "function go() {}\n", "b.js": "go();\n" }, "go", ["b.js:1"]],
  ["a name in a string", { "a.py": "def go(): pass\n", "b.py": 'getattr(x, "go")\n' }, "go", ["b.py:1"]],
  ["comments and texts", { "a.py": "def go(): pass\n", "b.py": '# go\nx = "go on"\n' }, "go", []],
  ["another symbol's use", { "a.py": "def go(): pass\n", "b.py": "def go(): pass\ngo()\n" }, "a.go", []],
  [
    "an import from a library",
    { "a.ts": "export function go() {}\n", "b.ts": 'import { go } from "x";\ngo();\n' },
    "go",
    [],
  ],
])("%s", async (_, tree, name, expected) => expect(await unread(tree, name)).toEqual(expected));
