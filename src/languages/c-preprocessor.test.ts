import { expect, test } from "vitest";
import { firstBranches, withoutMacros } from "./c-preprocessor.ts";

const quiet = (text: string, expected: string) =>
  test(JSON.stringify(text), () => {
    const seen = withoutMacros(text);
    expect(seen).toHaveLength(text.length);
    expect(seen.replace(/[ \t]+/g, " ").trim()).toBe(expected);
  });

quiet("UV_EXTERN int uv_run(uv_loop_t* loop);", "int uv_run(uv_loop_t* loop);");
quiet("static INLINE int f(void) {", "static int f(void) {");
quiet("class API_EXPORT Foo : public Bar {", "class Foo : public Bar {");
quiet("namespace a {\nNAMESPACE_BEGIN\nint x;", "namespace a {\n \nint x;");
quiet("void lock() EXCLUSIVE_LOCK(mu_) {", "void lock() {");
quiet("DWORD GetLast(void);", "DWORD GetLast(void);");
quiet("enum {\n  GUEST,\n  MEMBER\n};", "enum {\n GUEST,\n MEMBER\n};");
quiet("int x = LIMIT;", "int x = LIMIT;");
quiet("#define LIMIT 3\n", "#define LIMIT 3");

test("one way through conditionals", () => {
  const text = "#if A\nfor (;x;) {\n#else\nfor (;;) {\n#endif\n}\n#if 0\nold\n#else\nnew\n#endif";
  const seen = firstBranches(text, (condition) => condition === "0");
  expect(seen).toHaveLength(text.length);
  expect(seen.split("\n").map((line) => line.trim())).toEqual([
    "",
    "for (;x;) {",
    "",
    "",
    "",
    "}",
    "",
    "",
    "",
    "new",
    "",
  ]);
});
