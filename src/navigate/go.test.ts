/** What a use means in Go; each case is a disagreement with Go's own type checker that was traced. */
import { checkUses as check } from "../../test/kit/references.ts";

check(
  "a function and a method of one name are two symbols",
  {
    "a.go":
      "package a\n\ntype Context struct{}\n\nfunc (c *Context) Param() string { return Param(c) }\n\nfunc Param(c *Context) string { return c.Param() }\n",
  },
  ["a.go", "Param", 1],
  "a.go:5:42 calls exact",
);
check(
  "a type's own method comes before that of what it embeds",
  {
    "group.go": "package a\n\ntype Group struct{}\n\nfunc (g *Group) Use() {}\n",
    "engine.go":
      "package a\n\ntype Engine struct{ Group }\n\nfunc (e *Engine) Use() { e.Group.Use() }\n\nfunc main() { (&Engine{}).Use() }\n",
  },
  ["engine.go", "Use"],
  "engine.go:7:26 calls receiver",
);
check(
  "what is embedded is a field of its name",
  {
    "a.go":
      "package a\n\ntype Group struct{}\n\nfunc (g *Group) Use() {}\n\ntype Engine struct{ *Group }\n\nfunc f(e Engine) { e.Group.Use() }\n",
  },
  ["a.go", "Use"],
  "a.go:9:27 calls receiver",
);
check(
  "new, make and type assertions say what a value is",
  {
    "a.go":
      'package a\n\ntype Route struct{ name string }\n\nfunc f(x any) {\n\tnew(Route).name = x.(*Route).name\n\tall := make([]Route, 3)\n\tall[0].name = ""\n\tif r, ok := x.(Route); ok {\n\t\tr.name = ""\n\t}\n}\n',
  },
  ["a.go", "name"],
  "a.go:6:12 references receiver",
  "a.go:6:30 references receiver",
  "a.go:8:8 references receiver",
  "a.go:10:4 references receiver",
);
check(
  "keys of literals, of elements whose type is left out, and of a type that a function keeps to itself",
  {
    "a.go":
      'package a\n\ntype test struct{ name string }\n\nvar all = []test{{name: "a"}, {name: "b"}}\nvar by = map[string]*test{"a": {name: "c"}}\n\nfunc f() {\n\ttype test struct{ name string }\n\tmine := []test{{name: "d"}}\n\tfor _, it := range mine {\n\t\tprint(it.name)\n\t}\n}\n',
  },
  ["a.go", "name"],
  "a.go:5:18 references receiver",
  "a.go:5:31 references receiver",
  "a.go:6:32 references receiver",
);
check(
  "keys of maps are names, not fields",
  {
    "a.go":
      'package a\n\nconst get = 1\n\ntype T struct{ get int }\n\nvar names = map[int]string{get: "GET"}\nvar t = T{get: get}\n',
  },
  ["a.go", "get"],
  "a.go:7:27 references exact",
  "a.go:8:15 references exact",
);
check(
  "elements of a type that is a list",
  {
    "a.go":
      "package a\n\ntype tree struct{ root int }\ntype trees []tree\n\nfunc (t trees) first() int { return t[0].root }\n\nfunc all(given trees) {\n\tfor _, it := range given {\n\t\tprint(it.root)\n\t}\n}\n",
  },
  ["a.go", "root"],
  "a.go:6:41 references receiver",
  "a.go:10:11 references receiver",
);
check(
  "a field that bears the name of a type is none: the call means the field's own type, which has the method",
  {
    "a.go":
      "package a\n\ntype matcher interface{ Match() }\n\ntype header struct{}\n\nfunc (h header) Match() {}\n\ntype test struct{ matcher header }\n\nfunc f(t test) { t.matcher.Match() }\n",
  },
  ["a.go", "Match"],
  "a.go:11:27 calls name_only of override",
);
check(
  "the blank name is no symbol's",
  { "a.go": "package a\n\nvar _ = f()\n\nfunc f() int {\n\t_ = 1\n\treturn 0\n}\n" },
  ["a.go", "_"],
);
check(
  "a name is not seen in its own type, nor in what it is made from",
  {
    "a.go":
      "package a\n\ntype item struct{}\n\nfunc (item item) f(all chan int) {\n\tselect {\n\tcase item := <-all:\n\t\t_ = item\n\t}\n\tkey := key{}\n\t_ = key\n}\n\ntype key struct{}\n",
  },
  ["a.go", "item"],
  "a.go:5:11 references exact",
);
