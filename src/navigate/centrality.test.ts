import { expect, test } from "vitest";
import { indexTree } from "../../test/kit/index-tree.ts";
import { fileCentrality, pageRank, symbolCentrality } from "./impact.ts";
import { referenceRules } from "./reference-rules.ts";

test("a file that many import is central, one without importers is missing", async () => {
  const { at } = await indexTree({
    "core.ts": "export const x = 1;\n",
    "a.ts": "import { x } from './core';\n",
    "b.ts": "import { x } from './core';\nimport './a';\n",
    "c.py": "import os\n",
  });
  const ranks = await fileCentrality(at, referenceRules);
  expect([...ranks.keys()]).toEqual(["a.ts", "core.ts"]);
  expect(ranks.get("core.ts")).toBe(1);
  expect(ranks.get("a.ts")).toBeLessThan(1);
});

test("a symbol is as central as its file, by the part of the importers that use it", async () => {
  const { at } = await indexTree({
    "core.ts": "export const often = 1;\nexport const seldom = 2;\nexport const never = 3;\n",
    "a.ts": "import { often } from './core';\nexport const a = often;\n",
    "b.ts": "import { often, seldom } from './core';\nexport const b = often + seldom;\n",
  });
  const of = (name: string) => symbolCentrality(at, referenceRules, { path: "core.ts", name });
  expect([await of("often"), await of("seldom"), await of("never")]).toEqual([1, 0.5, 0]);
  expect(await symbolCentrality(at, referenceRules, { path: "a.ts", name: "a" })).toBe(0);
});

test("cached while imports stay the same, computed again when one changes", async () => {
  const tree = {
    "core.ts": "export const x = 1;\n",
    "a.ts": "import { x } from './core';\nexport const a = x;\n",
    "b.ts": "import { a } from './a';\n",
  };
  const before = await fileCentrality((await indexTree(tree)).at, referenceRules);
  const edited = { ...tree, "a.ts": `${tree["a.ts"]}export const more = 2;\n` };
  expect(await fileCentrality((await indexTree(edited)).at, referenceRules)).toBe(before);
  const rewired = { ...tree, "b.ts": "import { x } from './core';\n" };
  const after = await fileCentrality((await indexTree(rewired)).at, referenceRules);
  expect([...before.keys(), ...after.keys()]).toEqual(["a.ts", "core.ts", "core.ts"]);
});

test("being imported by what is central counts more; circles end", () => {
  const ranks = pageRank(
    new Map([
      ["a", ["hub"]],
      ["b", ["hub"]],
      ["hub", ["deep"]],
      ["c", ["side"]],
      ["deep", ["hub"]],
    ]),
  );
  expect(ranks.get("deep")!).toBeGreaterThan(ranks.get("side")!);
  expect(ranks.get("hub")).toBe(1);
  expect(pageRank(new Map())).toEqual(new Map());
});
