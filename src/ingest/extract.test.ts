import { expect, test } from "vitest";
import { defineLanguage, type Language } from "../languages/define.ts";
import type { RawDefinition } from "../ports/grammars.ts";
import { extract } from "./extract.ts";

const plain = defineLanguage({
  id: "plain",
  title: "Plain",
  aliases: [],
  extensions: [".p"],
  separator: ".",
  moduleOf: (path) => path.replace(/\.p$/, "").split("/"),
  methodOwners: ["class"],
  visibility: () => ({}),
  docMarkers: ["///", "//", "/**", "/*", "*/", "*"],
});

/** A definition from the first place of `source` in the text; the name is its first `name`. */
function raw(
  text: string,
  kind: string,
  source: string,
  name: string,
  more: Partial<RawDefinition> = {},
): RawDefinition {
  const start = text.indexOf(source);
  const rowOf = (at: number) => text.slice(0, at).split("\n").length - 1;
  const nameStart = text.indexOf(name, start);
  const end = start + source.length;
  const place = { start, end, startRow: rowOf(start), endRow: rowOf(end), nameStart, nameEnd: nameStart + name.length };
  return { kind, ...place, ...more };
}

const read = (text: string, definitions: RawDefinition[], language: Language = plain) =>
  extract(language, "a/b.p", text, { outcome: "clean", definitions });

test("nesting, methods, constructors and qualified names", () => {
  const text = "class A { A() {} go() { inner() {} } } free() {}";
  const symbols = read(text, [
    raw(text, "fn", "free() {}", "free", { bodyStart: 46 }),
    raw(text, "fn", "inner() {}", "inner", { bodyStart: 32 }),
    raw(text, "fn", "go() { inner() {} }", "go", { bodyStart: 22 }),
    raw(text, "fn", "A() {}", "A", { bodyStart: 14 }),
    raw(text, "class", "class A { A() {} go() { inner() {} } }", "A", { bodyStart: 8 }),
  ]);
  expect(symbols.map((it) => [it.kind, it.qualifiedName, it.parent])).toEqual([
    ["class", "a.b.A", undefined],
    ["constructor", "a.b.A.A", 0],
    ["method", "a.b.A.go", 0],
    ["fn", "a.b.A.go.inner", 2],
    ["fn", "a.b.free", undefined],
  ]);
});

test("one name is one symbol: the telling kind, then the wider span", () => {
  const text = "export const f = () => 1;";
  const symbols = read(text, [
    raw(text, "const", "const f = () => 1;", "f"),
    raw(text, "fn", "const f = () => 1;", "f", { bodyStart: 23 }),
    raw(text, "fn", text, "f", { bodyStart: 23 }),
  ]);
  expect(symbols).toHaveLength(1);
  expect(symbols[0]).toMatchObject({ kind: "fn", signature: "export const f = ()" });
});

test("equals are counted, siblings with one span stay siblings", () => {
  const text = "int a, b; f(); f();";
  const symbols = read(text, [
    raw(text, "var", "int a, b;", "a"),
    raw(text, "var", "int a, b;", "b"),
    raw(text, "fn", "f();", "f"),
    raw(text, "fn", "f();", "f", { start: 15, end: 19, nameStart: 15, nameEnd: 16 }),
  ]);
  expect(symbols.map((it) => it.parent)).toEqual([undefined, undefined, undefined, undefined]);
  expect(symbols.map((it) => it.ordinal)).toEqual([0, 0, 0, 1]);
});

test("a declared module takes the place of the path where the language says so", () => {
  const text = "package x.y; class A {}";
  const definitions = [raw(text, "package", "package x.y;", "x.y"), raw(text, "class", "class A {}", "A")];
  expect(read(text, definitions).at(-1)?.qualifiedName).toBe("a.b.A");
  expect(read(text, definitions, { ...plain, declaresModules: true }).at(-1)?.qualifiedName).toBe("x.y.A");
  expect(read(text, definitions, { ...plain, moduleOf: () => [] }).at(-1)?.qualifiedName).toBe("x.y.A");
});

const signature = (source: string, name: string, expected: string, more: Partial<RawDefinition> = {}) =>
  test(`signature of ${JSON.stringify(source)}`, () => {
    const kind = more.kind ?? "fn";
    expect(read(source, [raw(source, kind, source, name, more)])[0]?.signature).toBe(expected);
  });

signature("f(\n  a,\n  b,\n) {", "f", "f(a, b)", { bodyStart: 15 });
signature("@route('/a)', x(1))\n@b.c\nfn go() {}", "go", "fn go() {}");
signature("#[a] [B(1)] [[c]] go()", "go", "go()");
signature('@a("b") // see c.d/1\n@e /* for\n now */ public go()', "go", "public go()");
signature("#[a] // hot\n#[b]\npub go()", "go", "pub go()");
signature("@a # or not\ndef go()", "go", "def go()");
signature("f(\n  a, // first\n  b = '// no',\n) // done\n{", "f", "f(a, b = '// no')", { bodyStart: 43 });
signature("x = {\n  a: 1 }", "x", "x", { kind: "const" });
signature("typedef struct { int a; } t;", "t;", "typedef struct t", {
  kind: "struct",
  bodyStart: 15,
  nameStart: 26,
  nameEnd: 27,
});
signature(`f(${"x".repeat(400)})`, "f", `f(${"x".repeat(298)}`);

const doc = (comment: string, expected: string | undefined) =>
  test(`doc of ${JSON.stringify(comment)}`, () => {
    const text = `${comment}f()`;
    expect(read(text, [raw(text, "fn", "f()", "f")])[0]?.doc).toBe(expected);
  });

doc("/// One.\n/// Two.\n", "One.\nTwo.");
doc("/**\n * One.\n *\n * Two.\n */\n", "One.\nTwo.");
doc("/* One. */\n#[inline]\n", "One.");
doc("// Far.\n\n", undefined);
doc("let x = 1; // not above\n", undefined);
doc("x */\n", undefined);
doc("// ------\n// Real.\n", "Real.");
doc("", undefined);
