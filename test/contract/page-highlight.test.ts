/** Colours of an excerpt in the page, which may begin inside a docstring or a comment. */
import { expect, test } from "vitest";
import { startState, tokenize } from "../../ui/highlight.ts";

const check = (language: string, lines: readonly string[], state: string) =>
  test(`${language}: ${lines[0]}`, () => expect(startState(lines, language)).toBe(state));

check("python", ["The name option can be used to change it", "for the url.", '"""', "return None"], '"""');
check("python", ["from the given file", '"""'], '"""');
check("python", ["def total(items):", '    """Adds up the prices of all items."""'], "");
check("python", ["if name is not None and count in items:", "    return 'the name of the item'"], "");
check("typescript", [" * Adds up the prices.", " */", "export function total() {"], "*/");
check("go", ["*count = 1", "return *count * 2"], "");
check("sql", ["create table users (id int)"], "");
check("markdown", ["Some words in a row"], "");

test("a docstring ends where its delimiter does", () => {
  const first = tokenize('used to change it"""', "python", startState(["name can be used to change it"], "python"));
  expect(first).toEqual({ tokens: [{ kind: "string", text: 'used to change it"""' }], state: "" });
});
