import { expect, test } from "vitest";
import { LANGUAGES } from "../../languages/index.ts";
import { TreeSitterGrammars } from "./grammars.ts";
import { grammarSources } from "./locate.ts";

test("Swift's raw strings parse on uninitialized memory", async () => {
  const grammars = new TreeSitterGrammars(grammarSources(LANGUAGES.filter(({ id }) => id === "swift")));
  await grammars.prepare(["swift"]);
  const text = 'func f() { let a = #"x \\#(b) y"# }\n'.repeat(10);
  for (let round = 1; round <= 10; round++) {
    const { outcome, definitions } = grammars.parse("swift", text, 30_000);
    expect([outcome, definitions.length]).toEqual(["clean", 10]);
    grammars.parse("swift", "class B { func c( { if let d = x ".repeat(round), 30_000);
  }
});
