import { expect, test } from "vitest";
import { estimateTokens } from "./tokens.ts";

/** Counts of a public 200k-entry BPE vocabulary, counted once. */
const check = (text: string, counted: number) =>
  test(`tokens of ${JSON.stringify(text).slice(0, 50)}`, () => {
    const guess = estimateTokens(text);
    expect(guess).toBeGreaterThanOrEqual(counted * 0.85);
    expect(guess).toBeLessThanOrEqual(Math.max(counted + 3, counted * 1.6));
  });
check("pub fn validate_token(token: &str, key: &[u8]) -> Result<Claims> {", 21);
check('{"path":"src/auth/jwt.rs","line_start":87,"line_end":112,"kind":"fn"}', 23);
check("const answer = await fetchJSON(base + path);", 10);
check("    for (int i = 0; i < 10; i++) {\n        total += values[i];\n    }\n", 25);
check("Returns the default configuration of a project, or nothing.", 11);
check("def __init__(self, *args, **kwargs):\n    super().__init__(*args, **kwargs)\n", 22);
check("XMLHttpRequest readyState onreadystatechange", 7);
check("0123456789 3.14159 42", 10);

test("nothing costs nothing", () => expect(estimateTokens("")).toBe(0));

test("never below 1.3 × the words", () => {
  for (const text of ["a b c d e f", "- - - -", "let x = 1;\n\n  let y = 2;"]) {
    const words = text.split(/\s+/).filter(Boolean).length;
    expect(estimateTokens(text)).toBeGreaterThanOrEqual(1.3 * words);
  }
});

test("more text never costs less", () => {
  const text = "pub fn validate_token(token: &str) -> Result<Claims, AuthError> {\n    decode(token)\n}\n";
  for (let i = 1; i < text.length; i++)
    expect(estimateTokens(text.slice(0, i))).toBeLessThanOrEqual(estimateTokens(text) + 1);
});
