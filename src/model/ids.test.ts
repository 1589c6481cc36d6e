import { expect, test } from "vitest";
import { type ProjectId, projectId, resultId, type SymbolIdentity, symbolId, symbolStableId } from "./ids.ts";

/** A stand-in for BLAKE3: the digest is what the test says. */
const digest = (hex: string) => () => hex.padEnd(64, "0");
const identity: SymbolIdentity = { language: "rust", path: "a.rs", kind: "fn", qualifiedName: "a::f", ordinal: 0 };
const project = "0123456789abcdef" as ProjectId;

const check = (hex: string, word: string) =>
  test(`${hex || "0"} → ${word}`, () => expect(symbolId(project, identity, digest(hex))).toBe(`sym_${word}`));

check("", "0".repeat(26));
check("f".repeat(64), "Z".repeat(26));
check("08421", `1111${"0".repeat(22)}`);
check("0000000000000000000000000000000010", `${"0".repeat(25)}0`);
check("0000000000000000000000000000000040", `${"0".repeat(25)}1`);

test("a stable id forgets the path, a symbol id does not", () => {
  const seen: string[] = [];
  const hash = (input: string | Uint8Array) => {
    seen.push(String(input));
    return "ab".repeat(32);
  };
  symbolStableId(identity, hash);
  symbolId(project, identity, hash);
  expect(seen[0]).not.toContain("a.rs");
  expect(seen[1]).toContain("a.rs");
  expect(symbolStableId(identity, hash)).toBe(`b3:${"ab".repeat(32)}`);
  expect(resultId("snip", ["a", 1], hash)).toMatch(/^snip_[0-9]{1,16}$/);
  expect(projectId("/x", hash)).toBe("abababababababab");
});
