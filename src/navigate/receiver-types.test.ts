/** A method that gives its receiver back gives a value of the receiver's type, which may be a subtype of its own. */
import { describe } from "vitest";
import { checkUses as check } from "../../test/kit/references.ts";

describe("TypeScript", () => {
  const schemas = {
    "schema.ts":
      "export class Schema {\n  strict(): this {\n    return this;\n  }\n  test(rule: string): this {\n    return this;\n  }\n  nullable(): Schema {\n    return this;\n  }\n}\n",
    "text.ts":
      "import { Schema } from './schema';\nexport class Text extends Schema {\n  trim() {\n    return this.test('trim');\n  }\n  nullable(): Text {\n    return this;\n  }\n}\nexport class Name extends Text {\n  short() {}\n}\n",
    "use.ts":
      "import { Name, Text } from './text';\nnew Text().strict().nullable();\nnew Text().strict().trim().nullable();\nnew Name().trim().strict().short();\n",
  };
  check(
    "the override of a subtype",
    schemas,
    ["text.ts", "nullable"],
    "use.ts:2:20 calls receiver",
    "use.ts:3:27 calls receiver",
  );
  check(
    "not the base's",
    schemas,
    ["schema.ts", "nullable"],
    "use.ts:2:20 calls name_only of override",
    "use.ts:3:27 calls name_only of override",
  );
  check("also without a declared type", schemas, ["text.ts", "short"], "use.ts:4:27 calls receiver");
});

describe("TypeScript, parameters of a constructor", () => {
  const service = {
    "log.ts": "export class Log { write() {} }\nexport const size = 1;\n",
    "a.ts":
      "import { Log, size } from './log';\nexport class Service {\n  constructor(private readonly log: Log, readonly size = 2, other: Log) {\n    log.write();\n    print(size);\n  }\n  run() {\n    this.log.write();\n    return this.size + size;\n  }\n}\n",
  };
  check(
    "with a modifier it is a property, also by its name alone",
    service,
    ["a.ts", "log"],
    "a.ts:4:4 references exact",
    "a.ts:8:9 references receiver",
  );
  check(
    "its name is seen in the constructor only",
    service,
    ["a.ts", "size"],
    "a.ts:5:10 references exact",
    "a.ts:9:16 references receiver",
  );
  check(
    "what the constructor takes",
    {
      "a.ts":
        "interface Options { depth: number }\nclass Walk {\n  constructor(private root: string, readonly options: Options) {}\n}\nnew Walk('', { depth: 1 });\n",
    },
    ["a.ts", "depth"],
    "a.ts:5:15 references receiver",
  );
  check("its type", service, ["log.ts", "write"], "a.ts:4:8 calls receiver", "a.ts:8:13 calls receiver");
});

describe("Python", () => {
  const query = {
    "q.py":
      "from typing import Self\n\nclass Query:\n    def all(self) -> Self:\n        return self\n\n    def where(self):\n        return self.all()\n\nclass Users(Query):\n    def named(self):\n        pass\n\nUsers().where().all().named()\n",
  };
  check("of a class", query, ["q.py", "named"], "q.py:14:22 calls receiver");
});

describe("PHP", () => {
  const point = {
    "point.php":
      "<?php\nnamespace App;\nclass Point {\n  public function __construct(public readonly int $x) { echo $this->x; }\n  public function move(): self { return new self($this->x); }\n}\nclass Other {\n  public static function make() { return new self(); }\n}\n",
    "use.php": "<?php\nnamespace App;\nfunction f(Point $it) { return $it->x; }\n",
  };
  check("`new self` calls the constructor", point, ["point.php", "__construct"], "point.php:5:44 calls exact");
  check(
    "a promoted parameter is a property of the class",
    point,
    ["point.php", "x"],
    "point.php:4:68 references receiver",
    "point.php:5:56 references receiver",
    "use.php:3:36 references receiver",
  );
  check(
    "also by its name in the constructor",
    {
      "a.php":
        "<?php\nclass A {\n  public function __construct(private int $size) { echo $size; }\n  function f($size) { return $size; }\n}\n",
    },
    ["a.php", "size"],
    "a.php:3:57 references exact",
  );
  const query = {
    "q.php":
      "<?php\nclass Query {\n  public function all(): static { return $this; }\n  public function plain(): self { return $this; }\n  public function named() {}\n}\nclass Users extends Query {\n  public function named() {}\n}\nfunction f(Users $it) {\n  $it->all()->named();\n  $it->plain()->named();\n}\n",
  };
  check(
    "static is the receiver's class, self is not",
    query,
    ["q.php", "named", 1],
    "q.php:11:14 calls receiver",
    "q.php:12:16 calls name_only of base",
  );
});

describe("this in a method of a literal", () => {
  const literal = {
    "set.ts":
      "type Inner = { epoch: number; size: number; close(): void };\nexport function make() {\n  const it: Inner = {\n    epoch: 0,\n    get size() {\n      return this.epoch;\n    },\n    close() {\n      const other = { epoch: 1, m() { this.epoch; } };\n      [1].map(() => this.epoch);\n    },\n  };\n  return it;\n}\n",
  };
  check(
    "is of the written type, but not in a literal inside",
    literal,
    ["set.ts", "epoch"],
    "set.ts:4:4 references receiver",
    "set.ts:6:18 references receiver",
    "set.ts:10:25 references receiver",
    "set.ts:9:22 references name_only",
    "set.ts:9:43 references name_only",
  );
});
