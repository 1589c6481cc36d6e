import { expect, test } from "vitest";
import type { FileRecord } from "../model/code.ts";
import type { ContentHash } from "../model/ids.ts";
import { CorruptionError } from "./bytes.ts";
import { decodeRecord, decodeText, encodeRecord, encodeText } from "./stored-content.ts";

const RECORD: FileRecord = {
  path: "src/auth/jwt.rs",
  contentHash: "ab".repeat(32) as ContentHash,
  language: "rust",
  lineCount: 40,
  byteCount: 900,
  symbols: [
    {
      kind: "module",
      name: "jwt",
      qualifiedName: "auth::jwt",
      span: { start: 0, end: 900, lineStart: 1, lineEnd: 40 },
      ordinal: 0,
    },
    {
      kind: "fn",
      name: "validate",
      qualifiedName: "auth::jwt::validate",
      span: { start: 10, end: 200, lineStart: 2, lineEnd: 9 },
      signature: "pub fn validate(token: &str) -> bool",
      visibilityKeyword: "pub",
      visibility: "public",
      parent: 0,
      ordinal: 1,
      doc: "Checks a token.",
      nameLine: 4,
    },
    {
      kind: "impl",
      name: "X",
      qualifiedName: "odd one",
      span: { start: 1, end: 2, lineStart: 1, lineEnd: 1 },
      ordinal: 0,
      signature: "",
    },
  ],
  chunks: [
    { lineStart: 1, lineEnd: 9, symbol: 1 },
    { lineStart: 10, lineEnd: 40 },
  ],
  problems: [{ kind: "parse_error", lines: [{ lineStart: 3, lineEnd: 4 }] }, { kind: "generated" }],
};

/** Too large to be stored as it is. */
const LARGE: FileRecord = {
  ...RECORD,
  symbols: Array.from({ length: 500 }, (_, ordinal) => ({ ...RECORD.symbols[1]!, ordinal })),
};

test("a record comes back as it went in", () => {
  for (const record of [RECORD, LARGE]) expect(decodeRecord(encodeRecord(record))).toEqual(record);
  expect(encodeRecord(LARGE).length).toBeLessThan(8_000);
});

test.each(["", "plain", "\ufeffmark", "ümläut 𝒳 \u0000 end", "line\r\n".repeat(5000)])(
  "text comes back: %j",
  (text) => {
    expect(decodeText(encodeText(text))).toBe(text);
  },
);

test("every flipped byte and every cut is found", () => {
  for (const [bytes, decode] of [
    [encodeRecord(RECORD), decodeRecord],
    [encodeRecord(LARGE), decodeRecord],
    [encodeText("some text"), decodeText],
  ] as const) {
    for (let at = 0; at < bytes.length; at++) {
      const damaged = bytes.slice();
      damaged[at]! ^= 1 << (at % 8);
      expect(() => decode(damaged)).toThrow(CorruptionError);
      expect(() => decode(bytes.slice(0, at))).toThrow(CorruptionError);
    }
  }
});

test("a text is not taken for a record", () => expect(() => decodeRecord(encodeText("{}"))).toThrow(CorruptionError));
