import { expect, test } from "vitest";
import { pathClasses, requestedClasses } from "./path-class.ts";

const check = (path: string, expected: string) =>
  test(path, () => expect([...new Set(pathClasses(path))].join(" ")).toBe(expected));
check("src/auth/jwt.rs", "");
check("packages/vitest/src/node/core.ts", "");
check("src/latest/contest.py", "");
check("lib/attestation.go", "");
check("tests/auth.rs", "test");
check("src/auth_test.go", "test");
check("src/test_auth.py", "test");
check("src/Button.spec.tsx", "test");
check("AppTests/Login.swift", "test");
check("core/src/UserServiceTest.java", "test");
check("src/__tests__/a.js", "test");
check("examples/login.rs", "example");
check("benches/parse.rs", "example");
check("vendor/jwt/lib.rs", "vendored");
check("third_party/zlib/inflate.c", "vendored");
check("api/user.pb.go", "generated");
check("src/legacy/old_api.ts", "compat");
check("docs/guide.md", "doc");
check("README.md", "doc");
check("package.json", "data");
check("Makefile", "data");
check("pkg/__init__.py", "entry");
check("types/index.d.ts", "declaration");
check("include/uv.h", "header");

const asks = (query: string, expected: string) =>
  test(`asked: ${query}`, () => expect([...requestedClasses(query)].join(" ")).toBe(expected));
asks("tests for the parser", "test");
asks("how does the test runner start", "");
asks("example of a custom handler", "example");
asks("deprecated options", "compat");
asks("where is the readme", "doc");
asks("how does login work", "");
