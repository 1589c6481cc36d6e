import { expect, test } from "vitest";
import { withQueryFilters } from "./query-filters.ts";

const CONTEXT = { root: "github.com/acme/api", languages: ["go", "python"], languageIds: (word: string) => [word] };
const PATHS = ["src/auth/jwt.go", "src/auth/jwt_test.go", "web/Session.py", "docs/auth.md"];

const check = (query: string, ...expected: readonly string[]) =>
  test(query, () => {
    const { keeps } = withQueryFilters({ query }, CONTEXT) as { keeps?: (path: string) => boolean };
    expect(PATHS.filter((path) => keeps?.(path) !== false)).toEqual(expected);
  });

check("x path:auth", "src/auth/jwt.go", "src/auth/jwt_test.go", "docs/auth.md");
check("x path:src/**/*.go", "src/auth/jwt.go", "src/auth/jwt_test.go");
check("x -path:test path:src", "src/auth/jwt.go");
check("x file:session", "web/Session.py");
check("x file:Session,auth.md", "web/Session.py", "docs/auth.md");
check("x file:SESSION");
check("x repo:acme", ...PATHS);
check("x repo:other");
check("x -repo:other", ...PATHS);
check("x std::path", ...PATHS);

test("languages and kinds", () => {
  expect(withQueryFilters({ query: "x -lang:go kind:class" }, CONTEXT)).toMatchObject({
    query: "x",
    languages: ["python"],
    kinds: { only: ["class"] },
  });
});
