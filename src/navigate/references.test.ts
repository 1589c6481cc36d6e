/** What a use of a name means, on small trees: scopes, imports, receivers, and names that mean nothing here. */
import { describe, expect, test } from "vitest";
import { indexTree } from "../../test/kit/index-tree.ts";
import { checkUses as check } from "../../test/kit/references.ts";
import { buildGraph } from "./graph.ts";
import { referenceRules } from "./reference-rules.ts";

describe("imports", () => {
  const barrel = {
    "src/a.ts": "export function make() {}\nexport default function main() {}\n",
    "src/index.ts": "export * from './a.js';\nexport { make as build } from './a';\n",
    "src/b.ts": "import entry, { make } from './a';\nimport { build } from '.';\nmake();\nbuild();\nentry();\n",
    "src/c.ts": "import * as all from './index';\nall.make();\nfunction f(make: () => void) { make(); }\n",
    "src/d.ts": "import { make } from 'elsewhere';\nmake();\n",
  };
  check(
    "through a barrel, under another name, as a namespace; neither a parameter nor another module's",
    barrel,
    ["src/a.ts", "make"],
    "src/b.ts:1:16 imports import",
    "src/b.ts:2:9 imports import",
    "src/b.ts:3:0 calls import",
    "src/b.ts:4:0 calls import",
    "src/c.ts:2:4 calls import",
    "src/index.ts:2:9 imports import",
  );
  check(
    "a default export under the importer's name",
    barrel,
    ["src/a.ts", "main"],
    "src/b.ts:1:7 imports import",
    "src/b.ts:5:0 calls import",
  );
  check(
    "CommonJS",
    {
      "lib/app.js":
        "function create() {}\nfunction other() {}\nmodule.exports = create;\nmodule.exports.other = other;\n",
      "test/t.js":
        "const app = require('../lib/app');\nconst { other } = require('../lib/app.js');\napp();\nother();\n",
    },
    ["lib/app.js", "create"],
    "lib/app.js:3:17 references exact",
    "test/t.js:1:6 imports import",
    "test/t.js:3:0 calls import",
  );
  check(
    "in functions of an exported object",
    {
      "a.js":
        "const only = require('only');\nfunction f() {}\nmodule.exports = {\n  f,\n  get x() {\n    f();\n    return only(this.y);\n  },\n};\n",
    },
    ["a.js", "f"],
    "a.js:4:2 references exact",
    "a.js:6:4 calls exact",
  );
  check(
    "a circle of re-exports ends",
    {
      "a.ts": "export * from './b';\nexport const x = 1;\n",
      "b.ts": "export * from './a';\n",
      "c.ts": "import { x } from './b';\nx;\n",
    },
    ["a.ts", "x"],
    "c.ts:1:9 imports import",
    "c.ts:2:0 references import",
  );
  const globals = {
    "a.ts":
      "import { q } from './q';\ndeclare global {\n  interface Stream<T> {\n    pipe(to: T): Stream<T>;\n  }\n}\nexport const f = (s: Stream<q>) => s.pipe(q);\n",
    "b.ts": "declare global {\n  interface Stream<T> {\n    close(): void;\n  }\n}\nexport {};\n",
    "c.ts": "export function g(it: Stream<number>) {\n  it.pipe(1).close();\n}\n",
    "d.ts": "import { Stream } from 'elsewhere';\nexport type S = Stream;\n",
    "env.d.ts": "declare const VERSION: string;\ninterface Plain {}\n",
    "module.d.ts": "import './b';\ninterface Hidden {}\n",
    "e.ts": "console.log(VERSION as Plain, x as Hidden);\n",
    "q.ts": "export type q = 1;\n",
  };
  check(
    "a global that several files declare is one, and every file knows it",
    globals,
    ["a.ts", "Stream"],
    "a.ts:4:17 references import",
    "a.ts:7:21 references import",
    "c.ts:1:22 references import",
  );
  check("its members are those of every file", globals, ["b.ts", "close"], "c.ts:2:13 calls receiver");
  check("of a declaration file without imports", globals, ["env.d.ts", "VERSION"], "e.ts:1:12 references import");
  check("but not of one that is a module", globals, ["module.d.ts", "Hidden"]);
  const scripts = {
    "core.js": "function findX() {}\nfunction own() {}\n",
    "page.js": "function own() {}\nfindX();\nown();\n",
    "module.js": "export function apart() {}\n",
    "other.js": "apart();\n",
  };
  check("of a script, if a page loads both", scripts, ["core.js", "findX"], "page.js:2:0 calls name_only");
  check("unless the other script has its own", scripts, ["core.js", "own"]);
  check("a name of a module is none", scripts, ["module.js", "apart"]);
  check(
    "Python packages, aliases and modules",
    {
      "p/__init__.py": "from .m import thing as other\n__all__ = ['other']\n",
      "p/m.py": "def thing():\n    pass\n",
      "q.py": "from p import other\nimport p.m\nother()\np.m.thing()\nthing = 1\nprint(thing)\n",
    },
    ["p/m.py", "thing"],
    "p/__init__.py:1:15 imports import",
    "p/__init__.py:2:12 references import",
    "q.py:1:14 imports import",
    "q.py:3:0 calls import",
    "q.py:4:4 calls import",
  );
});

describe("receivers", () => {
  const classes = {
    "a.ts":
      "export class Base {\n  run() { this.help(); }\n  help() {}\n}\nexport class Sub extends Base {\n  help() { super.help(); }\n}\n",
    "b.ts":
      "import { Base, Sub } from './a';\nfunction f(one: Base, many: Base[], opt?: { base: Base }) {\n  one.help();\n  for (const it of many) it.help();\n  many.forEach((it) => it.help());\n  new Sub().help();\n  many.find((it) => it)?.help();\n}\nfunction g(it) { it.help(); console.help(); }\n",
  };
  check(
    "this, super, declared types, elements, callbacks, new; an unknown receiver only by name",
    classes,
    ["a.ts", "help"],
    "a.ts:2:15 calls receiver",
    "a.ts:6:17 calls receiver",
    "b.ts:3:6 calls receiver",
    "b.ts:4:28 calls receiver",
    "b.ts:5:26 calls receiver",
    "b.ts:7:25 calls receiver",
    "b.ts:6:12 calls name_only of override",
    "b.ts:9:20 calls name_only",
  );
  check(
    "keys of literals whose type is known",
    {
      "a.ts":
        "export interface Options {\n  depth: number;\n  inner?: Options;\n}\nexport function walk(o: Options) { return o.depth; }\n",
      "b.ts":
        "import { type Options, walk } from './a';\nconst o: Options = { depth: 1, inner: { depth: 2 } };\nwalk({ depth: 3 });\nconst p = { depth: 4 };\nconst { depth } = o;\n",
    },
    ["a.ts", "depth"],
    "a.ts:5:44 references receiver",
    "b.ts:2:21 references receiver",
    "b.ts:2:40 references receiver",
    "b.ts:3:7 references receiver",
    "b.ts:5:8 references receiver",
    "b.ts:4:12 references name_only",
  );
  check(
    "Python: self, annotations, constructed values, results",
    {
      "m.py":
        "class T:\n    def go(self):\n        return self\n    def stop(self):\n        self.go()\n\ndef make() -> 'T':\n    return T()\n",
      "q.py":
        "from m import T, make\nx = T()\nx.go()\nmake().go().go()\ndef f(t: T, u):\n    t.go()\n    u.go()\n    'a'.go()\n",
    },
    ["m.py", "go"],
    "m.py:5:13 calls receiver",
    "q.py:3:2 calls receiver",
    "q.py:4:7 calls receiver",
    "q.py:4:12 calls receiver",
    "q.py:6:6 calls receiver",
    "q.py:7:6 calls name_only",
  );
  check(
    "whoever makes an instance uses the constructor",
    { "a.ts": "class A {\n  constructor() {}\n}\nnew A();\n" },
    ["a.ts", "constructor"],
    "a.ts:4:4 calls exact",
  );
});

describe("types of several parts", () => {
  const parts = {
    "a.ts":
      "type Note =\n  | { kind: 1; data: string }\n  | { kind: 2; data: number };\nexport function f(note: Note) {\n  return note.kind === 1 && note.data;\n}\n",
    "b.ts":
      "interface Answer { text(): string }\ntype Reply = { text(): Promise<string> } & Promise<Answer>;\nexport async function g(reply: Reply) {\n  reply.text();\n  const answer = await reply;\n  answer.text();\n}\n",
  };
  check("a property of one of them is not certain", parts, ["a.ts", "data"], "a.ts:5:33 references name_only");
  check("an awaited promise gives its value", parts, ["b.ts", "text", 1], "b.ts:4:8 calls receiver");
  check("and not itself", parts, ["b.ts", "text"], "b.ts:6:9 calls receiver");
});

describe("literals and values of TypeScript", () => {
  check(
    "what `using` and `await using` declare",
    {
      "a.ts":
        "class Stack { use(it: number) {} }\nasync function f() {\n  await using stack = new Stack();\n  stack.use(1);\n}\nfunction g() {\n  using stack = new Stack();\n  stack.use(2);\n}\n",
    },
    ["a.ts", "use"],
    "a.ts:4:8 calls receiver",
    "a.ts:8:8 calls receiver",
  );
  check(
    "a literal that an async function returns",
    {
      "a.ts":
        "async function split(): Promise<{ kept: string[]; lost: string[] }> {\n  const kept: string[] = [];\n  return { kept, lost: [] };\n}\n",
    },
    ["a.ts", "kept"],
    "a.ts:3:11 references receiver",
  );
  check(
    "a literal under any key of a record, and a member of it",
    {
      "a.ts":
        "const pages: Record<string, { title: string; draw?: (it: string) => string }> = {\n  main: { title: '' },\n  other: { title: '', draw: (it) => it },\n};\npages.other.draw?.('');\n",
    },
    ["a.ts", "draw"],
    "a.ts:3:22 references receiver",
    "a.ts:5:12 calls receiver",
  );
});

describe("literals of TypeScript that are passed on", () => {
  const jobs = {
    "a.ts":
      "interface Job { name: string; done?: boolean }\nconst queue: Job[] = [];\nqueue.push({ name: 'a', done: true });\nconst byName = new Map<string, Job>();\nbyName.set('a', { name: 'a', done: false });\n",
  };
  check("to a collection", jobs, ["a.ts", "done"], "a.ts:3:24 references receiver", "a.ts:5:29 references receiver");
  const results = {
    "a.ts":
      "type Result = { is: 'ok'; text: string } | { is: 'bad'; error: string };\nfunction f(it: string): Result {\n  if (it) return { is: 'ok', text: it };\n  return { is: 'bad', error: g() };\n}\nconst unclear: Result = { is: g(), error: '' };\n",
  };
  check(
    "a part of a union by the property that tells them apart",
    results,
    ["a.ts", "is", 1],
    "a.ts:4:11 references receiver",
    "a.ts:6:26 references name_only",
  );
});

describe("overloads", () => {
  const options = {
    "a.ts":
      "export function store(o?: { init: 1 }): void;\nexport function store(o?: { init: 2 }): void;\nexport function store(o?: { init: number }) {\n  return o?.init;\n}\nstore({ init: 1 });\n",
  };
  check("an option that several of them take", options, ["a.ts", "init"], "a.ts:6:8 references name_only");
  const hidden = {
    "a.ts":
      "export interface Check { groups?: string[] }\nexport interface Rule { groups?: string[] }\nexport class Validator {\n  run(it: object, check?: Check): void;\n  run(schema: string, it: object, check?: Check): void;\n  run(it: object | string, rest?: object | Rule) {}\n}\nnew Validator().run({}, { groups: [] });\n",
  };
  check("callers do not see the parameters of the body", hidden, ["a.ts", "groups", 1]);
  check("but those of an overload", hidden, ["a.ts", "groups"], "a.ts:8:26 references receiver");
  const overloads = Array.from({ length: 8 }, (_, i) => `  route(path: "${i}"): Api;\n`).join("");
  check(
    "a long chain of calls of an overloaded method",
    {
      "package.json": '{ "main": "api.js", "types": "api.d.ts" }',
      "api.d.ts": `export interface Api {\n${overloads}  close(): void;\n}\nexport function api(): Api;\n`,
      "api.js": "",
      "test/use.js": `const { api } = require("..");\napi()${".route('1')".repeat(40)}\n  .close();\n`,
    },
    ["api.d.ts", "close"],
    "test/use.js:3:3 calls receiver",
  );
});

describe("scopes", () => {
  check(
    "one name in two scopes is two symbols",
    { "a.ts": "it(() => {\n  function help() {}\n  help();\n});\nit(() => {\n  function help() {}\n  help();\n});\n" },
    ["a.ts", "help", 1],
    "a.ts:7:2 calls exact",
  );
  check(
    "recursion, mutual recursion, supertypes",
    { "a.py": "def a():\n    a()\n    b()\n\ndef b():\n    a()\n\nclass C(Exception): pass\nclass D(C): pass\n" },
    ["a.py", "a"],
    "a.py:2:4 calls exact",
    "a.py:6:4 calls exact",
  );
  check("extends", { "a.py": "class C: pass\nclass D(C): pass\n" }, ["a.py", "C"], "a.py:2:8 extends exact");
  check(
    "a file with a syntax error in the middle of the symbol",
    { "a.ts": "export function ok() {\n  const = ;\n}\nok();\n", "b.ts": "import { ok } from './a';\nok();\n" },
    ["a.ts", "ok"],
    "a.ts:4:0 calls exact",
    "b.ts:1:9 imports import",
    "b.ts:2:0 calls import",
  );
});

test("what a symbol uses, in the order of the source", async () => {
  const { at } = await indexTree({
    "a.ts": "import { b } from './b';\nexport function a(x) {\n  b();\n  x.c();\n  console.log(1);\n  a(x);\n}\n",
    "b.ts": "export function b() {}\n",
  });
  const edges = await buildGraph(at, referenceRules).edgesFrom({ path: "a.ts", index: 1 });
  const shown = edges.map((it) => `${it.name} ${it.line} ${it.resolution} ${it.to?.path ?? "?"}`);
  expect(shown).toEqual(["b 3 import b.ts", "c 4 name_only ?", "a 6 exact a.ts"]);
});

describe("CommonJS", () => {
  const special = {
    "lib.js": "module.exports = class Special {\n  go() {}\n};\n",
    "b.js": "const Special = require('./lib');\nnew Special().go();\n",
  };
  check("a class that is named where it is exported", special, ["lib.js", "go"], "b.js:2:14 calls receiver");
  const open = {
    "lib.js": "module.exports = function open() {};\n",
    "b.js": "const open = require('./lib');\nopen();\nf(open);\n",
  };
  check(
    "a call of a constant that is required",
    open,
    ["b.js", "open"],
    "b.js:2:0 calls import",
    "b.js:3:2 references import",
  );
  check(
    "a method under a second name",
    { "a.js": "function Stack() {}\nStack.prototype.add = Stack.prototype.push;\nconst s = new Stack();\ns.add(1);\n" },
    ["a.js", "add"],
    "a.js:4:2 calls name_only",
  );
});

describe("unions", () => {
  const tree = {
    "a.ts": [
      'interface Word { kind: "word"; text: string }',
      'interface Gap { kind: "gap"; text: string; width: number }',
      "type Part = (Word | Gap);",
      "function show(part: Part) {",
      '  if (part.kind === "gap") return part.text;',
      "  return part.width;",
      "}",
      'const gap: Part = { kind: "gap", text: "", width: 1 };',
      "function other(part: Word | import('./lost').Lost) { return part.text; }",
      "",
    ].join("\n"),
  };
  check(
    "a member of each part, until a test leaves one of them",
    tree,
    ["a.ts", "kind"],
    "a.ts:5:11 references receiver",
  );
  check(
    "with a part that could not be read",
    tree,
    ["a.ts", "text", 1],
    "a.ts:5:39 references receiver",
    "a.ts:8:33 references receiver",
    "a.ts:9:65 references name_only",
  );
  check(
    "a member of one part",
    tree,
    ["a.ts", "width"],
    "a.ts:6:14 references receiver",
    "a.ts:8:43 references receiver",
  );
});

describe("members of types that are written in place", () => {
  check(
    "by the literal type that holds them",
    {
      "a.ts":
        "function f(a: { size: 1 }[], b: Set<{ size: 2 }>) {\n  for (const it of b) it.size;\n  return a[0].size;\n}\n",
    },
    ["a.ts", "size", 1],
    "a.ts:2:25 references receiver",
  );
  check(
    "what a function of generic type takes and gives",
    {
      "a.ts":
        "interface Options { deep: boolean }\nexport class Store { close() {} }\ntype Make = <T, K extends keyof T = keyof T>(of: T, how?: Options) => Store;\ntype Build = { <T>(of: T): Store };\nexport const make = 0 as unknown as Make;\nexport const build = 0 as unknown as Build;\n",
      "b.ts": 'import { build, make } from "./a";\nmake(1, { deep: true }).close();\nbuild(2).close();\n',
    },
    ["a.ts", "close"],
    "b.ts:2:24 calls receiver",
    "b.ts:3:9 calls receiver",
  );
  check(
    "of a base that is written through another type",
    {
      "a.ts":
        "interface All { a: 1; b: 2 }\ninterface Some extends Omit<All, 'b'> { c: 3 }\nfunction f(it: Some) { return it.a; }\n",
    },
    ["a.ts", "a"],
    "a.ts:3:33 references receiver",
  );
  const both = {
    "a.ts": "export class Lexer {\n  static run() { return new Lexer().run(); }\n  run() {}\n}\nLexer.run();\n",
  };
  check("a static member and one of the instances", both, ["a.ts", "run"], "a.ts:5:6 calls receiver");
  check("and the other way round", both, ["a.ts", "run", 1], "a.ts:2:36 calls receiver");
  check(
    "a parameter taken apart inside a literal is no key of it",
    {
      "a.ts":
        "interface Tag { type: string; write(of: { type: 1 }): void }\nconst tag: Tag = { type: '', write({ type }) {} };\n",
    },
    ["a.ts", "type"],
    "a.ts:2:19 references receiver",
  );
});
