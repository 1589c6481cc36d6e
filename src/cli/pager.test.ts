import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { sandbox } from "../../test/kit/sandbox.ts";
import { createPager } from "./pager.ts";

const box = sandbox();
afterAll(() => box[Symbol.dispose]());

async function paged(lines: number, pager: string): Promise<string[]> {
  const shown: string[] = [];
  const view = createPager({ rows: 10, env: { ...process.env, PAGER: pager }, write: (text) => shown.push(text) });
  view.after(() => shown.push("below"));
  for (let line = 0; line < lines; line++) view.out(`${line}\n`);
  await view.end();
  return shown;
}

test("what fits the screen is written at once", async () => {
  expect(await paged(3, "exit 1; x")).toEqual(["0\n1\n2\n", "below"]);
});

test("more goes to the pager, and notes come after it", async () => {
  const file = join(box.tree({}), "paged.txt");
  expect(await paged(12, `cat > '${file}'`)).toEqual(["below"]);
  expect(readFileSync(file, "utf8").split("\n")).toHaveLength(13);
});

test("a pager that ends early, is missing or unwanted", async () => {
  expect(await paged(20_000, "true")).toEqual(["below"]);
  expect(await paged(20, "no-such-pager-program 2> /dev/null")).toHaveLength(2);
  expect(await paged(12, "cat")).toHaveLength(2);
});
