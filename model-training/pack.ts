/**
 * Converts the training output into the shipped file: `node model-training/pack.ts TRAINED.bin [OUT]`.
 * TRAINED.bin is written by export.py: "CCEM", a JSON header, the words, two weights per token, the query map, int8 rows.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { createHash } from "../src/adapters/hash/hashes.ts";
import { type ModelParts, openModel, packModel } from "../src/embed/static-model.ts";

const SHIPPED = join(import.meta.dirname, "../assets/model/codestatic.bin");

interface TrainedHeader {
  readonly format: number;
  readonly vocab: number;
  readonly dim: number;
  readonly vocabBytes: number;
}

function readTrained(file: string): ModelParts {
  const bytes = readFileSync(file);
  if (bytes.toString("latin1", 0, 4) !== "CCEM") throw new Error(`${file} was not written by export.py`);
  const headerBytes = bytes.readUInt32LE(4);
  const header = JSON.parse(bytes.toString("utf8", 8, 8 + headerBytes).replace(/\0+$/, "")) as TrainedHeader;
  if (header.format !== 2) throw new Error(`${file} has format ${header.format}: train it again`);
  let at = 8 + headerBytes;
  const words = bytes.toString("utf8", at, at + header.vocabBytes).split("\n");
  at += Math.ceil(header.vocabBytes / 4) * 4;
  const take = (length: number) => {
    const part = bytes.buffer.slice(bytes.byteOffset + at, bytes.byteOffset + at + length) as ArrayBuffer;
    at += length;
    return part;
  };
  return {
    dims: header.dim,
    words,
    queryWeights: new Float32Array(take(4 * header.vocab)),
    documentWeights: new Float32Array(take(4 * header.vocab)),
    queryMap: new Float32Array(take(4 * header.dim * header.dim)),
    rows: new Int8Array(take(header.vocab * header.dim)),
  };
}

const [trained, out = SHIPPED] = process.argv.slice(2);
if (trained === undefined) throw new Error("usage: node model-training/pack.ts TRAINED.bin [OUT]");
const packed = packModel(readTrained(trained), { crc32, blake3: await createHash() });
const { fingerprint, dims, vocabulary } = openModel(packed, crc32);
writeFileSync(out, packed);
console.log(`${out}: ${packed.length} bytes, ${vocabulary.size} tokens × ${dims}, ${fingerprint}`);
