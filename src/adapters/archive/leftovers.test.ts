import {
  lutimesSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { removeLeftovers } from "./archives.ts";

const UUID = "9b1ab346-ea7a-4f8f-901f-aed1a92e3953";

test("what a killed export left is removed when it is old, and nothing else", async () => {
  const directory = mkdtempSync(join(tmpdir(), "leftovers-"));
  const now = Date.now();
  const make = (name: string, age: number, inside?: number) => {
    const path = join(directory, name);
    if (inside === undefined) writeFileSync(path, "");
    else {
      mkdirSync(path);
      writeFileSync(join(path, "files.bin"), "");
      utimesSync(join(path, "files.bin"), (now - inside) / 1_000, (now - inside) / 1_000);
    }
    utimesSync(path, (now - age) / 1_000, (now - age) / 1_000);
  };
  const [old, young] = [7_200_000, 60_000];
  make(`s.tar.zst.${UUID}.tmp`, old);
  make(".s.tar.zst.Ovwtui", old, old);
  // A repository may hold a link with such a name: what it leads to is not looked at.
  make(".s.tar.zst.Linked", old, old);
  const link = join(directory, ".s.tar.zst.Linked", "outside");
  symlinkSync(tmpdir(), link);
  for (const path of [link, join(link, "..")]) lutimesSync(path, (now - old) / 1_000, (now - old) / 1_000);
  const stay: [string, number, number?][] = [
    ["s.tar.zst", old],
    [`s.tar.zst.${UUID.replace("9", "8")}.tmp`, young],
    [".s.tar.zst.rarpU5", old, young],
    ["s.tar.zst.bak", old],
    ["s.tar.zst.mine.tmp", old],
    [`sxtar.zst.${UUID}.tmp`, old],
    [".s.tar.zst.notes-of-mine", old, old],
  ];
  for (const one of stay) make(...one);
  await removeLeftovers(join(directory, "s.tar.zst"), now);
  expect(readdirSync(directory).sort()).toEqual(stay.map(([name]) => name).sort());
  rmSync(directory, { recursive: true });
});
