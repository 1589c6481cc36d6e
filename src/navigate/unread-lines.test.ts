/** An answer without uses is complete only if no line of code holds the name for a reason that is not known. */
import { expect, test } from "vitest";
import { indexTree } from "../../test/kit/index-tree.ts";
import type { Tree } from "../../test/kit/references.ts";
import { references } from "./find-references.ts";

/** By name, or by `path:line`. */
async function unread(tree: Tree, asked: string): Promise<readonly string[]> {
  const { at, ids } = await indexTree(tree);
  const [path, line] = asked.split(":");
  const where = line === undefined ? {} : { path: path!, line: Number(line) };
  const { total, limits, textMatches } = await references({ name: asked, ...where, limit: 5 }, at, ids);
  expect(total).toBe(0);
  expect(limits.length > 0).toBe(textMatches !== undefined);
  return (textMatches ?? []).map(({ path, line }) => `${path}:${line}`);
}

test.each<[string, Tree, string, string[]]>([
  ["a name in a string", { "a.py": "def go(): pass\n", "b.py": 'getattr(x, "go")\n' }, "go", ["b.py:1"]],
  ["comments and texts", { "a.py": "def go(): pass\n", "b.py": '# go\nx = "go on"\n' }, "go", []],
  ["another symbol's use", { "a.py": "def go(): pass\n", "b.py": "def go(): pass\ngo()\n" }, "a.go", []],
  [
    "an import from a library",
    { "a.ts": "export function go() {}\n", "b.ts": 'import { go } from "x";\ngo();\n' },
    "go",
    [],
  ],
  [
    "a member of a library's object, which may be one of the view; not of a text or of a library itself",
    {
      "a.py":
        "from lib import Hooks\nimport os\nclass Plugin:\n  def go(self): pass\ndef f(hooks: Hooks, name: str):\n  hooks.go()\n  name.go()\n  os.go()\n",
    },
    "go",
    ["a.py:6"],
  ],
  [
    "a constructor that a template calls",
    { "a.cpp": "struct Box { Box(int x); };\nauto b = std::make_unique<Box>(1);\n" },
    "a.cpp:1",
    ["a.cpp:2"],
  ],
  [
    "a method of an object without a class",
    {
      "A.scala":
        "trait Box { def open(): Int }\nobject M {\n  val b = new Box {\n    def open() = 1\n  }\n  def f(b: Box) = b.open()\n}\n",
    },
    "A.scala:4",
    ["A.scala:6"],
  ],
  [
    "a method of an instance",
    {
      "A.hs":
        "module A where\nclass Chunk c where\n  size :: c -> Int\n\ninstance Chunk Int where\n  size _ = 1\n\nf x = size x\n",
    },
    "A.hs:6",
    ["A.hs:8"],
  ],
])("%s", async (_, tree, name, expected) => expect(await unread(tree, name)).toEqual(expected));
