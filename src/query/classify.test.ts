import { expect, test } from "vitest";
import type { Intent } from "../model/status.ts";
import { classify } from "./parsed-query.ts";

const LABELLED: readonly (readonly [Intent, ...string[]])[] = [
  [
    "symbol",
    ...[
      "validate_token",
      "AuthHandler",
      "auth::jwt",
      "Foo.bar",
      "fn main",
      "class Name",
      "useState",
      "token",
      "Config",
    ],
    ...[
      "std::vec::Vec::push",
      "validateToken()",
      "__init__",
      "TOKEN_PREFIX",
      "struct Claims",
      "def load_config",
      "foo(",
    ],
    ...[
      "HTTPServer",
      "x_max",
      "sha256",
      "`parse_args`",
      "println!",
      "$scope",
      "Foo::bar()",
      "User#save",
      "func NewRouter",
    ],
    ...[
      "ValidationException",
      "interface TokenClaims",
      "Map<String, Integer>",
      "MyError::Parse",
      "os.path.join",
      "größe",
      "trait Handler",
    ],
  ],
  [
    "path",
    ...[
      "src/a.rs",
      "main.py",
      "src/auth/jwt.rs",
      "README.md",
      "src\\win\\file.cs",
      "package.json",
      "lib/",
      "./src/index.ts",
    ],
    ...[
      "handler.rs",
      "tests/fixtures/big.json",
      "Dockerfile",
      ".gitignore",
      "docs/my file.md",
      "app/[id]/page.tsx",
      "auth/jwt",
      "CMakeLists.txt",
    ],
  ],
  [
    "error",
    ...[
      '"connection refused"',
      "error: invalid token",
      "panic: runtime error: index out of range",
      "TypeError: x is not a function",
    ],
    ...[
      "Traceback (most recent call last)",
      "Exception in thread main",
      "unexpected token at line 5",
      "'no such file'",
    ],
    ...[
      "error[E0382]: borrow of moved value",
      "thread 'main' panicked at src/main.rs:4",
      "java.lang.NullPointerException: null",
    ],
    ...[
      "ENOENT: no such file or directory",
      "fatal: not a git repository",
      "Caused by: timeout",
      "ValueError: bad input",
      '"a::b"',
    ],
  ],
  [
    "natural_language",
    ...[
      "don't retry",
      "where is rate limiting done",
      "how does login work",
      "connection pool",
      "parse the user's config",
    ],
    ...[
      "class hierarchy of widgets",
      "what's the default timeout",
      "read/write lock fairness",
      "retry with backoff",
      "C++",
    ],
    ...[
      "how are errors handled",
      "function that validates tokens",
      "it's broken",
      "id",
      "😀",
      "404",
      "where is ValidationError raised",
    ],
    ...["type inference", "explain src/auth/jwt.rs to me please", "user authentication flow", '"unbalanced quote here'],
  ],
];

const cases = LABELLED.flatMap(([intent, ...queries]) => queries.map((query) => [query, intent] as const));

test(`at least 95 % of ${cases.length} labelled queries are classified correctly`, () => {
  const wrong = cases.filter(([query, intent]) => classify(query) !== intent);
  expect(cases.length).toBeGreaterThanOrEqual(60);
  expect(wrong.map(([query, intent]) => `${query}: ${classify(query)}, not ${intent}`)).toEqual([]);
});

test("text around a query changes nothing", () => {
  for (const [query, intent] of cases) expect(classify(`  ${query}\n`)).toBe(intent);
});

test("no text is refused", () => {
  for (const query of ["", " ", "\ud800", "((((", "a".repeat(10_000), "\0", '"', "''", "/", "::", "..."])
    expect(classify(query)).toBeTypeOf("string");
});
