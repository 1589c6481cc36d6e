import { expect, test } from "vitest";
import { notebookSource } from "./notebook.ts";

const cell = (kind: string, source: readonly string[], rest = {}) => ({ cell_type: kind, ...rest, source });
const notebook = (cells: readonly object[], language = "python") =>
  JSON.stringify(
    { cells, metadata: { language_info: { codemirror_mode: { name: "x" }, name: language } }, nbformat: 4 },
    null,
    1,
  );

test("code stays on its line of the JSON, prose becomes comments, outputs disappear", () => {
  const outputs = [
    { output_type: "display_data", data: { "image/png": "A".repeat(5_000), source: ["def no(): pass\n"] } },
  ];
  const json = notebook([
    cell("markdown", ["# Title\n", "text"]),
    cell("code", ["%matplotlib inline\n", "def f(x):\n", '    return "\\n" + x'], { execution_count: 1, outputs }),
  ]);
  const read = notebookSource(json)!;
  const lines = read.text.split("\n");
  expect(read.language).toBe("python");
  expect(lines.filter((it) => it !== "")).toEqual([
    "# %% cell 1 [markdown]",
    "# # Title",
    "# text",
    "# %% cell 2",
    "# %matplotlib inline",
    "def f(x):",
    '    return "\\n" + x',
  ]);
  expect(json.split("\n")[lines.indexOf("def f(x):")]).toContain("def f(x):");
  expect(lines.length).toBe(json.split("\n").length + 1);
});

test("the kernel names the language", () => {
  expect(notebookSource(notebook([cell("code", ["f(x) = 1"])], "julia"))!.language).toBe("julia");
});

test("a source before its kind, and a source in one string", () => {
  const json =
    '{\n "cells": [\n  {\n   "source": [\n    "a = 1"\n   ],\n   "cell_type": "code"\n  },\n  {\n   "cell_type": "code",\n   "source": "b = 2"\n  }\n ]\n}';
  const lines = notebookSource(json)!.text.split("\n");
  expect(lines[10]).toBe("b = 2");
});

test("what is no notebook stays as it is", () => {
  for (const text of [
    "",
    "{}",
    "[1]",
    '{"cells": []}',
    '{"cells": [{"cell_type": "code", "source": ["x"]}]}',
    '{\n "cells": [\n',
  ])
    expect(notebookSource(text)).toBeUndefined();
});
