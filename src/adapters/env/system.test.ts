import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { systemEnv } from "./system.ts";

const env = systemEnv();

test("this process is alive, its predecessor with the same pid is not", () => {
  expect(env.isAlive(env.self)).toBe(true);
  expect(env.isAlive({ pid: env.self.pid, incarnation: "another boot:1" })).toBe(false);
});

test("a child is alive until it ends", async () => {
  const child = spawn(process.execPath, ["-e", "process.stdin.resume()"], { stdio: ["pipe", "ignore", "ignore"] });
  await once(child, "spawn");
  expect(env.isAlive({ pid: child.pid!, incarnation: "another boot:1" })).toBe(process.platform !== "linux");
  child.stdin.end();
  await once(child, "exit");
  expect(env.isAlive({ pid: child.pid!, incarnation: "any" })).toBe(false);
});

test("nonsense pids are dead", () => {
  for (const pid of [0, -1, 1.5, Number.NaN, 2 ** 40]) expect(env.isAlive({ pid, incarnation: "" })).toBe(false);
});

test("words are unique", () => expect(env.uniqueWord()).not.toBe(env.uniqueWord()));

test("memory without references is returned to the system", async () => {
  const held = new WeakRef({ large: new Uint8Array(1 << 20) });
  // A weak reference holds what it was made of until the end of the turn.
  await new Promise(setImmediate);
  env.freeMemory();
  expect(held.deref()).toBeUndefined();
});

test("an endless wait keeps no reference", async () => {
  const waiting = () => {
    const waiter = { large: new Uint8Array(1 << 20) };
    void env.sleep(Number.POSITIVE_INFINITY).then(() => waiter.large);
    return new WeakRef(waiter);
  };
  const held = waiting();
  await new Promise(setImmediate);
  env.freeMemory();
  expect(held.deref()).toBeUndefined();
});
