import { expect, test } from "vitest";
import { indexTree } from "../../test/kit/index-tree.ts";
import { symbolHit } from "../model/ids.ts";
import { findAffectedCode, likelyTests } from "./affected-code.ts";

const TESTS = [
  "src/auth.test.ts",
  "test/test_auth.py",
  "auth_test.go",
  "AuthTest.java",
  "spec/auth_spec.rb",
  "src/other.test.ts",
  "tests/__init__.py",
];

const check = (
  what: string,
  changedPaths: readonly string[],
  uses: Readonly<Record<string, readonly string[]>>,
  found: readonly string[],
) =>
  test(what, () => {
    const answer = likelyTests({
      tests: TESTS,
      changedPaths,
      uses: new Map(Object.entries(uses)),
      reached: [],
      limit: 4,
    });
    expect(answer.map(({ path, reason }) => `${path} ${reason}`)).toEqual(found);
  });

check("named after a changed file, in every language's way, up to the limit", ["src/auth.ts"], {}, [
  "AuthTest.java named_alike",
  "auth_test.go named_alike",
  "spec/auth_spec.rb named_alike",
  "src/auth.test.ts named_alike",
]);
check(
  "changed tests come first, then namesakes, then users",
  ["src/other.ts", "auth_test.go"],
  { "AuthTest.java": ["f"] },
  ["auth_test.go changed", "src/other.test.ts named_alike", "AuthTest.java uses"],
);
check("a file that every package has names no test", ["src/__init__.py", "lib/index.ts"], {}, []);
check("the more it uses the better", ["x.ts"], { "auth_test.go": ["f"], "src/other.test.ts": ["f", "g"] }, [
  "src/other.test.ts uses",
  "auth_test.go uses",
]);
check("a changed test is not looked for in other tests", ["src/other.test.ts"], {}, ["src/other.test.ts changed"]);

const CORE = [
  "class Base:",
  "    def run(self): pass",
  "class Fast(Base):",
  "    def run(self): parse()",
  "def parse(): pass",
  "def load(): pass",
].join("\n");
const TREE = {
  "core.py": CORE,
  "api.py": "from core import Base\ndef handle(base: Base): base.run()\n",
  "table.py": "from core import load\nTABLE = load()\n",
  "tests/test_far.py": "from api import handle\ndef test_it(): handle(make())\n",
  "tests/test_loads.py": "import table\ndef test_it(): assert 1\n",
  "tests/test_none.py": "def test_it(): pass\n",
};
let indexed: ReturnType<typeof indexTree> | undefined;

const checkReach = (what: string, name: string, ...expected: string[]) =>
  test(what, async () => {
    indexed ??= indexTree(TREE);
    const { at, ids } = await indexed;
    const record = (await at.record((await at.file("core.py"))!))!;
    const index = record.symbols.findIndex((it) => it.name === name);
    const { symbolId, symbol } = symbolHit(record, index, ids);
    const changed = [{ symbolId, name, qualifiedName: symbol.qualifiedName, path: "core.py", signature: true }];
    const { tests } = await findAffectedCode({ changed, paths: [], callersOfEach: 0, tests: 5 }, at);
    expect(tests.map(({ path, reason, distance }) => `${path} ${reason} ${distance}`)).toEqual(expected);
  });

checkReach("through calls, and through a call of the base", "parse", "tests/test_far.py reaches 3");
checkReach("through what runs when a file is loaded", "load", "tests/test_loads.py reaches 2");
