import { expect, test } from "vitest";
import { indexTree } from "../../../test/kit/index-tree.ts";
import { explain } from "../explain.ts";
import { search } from "../search.ts";

const CART = `"""Carts."""


class Cart:
    def add_item(self, item):
        checked = self.check(item)
        self.items.append(checked)
        return checked

    def check(self, item):
        if item is None:
            raise ValueError("item is missing")
        return item
`;
const REPOSITORY = {
  "src/shop/cart.py": CART,
  "src/shop/__init__.py": "",
  "src/shop/json/__init__.py": "",
  "src/shop/json/decoder.py": "def decode(text):\n    return text\n",
  "tests/test_cart.py": "from shop.cart import Cart\n\n\ndef test_add_item():\n    Cart().add_item(None)\n",
  "web/src/index.ts": "export function start(): void {\n  listen();\n}\n",
  "web/package.json": '{\n  "name": "shop-web"\n}\n',
  "web/lib/server.js": "function listen() {\n  open();\n}\n",
  "jvm/main/kotlin/Cart.kt": "package com.acme.shop\n\nclass Cart {\n  fun add() {\n    check(1)\n  }\n}\n",
  "lib/shop/cart.rb": "module Shop\n  class Cart\n    def add\n      check\n    end\n  end\nend\n",
  "lib/shop.rb": 'require "shop/cart"\n',
  "index.js": "function main() {\n  begin();\n}\n",
};
const repo = indexTree(REPOSITORY);

const ask = async (query: string) => {
  const { at, ids } = await repo;
  const { hits, notes, intent } = await search({ query, limit: 10 }, at, ids);
  const places = hits.filter(({ parts }) => parts[0]!.factor === "pasted_place");
  const shown = places.map(({ path, lineStart, symbol }) => `${path}:${lineStart} ${symbol?.symbol.name ?? ""}`.trim());
  return { hits, notes, intent, shown };
};

const check = (title: string, query: string, shown: readonly string[], notes: readonly string[] = []) =>
  test(title, async () => expect(await ask(query)).toMatchObject({ shown, notes }));

const TRACE = `Traceback (most recent call last):
  File "/usr/lib/python3.11/runpy.py", line 88, in _run_code
    exec(code, run_globals)
  File "/app/src/shop/cart.py", line 6, in add_item
    checked = self.check(item)
  File "/app/src/shop/cart.py", line 12, in check
    raise ValueError("item is missing")
ValueError: item is missing`;

check(
  "a trace: innermost frame first, with its line and symbol",
  TRACE,
  ["src/shop/cart.py:12 check", "src/shop/cart.py:6 add_item"],
  ["1 of the pasted places is outside this repository."],
);
check("a place with its line is answered by the line and the symbol around it", "src/shop/cart.py:7", [
  "src/shop/cart.py:7 add_item",
]);
check("a permalink", "https://github.com/acme/shop/blob/main/src/shop/cart.py#L10-L13", ["src/shop/cart.py:10 check"]);
check("an installed copy of this repository", 'File "/v/lib/python3.9/site-packages/shop/cart.py", line 12, in check', [
  "src/shop/cart.py:12 check",
]);
check("a JVM package decides, not the folder", "at com.acme.shop.Cart.add(Cart.kt:5)", [
  "jvm/main/kotlin/Cart.kt:5 add",
]);
check(
  "an installed copy of this gem, which has no gemspec",
  "/bundle/gems/shop-4.1.0/lib/shop/cart.rb:4:in `add': undefined method 'call' for nil (NoMethodError)",
  ["lib/shop/cart.rb:4 add"],
);
check(
  "a package of node_modules that is in this repository",
  "    at listen (/srv/node_modules/shop-web/lib/server.js:2:3)",
  ["web/lib/server.js:2 listen"],
);
check(
  "a file that has changed since is found by the quoted line",
  'File "/app/src/shop/cart.py", line 30, in check\n    raise ValueError("item is missing")',
  ["src/shop/cart.py:12 check"],
);
check(
  "a frame without a file",
  "at native",
  [],
  ["None of the 1 pasted places is in this repository. Searched for the message only."],
);
check("a test without a line", "FAILED tests/test_cart.py::test_add_item - ValueError: item is missing", [
  "tests/test_cart.py:4 test_add_item",
]);
check(
  "a hunk of a diff",
  "--- a/src/shop/cart.py\n+++ b/src/shop/cart.py\n@@ -5,3 +5,3 @@\n     def add_item(self, item):\n-        checked = self.check(item)\n+        checked = item\n",
  ["src/shop/cart.py:6 add_item"],
);

const outside = (count: number) => [
  `None of the ${count} pasted places is in this repository. Searched for the message only.`,
];
check(
  "a library's file of the same name",
  'File "/usr/lib/python3.11/json/decoder.py", line 2, in decode',
  [],
  outside(1),
);
check("another package of node_modules", "    at listen (/srv/node_modules/express/lib/server.js:2:3)", [], outside(1));
check("another class of the same name", "at org.other.Cart.add(Cart.kt:5)", [], outside(1));
check(
  "another project's file of the same path",
  "    at handleRequest (/home/me/other/web/src/index.ts:2:3)",
  [],
  outside(1),
);
check("another project's root", "    at Object.<anonymous> (/srv/tool/index.js:2:3)", [], outside(1));

test("the message is searched for after the places", async () => {
  const { hits, intent } = await ask(TRACE.replaceAll("/app/src/shop/cart.py", "/elsewhere/x.py"));
  expect(intent).toBe("error");
  expect(hits[0]).toMatchObject({ path: "src/shop/cart.py" });
  expect(hits[0]!.text).toContain("item is missing");
});

test("parts add up, the order is by total, and explain_ranking repeats it", async () => {
  const { at, ids } = await repo;
  const { hits } = await ask(TRACE);
  for (const { total, parts } of hits) expect(parts.reduce((sum, { value }) => sum + value, 0)).toBeCloseTo(total, 6);
  expect(hits.map(({ total }) => total)).toEqual(hits.map(({ total }) => total).toSorted((a, b) => b - a));
  for (const hit of hits.slice(0, 2)) {
    const answer = await explain({ query: TRACE, limit: 10 }, hit, at, ids);
    expect(answer.hit).toEqual(hit);
  }
});

const BAD = {
  "1 MB of text": "lorem ipsum dolor sit amet ".repeat(40_000),
  "1 MB of frames": '  File "/app/src/shop/cart.py", line 6, in add_item\n'.repeat(20_000),
  binary: Array.from({ length: 65_536 }, (_, i) => String.fromCharCode((i * 7919) % 256)).join(""),
  punctuation: "(:)[.]{/}<#L>".repeat(5_000),
  emoji: "🛒:1:2 ".repeat(5_000),
  identifiers: Array.from({ length: 10_000 }, (_, i) => `identifier_${i}`).join(" "),
  "one long line": `at ${") in ".repeat(13_000)}x`,
  colons: "a.py:1".repeat(10_000),
  brackets: "(".repeat(30_000) + ")".repeat(30_000),
};
for (const [title, text] of Object.entries(BAD)) {
  test(`${title} is answered`, async () => {
    const { hits } = await ask(text);
    expect(hits.length).toBeLessThanOrEqual(10);
  });
}
