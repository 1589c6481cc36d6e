import { expect, test } from "vitest";
import { indexTree } from "../../test/kit/index-tree.ts";
import { locate } from "../query/locate.ts";
import { related } from "./related.ts";

const repo = indexTree({
  "src/auth.rs":
    "pub struct Claims;\nfn decode() -> Claims { Claims }\npub fn check() -> Claims {\n    let limit = Config::load();\n    twice();\n    decode()\n}\n",
  "src/config.rs": "pub struct Config;\nimpl Config {\n    pub fn load() -> Config { Config }\n}\n",
  "src/one.rs": "pub fn twice() {}\n",
  "src/two.rs": "pub fn twice() {}\n",
});

const relatedTo = async (name: string, limit = 10) => {
  const { at, ids } = await repo;
  const hit = (await locate({ name, limit: 1 }, at, ids)).hits[0]!.symbol!;
  return (await related(hit, limit, at, ids)).map(({ path, symbol }) => `${path} ${symbol.name}`);
};

test("names of the own file first, then what is the only one of its name", async () => {
  expect(await relatedTo("check")).toEqual([
    "src/auth.rs Claims",
    "src/auth.rs decode",
    "src/config.rs Config",
    "src/config.rs load",
  ]);
});

test("the limit holds, and nothing named means nothing related", async () => {
  expect(await relatedTo("check", 1)).toEqual(["src/auth.rs Claims"]);
  expect(await relatedTo("check", 0)).toEqual([]);
  expect(await relatedTo("Claims")).toEqual([]);
});
