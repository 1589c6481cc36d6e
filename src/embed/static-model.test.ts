import { crc32 } from "node:zlib";
import { describe, expect, test } from "vitest";
import { createHash } from "../adapters/hash/hashes.ts";
import { StaticEncoder } from "./static-encoder.ts";
import { openModel, packModel } from "./static-model.ts";
import { Tokenizer } from "./tokens.ts";

const WORDS = ["http", "server", "parse", "9", "tok", "##en", "##izer", "s", "##s", "x"];
const DIMS = 4;

async function smallModel(): Promise<Uint8Array> {
  const rows = Int8Array.from({ length: WORDS.length * DIMS }, (_, i) => ((i * 37) % 255) - 127);
  const weights = (from: number) => Float32Array.from(WORDS, (_, i) => from + i / 10);
  const queryMap = Float32Array.from({ length: DIMS * DIMS }, (_, i) => (i % (DIMS + 1) === 0 ? 1 : 0.25));
  const parts = { dims: DIMS, words: WORDS, queryWeights: weights(1), documentWeights: weights(2), queryMap, rows };
  return packModel(parts, { crc32, blake3: await createHash() });
}

describe("tokens", () => {
  const check = (text: string, tokens: string) =>
    test(JSON.stringify(text), async () => {
      const found: string[] = [];
      new Tokenizer(openModel(await smallModel(), crc32)).each(text, (token) => found.push(WORDS[token]!));
      expect(found.join(" ")).toBe(tokens);
    });

  check("HTTPServer", "http server");
  check("parse_HTTP9", "parse http 9");
  check("http-servers", "http server ##s");
  check("Tokenizers", "tok ##en ##izer ##s");
  check("naïve ünter", "");
  check("tok😀s", "tok s");
  check(`${"q".repeat(80)} x`, "x");
  check("", "");
});

test("what is packed is what is opened, and its fingerprint is that of its body", async () => {
  const bytes = await smallModel();
  const model = openModel(bytes, crc32);
  expect(model.dims).toBe(DIMS);
  expect([...model.queryWeights.slice(0, 2)]).toEqual([1, Math.fround(1.1)]);
  expect(model.fingerprint).toBe((await createHash())(bytes.subarray(64)));
});

test("bytes at an odd place in a larger buffer are read, too", async () => {
  const bytes = await smallModel();
  const shifted = new Uint8Array(bytes.length + 3);
  shifted.set(bytes, 3);
  expect(openModel(shifted.subarray(3), crc32).vocabulary.size).toBe(WORDS.length);
});

describe("bad files are refused", () => {
  const check = (what: string, change: (bytes: Uint8Array) => Uint8Array, why: RegExp) =>
    test(what, async () => {
      const bytes = change(await smallModel());
      expect(() => openModel(bytes, crc32)).toThrow(why);
    });
  const flip = (at: number) => (bytes: Uint8Array) => bytes.with(at < 0 ? bytes.length + at : at, 0xaa);

  check("empty", () => new Uint8Array(0), /cut short/);
  check("cut", (bytes) => bytes.slice(0, -1), /cut short/);
  check("longer", (bytes) => Uint8Array.from([...bytes, 0]), /tail/);
  check("something else", () => new Uint8Array(500).fill(7), /not a model/);
  check("another version", flip(4), /format/);
  check("a flipped bit in a row", flip(-40), /damaged/);
});

test("a question goes through the model's map, a passage does not", async () => {
  const model = openModel(await smallModel(), crc32);
  const plain = { ...model, queryMap: Float32Array.from({ length: DIMS * DIMS }, (_, i) => (i % (DIMS + 1) ? 0 : 1)) };
  const [given, unmapped] = [new StaticEncoder(model), new StaticEncoder(plain)];
  expect([...given.query("parse http")!]).not.toEqual([...unmapped.query("parse http")!]);
  expect([...given.document({ text: "parse http" })]).toEqual([...unmapped.document({ text: "parse http" })]);
});

test("a question without a known word has no vector, a text without one is like nothing", async () => {
  const encoder = new StaticEncoder(openModel(await smallModel(), crc32));
  expect(encoder.query("日本語 ???")).toBeUndefined();
  expect(encoder.query("tokizer")).toBeUndefined();
  expect(encoder.query("tokizer http")).toBeDefined();
  expect([...encoder.encodeAll([{ text: "日本語" }]).scales]).toEqual([0]);
});

test("one text does not change the vector of the next", async () => {
  const encoder = new StaticEncoder(openModel(await smallModel(), crc32));
  const alone = [...encoder.document({ text: "http server" })];
  encoder.document({ text: "parse parse tokens", path: "a/http.rs" });
  expect([...encoder.document({ text: "http server" })]).toEqual(alone);
});
