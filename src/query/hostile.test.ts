/** No text can make a search fail, and operators of other engines are only text. */
import { expect, test } from "vitest";
import { pick } from "../../test/kit/hostile.ts";
import { indexTree } from "../../test/kit/index-tree.ts";
import { prng } from "../../test/kit/prng.ts";
import { F_RUST } from "../../test/kit/repos/f-rust.ts";
import { locate } from "./locate.ts";
import { search } from "./search.ts";

const repo = indexTree(F_RUST);

const paths = async (query: string) => {
  const { at, ids } = await repo;
  const { hits } = await search({ query, limit: 5 }, at, ids);
  return hits.map(({ path, lineStart }) => `${path}:${lineStart}`);
};

const HOSTILE = [
  "error: x",
  "a::b",
  "foo(",
  '"unbalanced',
  "C++",
  "😀",
  "\ud800",
  "\udc00\ud800",
  "\0",
  "/",
  "\\",
  "//",
  "::",
  "...",
  "''",
  '""',
  "``",
  "( ) [ ] { }",
  "%",
  "-",
  "--",
  "*",
  "token*",
  "token AND NOT",
  "NEAR(token role)",
  "title:token",
  "^token",
  "token:*",
  "'; DROP TABLE file; --",
  "\u202etoken\u202c",
  "<script>alert(1)</script>",
  "$" + "{token}",
  "__proto__",
  "constructor",
  "hasOwnProperty",
  "toString",
  "a".repeat(10_000),
  "token ".repeat(2_000),
  "x::".repeat(3_000),
  "(".repeat(5_000),
  "/".repeat(5_000),
  "error: ".repeat(1_500),
  "<".repeat(3_000) + ">".repeat(3_000),
  "設定を読み込む",
  "İstanbul ﬀ ß",
];

test.each(HOSTILE.map((query) => [query.slice(0, 40), query] as const))("%s is answered", async (_, query) => {
  const { at, ids } = await repo;
  await expect(search({ query, limit: 10 }, at, ids)).resolves.toBeDefined();
  await expect(locate({ name: query, limit: 10 }, at, ids)).resolves.toBeDefined();
});

const WORDS = ["token", "role", "connection", "transaction", "config", "user", "claims"];
/** Signs that mean something to FTS5, tsquery, LIKE or SQL, and nothing to us. */
const OPERATORS = [
  "*",
  "^",
  "+",
  "~",
  "|",
  "||",
  "&",
  "&&",
  "!",
  "(",
  ")",
  "{",
  "}",
  "[",
  "]",
  ";",
  "--",
  "%",
  "=",
  "<->",
  "<",
  ">",
  "@@",
  "?",
  ",",
];

test("1,000 sentences full of operators equal the sentence without them", async () => {
  const random = prng(7);
  const plain = new Map<string, readonly string[]>();
  for (let i = 0; i < 1_000; i++) {
    const words = [pick(random, WORDS), pick(random, WORDS), pick(random, WORDS)];
    const key = words.join(" ");
    if (!plain.has(key)) plain.set(key, await paths(key));
    const dressed = words.map((word) => `${pick(random, OPERATORS)} ${word} ${pick(random, OPERATORS)}`).join(" ");
    expect(await paths(dressed), dressed).toEqual(plain.get(key));
  }
});
