/** What is said of languages whose uses are not known. */
import { expect, test } from "vitest";
import { indexTree } from "../../test/kit/index-tree.ts";
import { languageById } from "../languages/index.ts";
import { languagesWithoutReferences, textMatches, undefinedInText } from "./find-references.ts";

test("only languages with symbols and without references are reported", async () => {
  const { at } = await indexTree({ "a.ts": "export const a = 1;\n", "b.sh": "go() { :; }\n", "c.md": "# c\n" });
  const expected = languageById("bash")!.edges === undefined ? [{ language: "bash", files: 1 }] : [];
  expect(languagesWithoutReferences(at)).toEqual(expected);
});

test("literal matches are whole words of the language's files", async () => {
  const { at } = await indexTree({
    "a.sh": "deploy() { :; }\n",
    "b.sh": "  deploy now\nredeploy\n",
    "c.ts": "deploy();\n",
  });
  expect(await textMatches("deploy", ["bash"], at)).toEqual([
    { path: "a.sh", line: 1, context: "deploy() { :; }" },
    { path: "b.sh", line: 1, context: "deploy now" },
  ]);
});

test("a name that no symbol has is looked up in languages without symbols", async () => {
  const { at } = await indexTree({
    "a.ts": "export const a = 1;\n",
    "b.rst": "PlaceOrder\nPlaceOrders\n",
    "c.tf": "x = 1\n",
  });
  expect(await undefinedInText("PlaceOrder", at)).toEqual({
    languages: [{ language: "restructuredtext", files: 1 }],
    matches: [{ path: "b.rst", line: 1, context: "PlaceOrder" }],
  });
});
