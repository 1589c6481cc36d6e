import { expect, test } from "vitest";
import { readChain } from "./member-chain.ts";

const syntax = { self: ["this", "self"], base: ["super"], joints: ["::", "->"] };

function check(text: string, expected: string | undefined): void {
  test(text, () => {
    const chain = readChain(text, 0, text.length, syntax);
    expect(chain && [chain.root, ...chain.steps].join(" ")).toBe(expected);
  });
}

check("a", "a");
check("a.b.c", "a .b .c");
check("this.pool?.get(id)!.user", "this .pool .get () .user");
check("await fetch(url, { a: ')' })", "fetch () ^");
check("(await db.open('x)')).rows[0]", "db .open () ^ .rows []");
check("new Map<string, Foo>()", "Map !");
check("new ns.Foo(1).bar", "ns .Foo ! .bar");
check("(x as unknown as Foo<Bar>).baz", ":Foo<Bar> .baz");
check("[...this.files].sort", "this .files .sort");
check("import.meta.env", undefined);
check("make<Foo>(1)", "make ()");
check("require('./x').y", "%=./x .y");
check("await import('./x')", "%./x ^");
check("super().save", "super .save");
check("[1, 2].map", "' .map");
check('f"{a}".join', "' .join");
check("'a'.length", "' .length");
check("a ?? b", "a");
check("std::vec::new()", "std .vec .new ()");
check("this->items", "this .items");
check("a + b", undefined);
check("(a, b) => a", undefined);
check("function () {}", undefined);
check("a ? b : c", undefined);
check("a(", undefined);
check("", undefined);
