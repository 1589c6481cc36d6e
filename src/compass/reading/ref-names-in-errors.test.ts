import { expect, test } from "vitest";
import { CompassError } from "../../model/errors.ts";
import { withCallersRefName } from "./reading.ts";

const names = { view: "worktree", ref: "main" };
const refusing = (data: object) => ({
  ask: async (name: string) => {
    throw new CompassError("symbol_not_found", { name, ...data });
  },
});

test("a refusal about the view names the ref", async () => {
  const { ask } = withCallersRefName(refusing({ ref: "worktree" }), names);
  await expect(ask("x")).rejects.toMatchObject({ code: "symbol_not_found", data: { name: "x", ref: "main" } });
  await expect(ask("x")).rejects.toThrow(/main/);
});

test.each([{ ref: "other" }, {}])("what speaks of something else stays: %j", async (data) => {
  const { ask } = withCallersRefName(refusing(data), names);
  await expect(ask("x")).rejects.toMatchObject({ data: expect.objectContaining(data) });
});

test("answers go through", async () => {
  expect(await withCallersRefName({ twice: async (n: number) => 2 * n }, names).twice(4)).toBe(8);
});
