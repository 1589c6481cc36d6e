import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Registry } from "../../ports/registry.ts";
import { createHash } from "../hash/hashes.ts";
import { diskRegistry } from "./registry.ts";

const hash = await createHash();
const START = Date.UTC(2026, 0, 1);
const MINUTE = 60_000;
let home: string;
let now = START;
let one: Registry;
/** Of another process. */
let other: Registry;
const roots = async (registry = other) => (await registry.list()).map(({ root }) => root);
const used = async (root: string) => (await other.find(root))!.lastUsedAt;

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "registry-")));
  now = START;
  [one, other] = [diskRegistry({ home, hash, now: () => now }), diskRegistry({ home, hash, now: () => now })];
});
afterEach(() => rmSync(home, { recursive: true }));

test("what one process adds another one finds, in the order of paths", async () => {
  await one.add("/w/b", "b");
  await other.add("/w/a", "a");
  expect(await roots(one)).toEqual(["/w/a", "/w/b"]);
  expect(await one.find("/w/a")).toMatchObject({ root: "/w/a", autoDiscovered: false, registeredAt: START });
  expect(await one.find("/w")).toBeUndefined();
});

test("a data directory that it makes is ignored by git; one that was there is left as it is", async () => {
  const inside = join(home, "made", "home");
  await diskRegistry({ home: inside, hash, now: () => now }).add("/w/a", "a");
  expect(readFileSync(join(inside, ".gitignore"), "utf8")).toBe("*\n");
  await one.add("/w/a", "a");
  expect(existsSync(join(home, ".gitignore"))).toBe(false);
});

test("removing forgets one tree and says whether it was known", async () => {
  const [kept] = [await one.add("/w/a", "shared"), await one.add("/w/b", "shared")];
  expect(await other.remove("/w/b")).toBe(true);
  expect(await one.remove("/w/b")).toBe(false);
  expect(await one.remove("/w/never")).toBe(false);
  expect(await roots()).toEqual(["/w/a"]);
  expect((await one.find("/w/a"))!.storeLocation).toBe(kept.storeLocation);
});

test("removing leaves the index alone", async () => {
  const { storeLocation } = await one.add("/w/a", "a");
  mkdirSync(storeLocation, { recursive: true });
  await one.remove("/w/a");
  expect(await one.holds(storeLocation)).toBe(true);
});

test("touching remembers the time of use and changes nothing else", async () => {
  await one.add("/w/a", "a", { autoDiscovered: true });
  const before = (await one.find("/w/a"))!;
  now = START + 10 * MINUTE;
  await one.touch(before);
  expect(await other.find("/w/a")).toEqual({ ...before, lastUsedAt: now });
});

test("touching again within a minute writes nothing", async () => {
  await one.add("/w/a", "a");
  now = START + 10 * MINUTE;
  await one.touch((await one.find("/w/a"))!);
  const first = await used("/w/a");
  now += MINUTE / 2;
  await one.touch((await one.find("/w/a"))!);
  expect(await used("/w/a")).toBe(first);
});

test("touching a tree that was removed meanwhile does not bring it back", async () => {
  const row = await one.add("/w/a", "a");
  await other.remove("/w/a");
  now = START + 10 * MINUTE;
  await one.touch(row);
  expect(await roots()).toEqual([]);
});

test("what a person registers stays registered, also where a server had discovered it", async () => {
  await one.add("/w/a", "a", { autoDiscovered: true });
  await one.add("/w/a", "a");
  expect((await other.find("/w/a"))!.autoDiscovered).toBe(false);
});

test("only an index in the data directory is held, links followed", async () => {
  const { storeLocation } = await one.add("/w/a", "a");
  mkdirSync(storeLocation, { recursive: true });
  const outside = join(home, "outside");
  mkdirSync(outside);
  symlinkSync(outside, join(home, "stores", "link"));
  expect(await one.holds(storeLocation)).toBe(true);
  for (const at of [outside, join(home, "stores", "link"), join(home, "stores", "none")])
    expect(await one.holds(at)).toBe(false);
});

test("one flipped bit anywhere in a registration is noticed, named, and repaired by registering again", async () => {
  const whole = await one.add("/w/a", "a");
  await one.add("/w/b", "b");
  const file = join(home, "workspaces", `${whole.id}.json`);
  const bytes = readFileSync(file);
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const damaged = Buffer.from(bytes);
    damaged[bit >> 3]! ^= 1 << (bit & 7);
    writeFileSync(file, damaged);
    const found = await other.find("/w/a").catch((error: unknown) => error);
    // White space around the text means nothing.
    if (!(found instanceof Error)) expect(found).toEqual({ ...whole, lastUsedAt: expect.any(Number) });
    else expect(found).toMatchObject({ code: "workspace_not_registered", message: expect.stringContaining(file) });
    expect(await roots()).toContain("/w/b");
    const named = { file, reason: expect.any(String) };
    expect(await other.damaged()).toEqual(found instanceof Error ? [expect.objectContaining(named)] : []);
  }
  await one.add("/w/a", "a");
  expect(await roots()).toEqual(["/w/a", "/w/b"]);
});

test("a registration of an earlier release, without a checksum, is read", async () => {
  const { id } = await one.add("/w/a", "a");
  const file = join(home, "workspaces", `${id}.json`);
  const { checksum: _, ...row } = JSON.parse(readFileSync(file, "utf8"));
  writeFileSync(file, JSON.stringify(row));
  expect(await other.find("/w/a")).toMatchObject({ id, root: "/w/a" });
});
