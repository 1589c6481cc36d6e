/** An exported index, read field by field as the public schema says. */
import { expect, test } from "vitest";
import { indexTree } from "../../test/kit/index-tree.ts";
import { encodeMetadata } from "../scip/encode.ts";
import { scipDocuments } from "./scip-documents.ts";

type Message = ReadonlyMap<number, readonly (number | Uint8Array)[]>;

function decode(bytes: Uint8Array): Message {
  const fields = new Map<number, (number | Uint8Array)[]>();
  let at = 0;
  const varint = () => {
    let [value, scale] = [0, 1];
    for (; bytes[at]! > 0x7f; scale *= 0x80) value += (bytes[at++]! & 0x7f) * scale;
    return value + bytes[at++]! * scale;
  };
  while (at < bytes.length) {
    const key = varint();
    const value = varint();
    const found = (key & 7) === 2 ? bytes.slice(at, at + value) : value;
    if ((key & 7) === 2) at += value;
    fields.set(key >> 3, [...(fields.get(key >> 3) ?? []), found]);
  }
  return fields;
}

const messages = (message: Message, field: number) => (message.get(field) ?? []).map((it) => decode(it as Uint8Array));
const text = (message: Message, field: number) => new TextDecoder().decode(message.get(field)?.[0] as Uint8Array);

const TREE = {
  "src/base.py": "class Base:\n    def run(self): pass\n",
  "src/main.py":
    "from base import Base\nclass Child(Base):\n    def run(self): pass\ndef go(it: Base):\n    it.run()\n    unknown.run()\n",
  "notes.txt": "Base",
};

test("definitions, imports and certain uses, with the bases of a type", async () => {
  const { at } = await indexTree(TREE);
  const { bytes, files, documents } = await scipDocuments({ offset: 0, limit: 10 }, at);
  expect([files, documents]).toEqual([3, 2]);
  const main = messages(decode(bytes), 2).find((it) => text(it, 1) === "src/main.py")!;
  expect([text(main, 4), main.get(6)]).toEqual(["Python", [2]]);
  const shown = messages(main, 2).map((it) => {
    const [line, start, end] = it.get(1)![0] as Uint8Array;
    return `${line}:${start}-${end} ${text(it, 2)} ${it.get(3)?.[0] ?? 0}`;
  });
  const base = "codecompass . . . `src/base.py`/Base#";
  const own = "codecompass . . . `src/main.py`/";
  expect(shown).toEqual([
    `0:17-21 ${base} 2`,
    `1:6-11 ${own}Child# 1`,
    `1:12-16 ${base} 0`,
    `2:8-11 ${own}Child#run(). 1`,
    `3:4-6 ${own}go(). 1`,
    `3:11-15 ${base} 0`,
    `4:7-10 ${base}run(). 0`,
  ]);
  const child = messages(main, 3).find((it) => text(it, 6) === "Child")!;
  expect(messages(child, 4).map((it) => [text(it, 1), it.get(3)])).toEqual([[base, [1]]]);
});

test("pages cover every file once", async () => {
  const { at } = await indexTree(TREE);
  const pages = await Promise.all([0, 1, 2, 3].map((offset) => scipDocuments({ offset, limit: 1 }, at)));
  expect(pages.map(({ files }) => files)).toEqual([1, 1, 1, 0]);
  expect(pages.reduce((sum, { documents }) => sum + documents, 0)).toBe(2);
});

test("metadata, and lengths of more than seven bits", () => {
  const root = `file:///${"x".repeat(300)}`;
  const [metadata] = messages(decode(encodeMetadata({ version: "1.2" }, root)), 1);
  const [tool] = messages(metadata!, 2);
  expect([text(tool!, 1), text(tool!, 2), text(metadata!, 3), metadata!.get(4)]).toEqual([
    "codecompass",
    "1.2",
    root,
    [1],
  ]);
});
