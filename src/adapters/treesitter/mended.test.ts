import { expect, test } from "vitest";
import { LANGUAGES } from "../../languages/index.ts";
import { TreeSitterGrammars } from "./grammars.ts";
import { grammarSources } from "./locate.ts";
import { mended } from "./mended.ts";

test("Swift's raw strings are read whatever lies in memory", async () => {
  const grammars = new TreeSitterGrammars(grammarSources(LANGUAGES.filter(({ id }) => id === "swift")));
  await grammars.prepare(["swift"]);
  const text = 'func f() { let a = #"x \\#(b) y"# }\n'.repeat(10);
  for (let round = 1; round <= 10; round++) {
    const { outcome, definitions } = grammars.parse("swift", text, 30_000);
    expect([outcome, definitions.length]).toEqual(["clean", 10]);
    grammars.parse("swift", "class B { func c( { if let d = x ".repeat(round), 30_000);
  }
});

test("a grammar that asks for its room, or of which it is not clear, stays as it is", () => {
  const broken = [0x41, 0, 0x41, 4, 0x10, 0, 0x0b];
  const of = (...bytes: number[]) => Buffer.from(bytes);
  expect([...mended(of(1, ...broken, 2))]).toEqual([1, 0x41, 1, 0x41, 4, 0x10, 0, 0x0b, 2]);
  for (const wasm of [of(), of(...broken.with(1, 1)), of(...broken, ...broken)]) expect(mended(wasm)).toBe(wasm);
});
