import { expect, test } from "vitest";
import { principalAuth } from "./principals.ts";

test("a flood of invented tokens neither delays nor evicts those that are valid", async () => {
  let now = 0;
  const waiting: (() => void)[] = [];
  const ownerOf = async (token: string) => {
    if (token === "good") return { id: 1, secret: "s" };
    await new Promise<void>((resolve) => waiting.push(resolve));
    return undefined;
  };
  const auth = principalAuth({ ownerOf, close: async () => {} }, () => now);
  expect((await auth.authenticate("good"))?.name).toBe("1");
  const flood = Array.from({ length: 200 }, (_, at) => auth.authenticate(`bad ${at}`));
  const refused = Promise.allSettled(flood);
  // What is cached of the good token has expired: it is looked up next to the others.
  now += 60_000;
  expect((await auth.authenticate("good"))?.name).toBe("1");
  expect(waiting).toHaveLength(16);
  for (const answer of waiting) answer();
  const outcomes = (await refused).map(({ status }) => status);
  expect(outcomes.filter((status) => status === "rejected")).toHaveLength(200 - 16);
  // There is room again.
  const next = auth.authenticate("bad again");
  waiting.at(-1)!();
  expect(await next).toBeUndefined();
});
