import { expect, test } from "vitest";
import { barLine } from "./progress.ts";

const at = (stage: "scanning" | "parsing" | "finalizing", filesIndexed: number) =>
  barLine({ stage, filesScanned: 50, filesTotal: 100, filesIndexed, symbolsExtracted: 0 });

test("the bar says how far and with what", () => {
  expect(at("scanning", 0)).toBe(`${"░".repeat(24)}   0% Scanning files: 50 discovered`);
  expect(at("parsing", 50)).toBe(`${"█".repeat(10)}${"░".repeat(14)}  40% Parsing files: 50/100 (50%)`);
  expect(at("finalizing", 100)).toContain("97% Finalizing");
});
