/** Trees that are made to be slow or to hide a use: what is found is right, and what was not looked at is said. */
import { expect, test } from "vitest";
import { indexTree } from "../../test/kit/index-tree.ts";
import { checkUses as check, type Tree, usesOf } from "../../test/kit/references.ts";
import { symbolHit } from "../model/ids.ts";
import { createNavigation } from "./navigation.ts";
import { referenceRules } from "./reference-rules.ts";
import { searchReferences } from "./references.ts";

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);

check(
  "a chain of 60 star exports, and a circle among them",
  {
    "m0.ts": "export function deep() {}\nexport * from './m60';\n",
    ...Object.fromEntries(numbers(60).map((i) => [`m${i + 1}.ts`, `export * from './m${i}';\n`])),
    "user.ts": "import { deep } from './m60';\ndeep();\n",
  },
  ["m0.ts", "deep"],
  "user.ts:1:9 imports import",
  "user.ts:2:0 calls import",
);

check(
  "a result of the type `this`, overloaded a thousand times",
  {
    "a.ts": `export interface A {\n${numbers(1_000)
      .map((i) => `  f(a: T${i}): this;`)
      .join("\n")}\n}\n`,
    "b.ts": "import type { A } from './a';\nexport const g = (a: A) => a.f(1).f(2);\n",
  },
  ["a.ts", "f"],
  "b.ts:2:29 calls receiver",
  "b.ts:2:34 calls receiver",
);

/** One file of many functions of one name in packages of their own, and one that is used. */
function sameNames(count: number): Tree {
  const other = "package other\n\ntype T struct{}\n\nfunc Same() {}\n";
  return {
    "z/own.go": "package z\n\nfunc Same() {}\n",
    "z/user.go": "package z\n\nfunc User() {\n\tSame()\n}\n",
    "a/other.go": `${other}${"func Same() {}\n".repeat(count)}`,
  };
}

test("a name that 500 symbols have is resolved", async () => {
  expect(await usesOf(sameNames(500), ["z/own.go", "Same"])).toEqual(["z/user.go:4:1 calls import"]);
});

test("more symbols of a name than are distinguished: the answer says so", async () => {
  const { at } = await indexTree(sameNames(5_000));
  const { edges, limits } = await searchReferences({ path: "z/own.go", index: 1 }, at, referenceRules);
  expect(edges.map(({ path, resolution }) => `${path} ${resolution}`)).toEqual(["z/user.go name_only"]);
  expect(limits).toEqual(["More than 5000 symbols are called 'Same'; not all were distinguished."]);
});

const CALLERS = { direction: "callers", depth: 1, limit: 10 } as const;

test("the call graph and the impact of such a name say so, too", async () => {
  const { at, ids } = await indexTree(sameNames(5_000));
  const navigation = createNavigation(at, ids);
  const { symbolId } = symbolHit(await at.record((await at.file("z/own.go"))!), 1, ids);
  const symbol = { name: "Same", symbolId };
  const limits = ["More than 5000 symbols are called 'Same'; not all were distinguished."];
  const gaps = { withoutReferences: [], limits, isPartial: true };
  expect((await navigation.callGraph({ ...symbol, ...CALLERS })).gaps).toEqual(gaps);
  expect((await navigation.impact({ symbol, changed: [], paths: [], depth: 1, limit: 10 })).gaps).toEqual(gaps);
});

test("a use in lines that the parser could not read", async () => {
  const { at, ids } = await indexTree({
    "a.ts": "export function lost() {}\nexport function other() {}\n",
    "b.ts": "import { lost } from './a';\nlost();\nfunction ( other other { ) ] other\n",
  });
  const navigation = createNavigation(at, ids);
  const gaps = async (name: string) => [
    (await navigation.callGraph({ name, path: "a.ts", ...CALLERS })).gaps.limits,
    (await navigation.impact({ symbol: { name, path: "a.ts" }, changed: [], paths: [], depth: 1, limit: 10 })).gaps
      .limits,
  ];
  const limit = ["'other' occurs where its meaning is not known: b.ts:3."];
  expect(await gaps("other")).toEqual([limit, limit]);
});
