import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { expect, test } from "vitest";
import { changeLines, referenceLines } from "./layouts.ts";
import { MODEL_VIEW } from "./style.ts";

const SYMBOL = { path: "src/store/session.ts", line_start: 1, kind: "fn", qualified_name: "session.open" };

test("20 uses fit their budget, whatever groups they are in, and a few keep their lines", () => {
  const context = "const session = await openSession(request.headers, { timeout: DEFAULT_TIMEOUT, retries: 3 });";
  const site = (at: number) => ({
    path: `test/integration/session_${at >> 1}.test.ts`,
    line_start: 100 + at,
    edge_type: "calls",
    context,
    ...(at % 3 > 0 && { resolution: "name_only", ...(at % 3 > 1 && { via: "Base" }) }),
  });
  const text = (sites: number) => {
    const references = Array.from({ length: sites }, (_, at) => site(at));
    return referenceLines({ symbol: SYMBOL, references, certain_references: sites }, MODEL_VIEW).join("\n");
  };
  expect(countTokens(text(20))).toBeLessThanOrEqual(450);
  expect(text(2)).toContain(context.slice(0, 60));
});

test("a comparison names each file once", () => {
  const change = (line_start: number) => ({
    change_type: "modified",
    path: SYMBOL.path,
    before: SYMBOL,
    after: { ...SYMBOL, line_start },
  });
  const body = { base_ref: "main", head_ref: "HEAD", changes: [change(4), change(9)], merge_base_commit: "" };
  expect(changeLines(body, MODEL_VIEW).slice(1, 3)).toEqual([`~ ${SYMBOL.path}:4  fn open`, "~ :9  fn open"]);
  expect(changeLines(body, { ...MODEL_VIEW, terse: false })[2]).toBe(`~ ${SYMBOL.path}:9  fn session.open`);
});
