import { expect, test } from "vitest";
import { withLanguageIds } from "./reading.ts";

const check = (word: string, ids: readonly string[]) =>
  test(word, () => expect(withLanguageIds({ languages: [word] }).languages).toEqual(ids));

check("rs", ["rust"]);
check("C#", ["csharp"]);
check("Python", ["python"]);
check("ts", ["typescript", "tsx"]);
check("markdown", ["markdown"]);

test("a word that means nothing is refused", () => {
  expect(() => withLanguageIds({ languages: ["klingon"] })).toThrow(/language must be one of/);
});

test("no filter stays no filter", () => {
  expect(withLanguageIds({})).toEqual({});
});
