import { expect, test } from "vitest";
import { headings } from "./language.ts";

/** Each section as `name first-last`, lines counted from 1. */
function sections(text: string): string[] {
  return headings(text).definitions.map((it) => {
    expect(it.end).toBeLessThanOrEqual(text.length);
    expect(text.slice(0, it.end).split("\n").length).toBe(it.endRow + 1);
    expect(text.slice(0, it.start).split("\n").length).toBe(it.startRow + 1);
    return `${text.slice(it.nameStart, it.nameEnd)} ${it.startRow + 1}-${it.endRow + 1}`;
  });
}

const cases: readonly [title: string, text: string, expected: readonly string[]][] = [
  ["nested sections", "# A\none\n## B\ntwo\n\n### C\n## D\n# E\nlast\n", ["A 1-7", "B 3-6", "C 6-6", "D 7-7", "E 8-9"]],
  ["a level left out", "# A\n### B\n## C\n", ["A 1-3", "B 2-2", "C 3-3"]],
  ["underlines", "Title\n=====\n\nPart\n---\ntext", ["Title 1-6", "Part 4-6"]],
  ["closing marks", "## A ##\n# C#\n#\tTab\n", ["A 1-1", "C# 2-2", "Tab 3-3"]],
  ["no heading", "#hash\n####### seven\n    # code\n#\ntext\n\n---\n- item\n---\n| a |\n---\n", []],
  ["fenced code", "```sh\n# no\n~~~\n```\n# A\n~~~~\n# no\n~~~\n# no\n~~~~\n# B\n", ["A 5-10", "B 11-11"]],
  ["an open fence", "# A\n```\n# no\n", ["A 1-3"]],
  ["code in one line", "```x``` text\n# A\n", ["A 2-2"]],
  ["front matter", "---\ntitle: x\n---\n# A\n", ["A 4-4"]],
  ["comments", "<!--\n# no\n-->\n# A\n<!-- one line -->\n", ["A 4-5"]],
  ["carriage returns", "# A\r\n\r\nB\r\n---\r\ntext\r\n", ["A 1-5", "B 3-5"]],
  ["an empty text", "", []],
];

test.each(cases)("%s", (_, text, expected) => {
  expect(sections(text)).toEqual(expected);
});
