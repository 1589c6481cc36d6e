import { expect, test } from "vitest";
import { likelyTests } from "./affected-code.ts";

const TESTS = [
  "src/auth.test.ts",
  "test/test_auth.py",
  "auth_test.go",
  "AuthTest.java",
  "spec/auth_spec.rb",
  "src/other.test.ts",
];

const check = (
  what: string,
  changedPaths: readonly string[],
  uses: Readonly<Record<string, readonly string[]>>,
  found: readonly string[],
) =>
  test(what, () => {
    const answer = likelyTests({ tests: TESTS, changedPaths, uses: new Map(Object.entries(uses)), limit: 4 });
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
check("the more it uses the better", ["x.ts"], { "auth_test.go": ["f"], "src/other.test.ts": ["f", "g"] }, [
  "src/other.test.ts uses",
  "auth_test.go uses",
]);
check("a changed test is nobody's subject", ["src/other.test.ts"], {}, ["src/other.test.ts changed"]);
