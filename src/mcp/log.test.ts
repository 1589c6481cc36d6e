import { expect, test } from "vitest";
import { rateLimited } from "./process.ts";

test("a flood becomes a burst, a count and a trickle", () => {
  const written: string[] = [];
  let time = 0;
  const log = rateLimited(
    (text) => written.push(text),
    () => time,
  );
  for (let i = 0; i < 1_000; i++) log("again");
  expect(written).toHaveLength(50);
  time = 1_000;
  log("later");
  expect(written.at(-1)).toBe("codecompass: later (950 lines dropped)\n");
  log("x".repeat(10_000));
  expect(written.at(-1)!.length).toBeLessThan(2_100);
});

test("a path cannot steer the terminal that shows the log", () => {
  const written: string[] = [];
  const log = rateLimited(
    (text) => written.push(text),
    () => 0,
  );
  log("cannot read a\x1b[2J\r\u202e.rs\n    at stack");
  expect(written).toEqual(["codecompass: cannot read a\\u001b[2J\\u000d\\u202e.rs\n    at stack\n"]);
});
