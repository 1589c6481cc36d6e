/** What a use means in C and C++; each case is a disagreement with clangd that was traced. */
import { checkUses as check } from "../../test/kit/references.ts";

const header = "class Node {\n public:\n  Node();\n  ~Node();\n  void Link(int to);\n  Node* Next();\n};\n";

check(
  "a constructor that stands outside its class does not hide the class",
  { "node.h": header, "node.cpp": '#include "node.h"\n\nNode::Node() {}\nNode* make() { return new Node(); }\n' },
  ["node.h", "Node"],
  "node.cpp:3:0 references import",
  "node.cpp:4:0 references import",
  "node.cpp:4:26 calls import",
  "node.h:6:2 references exact",
);
check(
  "a definition and its declaration in the header are one, whatever overloads there are",
  {
    "node.h": "class Node {\n public:\n  void Link(int to);\n  void Link(Node* to);\n};\n",
    "node.cpp": '#include "node.h"\n\nvoid Node::Link(int to) {}\nvoid Node::Link(Node* to) { Link(1); }\n',
    "use.cpp": '#include "node.h"\n\nvoid use(Node* node) { node->Link(2); }\n',
  },
  ["node.cpp", "Link"],
  "node.cpp:4:28 calls receiver",
  "use.cpp:3:29 calls receiver",
);
check(
  "types of one name in different types are two",
  {
    "list.h":
      "namespace db {\nclass List {\n public:\n  class Iterator {\n   public:\n    void Next();\n  };\n};\ninline void List::Iterator::Next() {}\n}\n",
    "iterator.h": "namespace db {\nclass Iterator {\n public:\n  virtual void Next() = 0;\n};\n}\n",
    "use.cc": '#include "iterator.h"\n\nnamespace db {\nvoid use(Iterator* it) { it->Next(); }\n}\n',
  },
  ["list.h", "Next"],
);
check(
  "a call through the base may mean what overrides it",
  {
    "base.h":
      "class Base {\n public:\n  virtual void Run();\n};\nclass Sub : public Base {\n public:\n  void Run() override;\n};\n",
    "sub.cc": '#include "base.h"\n\nvoid Sub::Run() {}\nvoid use(Base* base) { base->Run(); }\n',
  },
  ["sub.cc", "Run"],
  "sub.cc:4:29 calls name_only of base",
);
check(
  "the same inside namespaces",
  {
    "base.h":
      "namespace db {\nclass Base {\n public:\n  virtual void Run();\n};\nclass Sub : public Base {\n public:\n  void Run() override;\n};\nclass Other {\n public:\n  void Run();\n};\n}\n",
    "sub.cc":
      '#include "base.h"\n\nnamespace db {\nvoid Sub::Run() {}\nvoid Other::Run() {}\nvoid use(Base* base, Other* other) {\n  base->Run();\n  other->Run();\n}\n}\n',
  },
  ["sub.cc", "Run"],
  "sub.cc:7:8 calls name_only of base",
);
check(
  "a struct that a header only names",
  {
    "c.h": "typedef struct options options;\noptions* make(void);\n",
    "c.c": '#include "c.h"\n\nstruct options { int size; };\noptions* make(void) { return 0; }\n',
  },
  ["c.h", "options"],
  "c.c:4:0 references exact",
  "c.h:1:15 references exact",
  "c.h:2:0 references exact",
);
check(
  "what an enum lists is seen where the enum is, but for an enum class",
  {
    "a.h":
      "enum color { RED, GREEN };\nenum class Shade { DARK };\nstruct Box {\n  enum { SIZE = 3 };\n  int fill() { return SIZE; }\n};\n",
    "a.cpp": '#include "a.h"\n\nint f() { return RED + color::RED + (int)Shade::DARK + Box::SIZE; }\n',
  },
  ["a.h", "RED"],
  "a.cpp:3:17 references import",
  "a.cpp:3:30 references receiver",
);
check(
  "static functions of one name in two files are two; a header makes definitions one",
  {
    "a.c": "static int twice(int x) { return x; }\nint a(void) { return twice(1); }\n",
    "b.c": "static int twice(int x) { return x; }\nint b(void) { return twice(1); }\n",
  },
  ["a.c", "twice"],
  "a.c:2:21 calls exact",
);
check(
  "a function that is defined once for each system",
  {
    "sys.h": "int now(void);\n",
    "unix.c": '#include "sys.h"\nint now(void) { return 1; }\n',
    "windows.c": '#include "sys.h"\nint now(void) { return 2; }\n',
    "main.c": '#include "sys.h"\nint main(void) { return now(); }\n',
  },
  ["unix.c", "now"],
  "main.c:2:24 calls import",
);
check(
  "macros that the grammar is not shown are used all the same",
  { "a.h": "#define APP_EXPORT\nclass APP_EXPORT Store {\n  int size;\n};\nAPP_EXPORT int open(int x);\n" },
  ["a.h", "APP_EXPORT"],
  "a.h:2:6 references exact",
  "a.h:5:0 references exact",
);
check(
  "a variable that is made from arguments",
  {
    "a.h": "class Printer {\n public:\n  Printer(int to);\n  void Push();\n};\n",
    "a.cpp": '#include "a.h"\n\nvoid f(int to) {\n  Printer printer(to);\n  printer.Push();\n}\n',
  },
  ["a.h", "Push"],
  "a.cpp:5:10 calls receiver",
);
check(
  "what a constructor begins with",
  { "a.cpp": "class Store {\n public:\n  Store(int x) : size_(x) {}\n  int size_;\n};\n" },
  ["a.cpp", "size_"],
  "a.cpp:3:17 references receiver",
);
check(
  "a variable that a header declares is one",
  {
    "a.h": "extern int counter;\n",
    "a.c": '#include "a.h"\nint counter = 0;\nint a(void) { return counter; }\n',
    "b.c": '#include "a.h"\nint b(void) { return counter; }\n',
  },
  ["a.c", "counter"],
  "a.c:3:21 references exact",
  "b.c:2:21 references import",
);
check(
  "what an enum inside a struct lists is seen in the file, in C",
  {
    "a.h": "struct box { enum kind { SMALL, LARGE } kind; };\n",
    "a.c": '#include "a.h"\nint f(struct box *b) { return b->kind == LARGE; }\n',
  },
  ["a.h", "LARGE"],
  "a.c:2:41 references import",
);

const parts = {
  "config.h": "namespace json {\ntypedef int Size;\n}\n",
  "value.h":
    '#include "config.h"\nnamespace json {\nenum Kind { nullKind, listKind };\nclass Value {\n public:\n  class Iterator { public: Iterator& next(); bool done(); };\n  Kind kind() const;\n  Value& at(int i);\n  Value* find(int i);\n  Iterator begin();\n};\nValue& root();\n}\n',
  "all.h": '#include "config.h"\n#include "value.h"\n',
};
check(
  "each file may add to a namespace; what references and pointers give",
  {
    ...parts,
    "use.cpp":
      '#include "all.h"\nvoid f(const json::Value& it, json::Value& other) {\n  it.kind();\n  other.at(1).kind();\n  other.find(2)->kind();\n  json::root().kind();\n  for (json::Value& one : list) one.kind();\n}\n',
  },
  ["value.h", "kind"],
  "use.cpp:3:5 calls receiver",
  "use.cpp:4:14 calls receiver",
  "use.cpp:5:17 calls receiver",
  "use.cpp:6:15 calls receiver",
  "use.cpp:7:36 calls receiver",
);
check(
  "a variant through its namespace",
  { ...parts, "use.cpp": '#include "all.h"\nint f(int it) { return it == json::listKind; }\n' },
  ["value.h", "listKind"],
  "use.cpp:2:35 references receiver",
);
const readers = {
  "reader.h":
    "namespace json {\nclass Reader {\n  class Token { public: int at; };\n  bool read(Token& token);\n};\n}\n",
  "own.cpp":
    '#include "reader.h"\nnamespace json {\nclass OwnReader {\n  class Token { public: int at; };\n  bool read(Token& token);\n};\nbool Reader::read(Token& token) { Token next; return next.at; }\nbool OwnReader::read(Token& token) { return token.at; }\nbool Reader::skip(char const** at) { return at; }\n}\n',
};
check(
  "a type inside the class of a method that is defined elsewhere",
  readers,
  ["reader.h", "Token"],
  "own.cpp:7:18 references receiver",
  "own.cpp:7:34 references receiver",
  "reader.h:4:12 references exact",
);
check("and its members, but not a parameter", readers, ["reader.h", "at"], "own.cpp:7:58 references receiver");

const states = {
  "state.h":
    "#define FAR\n#define ZEXTERN extern\n#define ZEXPORT\ntypedef struct state_s {\n  int window;\n  struct state_s FAR *next;\n} FAR state;\ntypedef state FAR *statep;\nZEXTERN int ZEXPORT finish(statep it);\n",
  "state.c": '#include "state.h"\nint ZEXPORT finish(statep it) {\n  return it->window;\n}\n',
  "use.c":
    '#include "state.h"\nint f(state *s, statep p) {\n  state many[2];\n  s->window = p->next->window;\n  return finish(&many[0]) + many[1].window;\n}\n',
};
check(
  "fields of a struct through its typedefs, past macros",
  states,
  ["state.h", "window"],
  "state.c:3:13 references receiver",
  "use.c:4:5 references receiver",
  "use.c:4:23 references receiver",
  "use.c:5:36 references receiver",
);
check("a function that is declared with macros", states, ["state.c", "finish"], "use.c:5:9 calls import");
