/** Uses that were once missed altogether, found on 1,080 symbols of 24 repositories: an answer of zero has to be true. */
import { describe, expect, test } from "vitest";
import { indexTree } from "../../test/kit/index-tree.ts";
import { checkUses as check } from "../../test/kit/references.ts";
import { referenceRules } from "./reference-rules.ts";
import { searchReferences } from "./references.ts";

describe("C", () => {
  const c = {
    "a.h": '#define LIMIT 3\n#define CHECK(line) do { report(#line, "report", (line)->size, LIMIT); } while (0)\n',
    "a.c":
      '#include "a.h"\nstruct box { int size; };\nint line;\nvoid report(char *a, char *b, int c, int d) { line = 1; }\n',
  };
  check("a function in a macro's body, not in its strings", c, ["a.c", "report"], "a.h:2:25 calls name_only");
  check("a macro in another one's body", c, ["a.h", "LIMIT"], "a.h:2:63 references exact");
  check("a macro's parameter hides nothing outside of it", c, ["a.c", "line"], "a.c:4:46 references exact");
  check("a field in a macro's body", c, ["a.c", "size"], "a.h:2:57 references name_only");
});

check(
  "C: a word between the type and the name of a function is no variable",
  { "a.c": "#define CDECL\nint CDECL main(void) { return 0; }\nvoid f(void) { main(); }\n" },
  ["a.c", "main"],
  "a.c:3:15 calls exact",
);
check(
  "C: and it is a use of the macro",
  { "a.c": "#define CDECL\nint CDECL main(void) { return 0; }\n" },
  ["a.c", "CDECL"],
  "a.c:2:4 references exact",
);

check(
  "C++: a word before a constructor that is defined outside of its class",
  {
    "a.h": "#define INLINE inline\nnamespace shop { struct Box { Box(); void open(); }; }\n",
    "b.hpp": '#include "a.h"\nINLINE shop::Box::Box() { open(); }\nINLINE void shop::Box::open() {}\n',
  },
  ["a.h", "open"],
  "b.hpp:2:26 calls receiver",
);

check(
  "C++: a namespace that every file adds to is one",
  {
    "a.h": "namespace shop {\nint f();\n}\n",
    "b.h": "namespace shop {\nint g();\n}\n",
    "c.cpp": '#include "a.h"\nint x = shop::f();\n',
  },
  ["b.h", "shop"],
  "c.cpp:2:8 references import",
);

check(
  "Go: a call of an interface that the type implements",
  {
    "go.mod": "module x\n",
    "p/p.go":
      "package p\n\ntype Source interface {\n\tGet() int\n\tWatch() int\n}\n\nfunc Use(s Source) int {\n\treturn s.Watch()\n}\n",
    "q/q.go":
      "package q\n\ntype file struct{}\n\nfunc (f file) Get() int { return 1 }\n\nfunc (f file) Watch() int { return 2 }\n",
    "r/r.go": "package r\n\ntype half struct{}\n\nfunc (h half) Watch() int { return 2 }\n",
  },
  ["q/q.go", "Watch"],
  "p/p.go:9:10 calls name_only of base",
);

test("Go: a package, which other files name after its path, is not answered as complete", async () => {
  const { at } = await indexTree({
    "go.mod": "module x\n",
    "id/id.go": "package id\n\nfunc New() int { return 1 }\n",
    "main.go": 'package main\n\nimport "x/id"\n\nvar n = id.New()\n',
  });
  const { edges, limits } = await searchReferences({ path: "id/id.go", index: 0 }, at, referenceRules);
  expect(edges).toEqual([]);
  expect(limits).toHaveLength(1);
});

describe("Ruby", () => {
  const ruby = {
    "base.rb":
      "module Base\n  module ClassMethods\n    def start\n      dispatch(1)\n    end\n    def dispatch(it); end\n  end\nend\n",
    "group.rb": "class Group\n  include Base\n  def self.dispatch(it); end\n  def label; end\n  private :label\nend\n",
  };
  check(
    "a method that overrides one of a mixed in module's ClassMethods",
    ruby,
    ["group.rb", "dispatch"],
    "base.rb:4:6 calls name_only of base",
  );
  check(
    "a module of a class that other files add to",
    {
      "base.rb": "class Shop\n  module Base\n    def start\n      stop\n    end\n    def stop; end\n  end\nend\n",
      "shop.rb": "class Shop\n  include Shop::Base\n  def stop; end\nend\n",
    },
    ["shop.rb", "stop"],
    "base.rb:4:6 references name_only of base",
  );
  check("a symbol passed to a call", ruby, ["group.rb", "label"], "group.rb:5:11 references name_only");
});

describe("Elixir", () => {
  const elixir = {
    "a.ex":
      "defmodule A do\n  defstruct [:status]\n  def of(%{status: s}), do: s\nend\n\ndefimpl Inspect, for: A do\n  def inspect(a, _), do: hide(a)\n  defp hide(a), do: a\nend\n",
  };
  check("a function of defimpl", elixir, ["a.ex", "hide"], "a.ex:7:25 calls exact");
  check("a field in a pattern", elixir, ["a.ex", "status"], "a.ex:3:11 references name_only");
});

check(
  "PHP: a method as a value",
  { "a.php": "<?php\nclass Job {\n  function add() { run([$this, 'go']); }\n  function go() {}\n}\n" },
  ["a.php", "go"],
  "a.php:3:32 references receiver",
);

check(
  "Swift: an initializer that is called by its name, with or without its type",
  {
    "a.swift":
      "struct Box {\n  init(size: Int) {}\n}\nfunc f() -> Box { return .init(size: 1) }\nlet b = Box.init(size: 2)\n",
  },
  ["a.swift", "init"],
  "a.swift:5:12 calls receiver",
  "a.swift:4:26 calls name_only",
);

check(
  "Python: an initializer of the base",
  { "a.py": "class A:\n    def __init__(self): pass\nclass B(A):\n    def __init__(self): super().__init__()\n" },
  ["a.py", "__init__"],
  "a.py:4:32 calls receiver",
);

check(
  "Zig: an error of any set",
  { "a.zig": "const Failure = error{ NoMemory, Other };\nfn f() Failure!void {\n    return error.NoMemory;\n}\n" },
  ["a.zig", "NoMemory"],
  "a.zig:3:17 references name_only",
);

check(
  "Rust: the uses of an impl are the type's",
  { "src/lib.rs": "struct Order;\nimpl Order {\n    fn new() -> Order { Order }\n}\n" },
  ["src/lib.rs", "Order", 1],
  "src/lib.rs:2:5 references exact",
  "src/lib.rs:3:16 references exact",
  "src/lib.rs:3:24 references exact",
);

describe("Rust", () => {
  const rust = {
    "src/lib.rs": "#[macro_use]\nmod macros;\nmod simd;\nfn f() { space!(); simd::scan(); }\n",
    "src/macros.rs": "macro_rules! space { () => {} }\n",
    "src/simd/mod.rs":
      "#[cfg(a)]\npub use self::slow::*;\nmod slow;\n#[cfg(b)]\nmod fast {\n    pub fn scan() {}\n}\n#[cfg(b)]\npub use self::fast::*;\n",
    "src/simd/slow.rs": "pub fn scan() {}\n",
  };
  check("a macro of another module", rust, ["src/macros.rs", "space"], "src/lib.rs:4:9 calls import");
  check("a function of one of several globs", rust, ["src/simd/slow.rs", "scan"], "src/lib.rs:4:25 calls import");
  check("and of a module in the file", rust, ["src/simd/mod.rs", "scan"], "src/lib.rs:4:25 calls import");
});

describe("bases that are written with what is around them", () => {
  check(
    "Java: a nested class and a nested interface",
    {
      "A.java":
        "class A {\n  static class Base<T> { void go() {} void run() { go(); } }\n  interface I { void stop(); }\n}\n",
      "B.java": "class B extends A.Base<String> implements A.I {\n  void go() {}\n  public void stop() {}\n}\n",
    },
    ["B.java", "go"],
    "A.java:2:51 calls name_only of base",
  );
  check(
    "C++: a template of a namespace",
    {
      "a.cpp":
        "namespace n { template <class T> struct Base { virtual void go(); void run() { go(); } }; }\nstruct B : n::Base<int> { void go() override; };\n",
    },
    ["a.cpp", "go", 1],
    "a.cpp:1:79 calls name_only of base",
  );
  check(
    "C#: a generic class of a namespace, with and without a constructor",
    {
      "a.cs":
        "namespace N { class Base<T> { public virtual void Go() {} void Run() { Go(); } } }\nclass B(int x) : N.Base<int>(x) { public override void Go() {} }\n",
    },
    ["a.cs", "Go", 1],
    "a.cs:1:71 calls name_only of base",
  );
  check(
    "Scala: a trait of a package",
    {
      "A.scala": "package a.b\ntrait Types {\n  def ctx(i: Int) = 1\n  def g = ctx(2)\n}\n",
      "B.scala": "package b\ntrait Api extends a.b.Types {\n  override def ctx(i: Int) = 2\n}\n",
    },
    ["B.scala", "ctx"],
    "A.scala:4:10 calls name_only of base",
  );
});

describe("types of one name in several types of a file", () => {
  const java = {
    "A.java":
      "class A {\n  static class Builder { }\n  Builder make() { return null; }\n}\nclass B {\n  static class Builder { }\n  Builder make() { return null; }\n}\n",
  };
  check("the first", java, ["A.java", "Builder"], "A.java:3:2 references exact");
  check("the second", java, ["A.java", "Builder", 1], "A.java:7:2 references exact");
});

describe("C++ constructors", () => {
  const cpp = {
    "a.cpp":
      "namespace n {\nstruct Box { Box(int); };\nBox::Box(int x) {}\nnamespace m { struct Lid { Lid(int); }; }\nvoid f() { g(Box(1)); m::Lid(3); }\n}\n",
  };
  check("one that is defined outside of its class", cpp, ["a.cpp", "Box", 2], "a.cpp:5:13 calls exact");
  check("one behind a namespace", cpp, ["a.cpp", "Lid", 1], "a.cpp:5:25 calls receiver");
});

describe("types inside types", () => {
  check(
    "Swift: one that an extension adds",
    {
      "a.swift": "struct Log {}\nextension Log {\n  struct Sink {}\n}\n",
      "b.swift": "func f(s: Log.Sink?) -> [Log.Sink] { return [] }\n",
    },
    ["a.swift", "Sink"],
    "b.swift:1:14 references import",
    "b.swift:1:29 references import",
  );
  check(
    "Kotlin: a nested class as a type",
    {
      "A.kt": "package a\nclass Outer { class Inner }\n",
      "B.kt": "package a\nfun f(x: Outer.Inner?): List<Outer.Inner> = listOf()\n",
    },
    ["A.kt", "Inner"],
    "B.kt:2:15 references receiver",
    "B.kt:2:35 references receiver",
  );
});

describe("C#: usings that another file of the project makes", () => {
  const tree = {
    "src/Lib/Lib.csproj": "<Project/>\n",
    "src/Lib/Usings.cs": "global using Shop.Core;\n",
    "src/Lib/a.cs": "namespace Shop.Core;\npublic class Order { public static int Max; }\n",
    "src/Lib/b.cs": "namespace Other;\nclass B { int f() { return Order.Max; } }\n",
    "src/App/App.csproj": "<Project/>\n",
    "src/App/c.cs": "namespace App;\nclass C { int f() { return Order.Max; } }\n",
  };
  check("a class", tree, ["src/Lib/a.cs", "Order"], "src/Lib/b.cs:2:27 references import");
  check("its member", tree, ["src/Lib/a.cs", "Max"], "src/Lib/b.cs:2:33 references receiver");
});

check(
  "TypeScript: a property of a type argument is no name of the file",
  { "a.ts": "import { test } from 'uvu';\ntest('x', () => {\n  on<{ test: number }>(s, () => {});\n});\n" },
  ["a.ts", "test"],
);

check(
  "Python: a field whose annotation leaves the type to its value",
  {
    "a.py":
      "from typing import Final\nclass Relay: pass\nclass Manager:\n  def __init__(self):\n    self.hook: Final = Relay()\nclass Plugin:\n  def go(self): pass\ndef f(pm: Manager):\n  pm.hook.go()\n",
  },
  ["a.py", "go"],
  "a.py:9:10 calls name_only",
);
