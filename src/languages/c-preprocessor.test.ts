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
quiet("ZEXTERN int ZEXPORT deflateEnd(z_streamp strm);", "int deflateEnd(z_streamp strm);");
quiet("typedef struct state {\n int x;\n} FAR state_t;", "typedef struct state {\n int x;\n} state_t;");
quiet("typedef z_stream FAR *z_streamp;", "typedef z_stream *z_streamp;");
quiet("  struct internal_state FAR *state;", "struct internal_state *state;");
quiet("class API Foo {", "class Foo {");
quiet("  return WIDTH * height;", "return WIDTH * height;");
quiet("int area = f(a, WIDTH * b);", "int area = f(a, WIDTH * b);");
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
