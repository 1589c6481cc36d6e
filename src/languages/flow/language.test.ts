import { expect, test } from "vitest";
import flow, { isFlow } from "./language.ts";

test.each([
  ["/* @flow */ a;", true],
  ["#!/usr/bin/env node\n// @flow strict-local\n", true],
  ["// eslint-disable\n\n/**\n * Copyright\n */\n/**\n * @flow\n */\n", true],
  ["/** no pragma */\na; // @flow\n", false],
  ['"use strict";\n/* @flow */\n', false],
  ["// @noflow\n", false],
  ["// @flowing\n", false],
  ["/* @flow", false],
  ["", false],
])("%j is Flow: %s", (text, is) => expect(isFlow(text)).toBe(is));

test("a million unclosed comments take no quadratic time", () => {
  expect(isFlow(`${"//".repeat(500_000)}\n${"/* /".repeat(200_000)}@flow`)).toBe(false);
  expect(isFlow(`${"// /*\n".repeat(200_000)}@flow`)).toBe(false);
});

test.each([
  ["export opaque type A = string;", "export /****/ type A = string;"],
  ["type A = {+a: B, -b?: C, +[k: D]: E, ...};", "type A = { a: B,  b?: C,  [k: D]: E,    };"],
  ["type A = {|\n  +a: B,\n|};", "type A = {|\n   a: B,\n|};"],
  ["f({a: 1, ...}, ...b, {...c}, -d, +e)", "f({a: 1,    }, ...b, {...c}, -d, +e)"],
  ["const opaque = a - b;", "const opaque = a - b;"],
])("what TSX lacks is not shown to it: %s", (text, seen) => expect(flow.quiet!(text)).toBe(seen));

test("hostile texts are seen in no time that grows with their square", () => {
  for (const bomb of ["...", "{+", "opaque ", ", "]) {
    const text = `${bomb}${" ".repeat(300_000)}`.repeat(3);
    expect(flow.quiet!(text)).toBe(text);
  }
});
