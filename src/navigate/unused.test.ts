/** A symbol is unused only if nothing in the view uses it and nothing outside can. */
import { expect, test } from "vitest";
import { indexTree } from "../../test/kit/index-tree.ts";
import { unused } from "./unused.ts";

type Tree = Readonly<Record<string, string>>;

/** One tree with a folder for each case, so that it is indexed once. No two cases share a name. */
const forest: Record<string, string> = {};
let indexed: ReturnType<typeof indexTree> | undefined;

function check(what: string, tree: Tree, expected: Record<string, string>): void {
  const under = `case${new Set(Object.keys(forest).map((path) => path.split("/")[0])).size}`;
  for (const [path, text] of Object.entries(tree)) forest[`${under}/${path}`] = text;
  test(what, async () => {
    indexed ??= indexTree(forest);
    const { at, ids } = await indexed;
    const { symbols } = await unused({ under, includeUnknown: true, offset: 0, limit: 100 }, at, ids);
    expect(Object.fromEntries(symbols.map(({ hit, reason }) => [hit.symbol.name, reason ?? "unused"]))).toEqual(
      expected,
    );
  });
}

const APP = '{ "private": true }';

check(
  "a function that only calls itself, a type and a constant without uses",
  { "package.json": APP, "a.ts": "function loop() { loop(); }\ntype Id = string;\nconst MAX = 3;\nconsole.log(1);\n" },
  { loop: "unused", Id: "unused", MAX: "unused" },
);
check(
  "a use in a test, an alias and a namespace import are uses",
  {
    "package.json": APP,
    "a.ts":
      "export function one() {}\nexport function two() {}\nexport function three() {}\nexport function four() {}\n",
    "a.test.ts": 'import { one } from "./a";\none();\n',
    "b.ts": 'import { two as other } from "./a";\nimport * as a from "./a";\nother(a.three());\n',
  },
  { four: "unused" },
);
check(
  "exports of a private package count as unused, those of a published one do not",
  {
    "app/package.json": APP,
    "app/a.ts": "export const used = 1;\nexport const lost = 2;\n",
    "app/b.ts": 'import { used } from "./a";\nconsole.log(used);\n',
    "lib/package.json": '{ "name": "lib", "exports": { ".": "./index.ts" } }',
    "lib/index.ts": 'export { offered } from "./parts";\n',
    "lib/parts.ts": "export const offered = 1;\nexport const hidden = 2;\n",
    "old/package.json": '{ "name": "old", "main": "main.js" }',
    "old/main.ts": "export const any = 1;\nconst own = 2;\n",
  },
  { lost: "unused", offered: "exported", hidden: "unused", any: "exported", own: "unused" },
);
check(
  "exports of a file that nothing imports may be loaded by a framework",
  { "package.json": APP, "pages/home.ts": "export function load() {}\nfunction helper() {}\n" },
  { load: "entry_file", helper: "unused" },
);
check(
  "a module that is handed on as a value, or loaded at run time",
  {
    "package.json": APP,
    "a.ts": "export const first = 1;\n",
    "b.ts": "export const second = 2;\n",
    "c.ts": 'import * as a from "./a";\nimport "./b";\nregister(a);\nlazy(() => import("./b"));\n',
  },
  { first: "whole_module", second: "whole_module" },
);
check(
  "a name in a string or in a template of another language is not unused; one in a comment is",
  {
    "package.json": APP,
    "a.ts": "// gamma\nfunction alpha() {}\nfunction beta() {}\nfunction gamma() {}\ncall('alpha');\n",
    "view.html": "<a onclick='beta()'>",
  },
  { alpha: "in_text", beta: "in_text", gamma: "unused" },
);
check(
  "a name that may be put together at run time",
  {
    "package.json": APP,
    "a.js": [
      "class Dialog { open(kind) { return this[`show$" + "{kind}`]() + this['hide_' + kind](); }",
      "showHelp() {} hide_help() {} stow() {} help_hide() {} doHelp() {} done() {}",
      "make(kind) { return this[`do$" + "{kind}`](); } }",
      "new Dialog().open().make();",
    ].join("\n"),
    "job.sh": [
      "do_clean() { :; }",
      "tidy-up() { :; }",
      "_mod_:run() { :; }",
      "lost-one() { :; }",
      'trap "tidy-up" EXIT',
      '"do_$1"',
      'declare -f "_$1_:run"',
    ].join("\n"),
    "run.php":
      "<?php\nclass Run { function go($k) { return $this->{'get' . $k . 'Part'}() . $this->{\"on_{$k}\"}(); }\n" +
      "private function getTopPart() {} private function on_end() {} private function offPart2() {} }\n(new Run)->go(1);\n",
  },
  {
    ...{ showHelp: "in_text", hide_help: "in_text", stow: "unused", help_hide: "unused" },
    ...{ doHelp: "in_text", done: "unused" },
    ...{ do_clean: "in_text", "tidy-up": "in_text", "_mod_:run": "in_text", "lost-one": "unused" },
    ...{ getTopPart: "in_text", on_end: "in_text", offPart2: "unused" },
  },
);
check(
  "what a page's other scripts may call",
  {
    "package.json": APP,
    "static/core.js": "function place() {}\nfunction unplaced() {}\n",
    "static/page.js": "place();\n",
  },
  { unplaced: "unused" },
);
check(
  "a required module is an import and a constant",
  {
    "package.json": APP,
    "a.js": 'const tidy = require("./tidy");\ntidy();\n',
    "tidy.js": "const tidy = () => {};\nmodule.exports = tidy;\n",
  },
  {},
);
check(
  "what extends the types of others is not unused",
  {
    "package.json": APP,
    "a.ts":
      "export {};\ndeclare global {\n  interface Window { x: number }\n}\ndeclare module 'other' {\n  export interface Options {}\n}\nclass Own {}\n",
  },
  { Window: "exported", Options: "exported", Own: "unused" },
);
check(
  "methods: an unresolved call of the name, a type of a library above, an interface that is satisfied by chance",
  {
    "package.json": APP,
    "a.ts": [
      "interface Shape { area(): number }",
      "class Square { area() { return 1; } edge() {} named() {} }",
      "class Page extends Component { render() {} #own() {} }",
      "export function run(shape: Shape, any) { shape.area(); any.named(); new Square(); new Page(); }",
      "run();",
    ].join("\n"),
  },
  { edge: "unused", render: "inherited", "#own": "unused" },
);
check(
  "Python: decorators that register, private names of a package",
  {
    "pyproject.toml": '[project]\nname = "lib"\n',
    "lib/__init__.py": "",
    "lib/a.py": [
      "@app.route('/')",
      "def index(): pass",
      "class _Box:",
      "    @property",
      "    def size(self): pass",
      "def _helper(): pass",
      "def public(): pass",
      "print(_Box())",
    ].join("\n"),
  },
  { index: "decorated", size: "unused", _helper: "unused", public: "exported" },
);
check(
  "Go: exported names, main packages, methods that only use themselves",
  {
    "go.mod": "module m\n",
    "lib/a.go":
      "package lib\n\nfunc Open() {}\nfunc closed() {}\ntype box struct{}\nfunc (b *box) Length() int { return 1 }\n",
    "main.go": "package main\n\nfunc main() {}\nfunc Gone() {}\n",
    "internal/list.go": "package internal\n\nfunc (l list) Marshal() {}\nfunc (l list) own() {}\ntype list []int\n",
  },
  {
    ...{ Open: "exported", closed: "unused", box: "unused", Length: "exported", Gone: "unused" },
    ...{ Marshal: "inherited", own: "unused", list: "unused" },
  },
);
check(
  "Ruby and the shell: what a block defines elsewhere, what other programs get",
  {
    "serve.rb":
      "module Serve\n  def self.setup\n    Reply.class_eval do\n      def page_of_error; end\n    end\n  end\nend\n" +
      "Serve.setup\n",
    "build.sh": "export USE_OWN=true\nUNREAD=1\n",
  },
  { page_of_error: "inherited", USE_OWN: "exported", UNREAD: "unused" },
);
check(
  "Java: what only a package sees, and what a public type hands on of it",
  {
    "p/Base.java": "package p;\n\nabstract class Base {\n  public void handed() {}\n}\n",
    "p/Open.java": "package p;\n\npublic class Open extends Base {}\n",
    "p/Closed.java": "package p;\n\nclass Closed {\n  public void kept() {}\n}\n",
  },
  { handed: "exported", Open: "exported", Closed: "unused", kept: "unused" },
);
check(
  "Rust: a library's public items, a private function, attributes",
  {
    "Cargo.toml": '[package]\nname = "m"\n',
    "src/lib.rs": "pub fn open() {}\nfn shut() {}\n#[no_mangle]\nfn hook() {}\n#[inline]\nfn small() {}\n",
  },
  { open: "exported", shut: "unused", hook: "decorated", small: "unused" },
);

test("counts add up, and languages without references are named", async () => {
  const { at, ids } = await indexTree({
    "a.py": "def a(): b()\ndef b(): pass\ndef main(): pass\nmain()\n",
    "b.py": "import a\n",
  });
  const { counts, withoutReferences, total } = await unused({ includeUnknown: false, offset: 0, limit: 10 }, at, ids);
  expect(counts).toEqual({ checked: 2, used: 1, possiblyUsed: 0, unused: 1, unknown: 0, entryPoints: 1 });
  expect([total, withoutReferences]).toEqual([1, []]);
});
