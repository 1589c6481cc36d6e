import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { LANGUAGES } from "../../languages/index.ts";
import { mended } from "./grammar-patches.ts";
import { TreeSitterGrammars } from "./grammars.ts";
import { grammarSources } from "./locate.ts";

test("Swift's raw strings are read whatever lies in memory", async () => {
  const grammars = new TreeSitterGrammars(grammarSources(LANGUAGES.filter(({ id }) => id === "swift")));
  await grammars.prepare(["swift"]);
  const text = 'func f() { let a = #"x \\#(b) y"# }\n'.repeat(10);
  for (let round = 1; round <= 10; round++) {
    const { outcome, definitions } = grammars.parse("swift", text, 30_000);
    expect([outcome, definitions.length]).toEqual(["clean", 10]);
    grammars.parse("swift", "class B { func c( { if let d = x ".repeat(round), 30_000);
  }
});

test("a grammar that asks for its room, or of which it is not clear, stays as it is", () => {
  const broken = [0x41, 0, 0x41, 4, 0x10, 0, 0x0b];
  const of = (...bytes: number[]) => Buffer.from(bytes);
  expect([...mended(of(1, ...broken, 2))]).toEqual([1, 0x41, 1, 0x41, 4, 0x10, 0, 0x0b, 2]);
  for (const wasm of [of(), of(...broken.with(1, 1)), of(...broken, ...broken)]) expect(mended(wasm)).toBe(wasm);
});

const SEARCHING = ["c", "cpp", "csharp", "go", "java", "javascript", "python", "rust", "scala", "tsx"];
const sources = grammarSources(LANGUAGES);
const wasmOf = (id: string) => readFileSync(sources.get(id)!.wasmPath);

test("what is known of the grammars holds for those that are installed", () => {
  const differing = [...sources.keys()].filter((id) => {
    const wasm = wasmOf(id);
    return mended(wasm) !== wasm;
  });
  expect(differing.sort()).toEqual([...SEARCHING, "swift"].sort());
});

test("a sign is found in ranges by the new code exactly where the old one finds it", () => {
  const [before, after] = [wasmOf("c"), mended(wasmOf("c"))].map(setContains) as [SetContains, SetContains];
  const sets = [
    [
      [36, 36],
      [48, 57],
      [65, 90],
      [95, 95],
      [97, 122],
      [170, 170],
      [0x4e00, 0x9fff],
      [0x10000, 0x1000b],
    ],
    [[48, 57]],
    [
      [9, 13],
      [32, 32],
    ],
    [
      [0, 0],
      [127, 128],
      [130, 0x10ffff],
    ],
    Array.from({ length: 700 }, (_, i) => [10 + 7 * i, 12 + 7 * i]),
  ];
  for (const set of sets) {
    const around = set.flatMap(([start, end]) => [start! - 1, start!, end!, end! + 1]);
    const signs = [-1, 0, 1, 127, 128, 129, 0x10ffff, ...around];
    expect(signs.map((sign) => after(set, sign))).toEqual(signs.map((sign) => before(set, sign)));
  }
});

type SetContains = (ranges: readonly number[][], sign: number) => number;

interface Exports {
  readonly f: (ranges: number, count: number, sign: number) => number;
  readonly m: { readonly buffer: ArrayBuffer };
}

const { WebAssembly } = globalThis as unknown as {
  WebAssembly: {
    Module: new (bytes: Uint8Array) => object;
    Instance: new (module: object) => { readonly exports: Exports };
  };
};

/** The function alone, as a module with one page of memory. */
function setContains(wasm: Uint8Array): SetContains {
  const start = Buffer.from(wasm).indexOf(Buffer.from("01067f4100210341012104", "hex"));
  const at = start >= 0 ? start : Buffer.from(wasm).indexOf(Buffer.from("01017f20024180014904400340", "hex"));
  const body = Buffer.from(wasm).subarray(at, at + 121);
  const bytes = Uint8Array.of(
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...[1, 8, 1, 0x60, 3, 0x7f, 0x7f, 0x7f, 1, 0x7f],
    ...[3, 2, 1, 0],
    ...[5, 3, 1, 0, 1],
    ...[7, 9, 2, 1, 0x66, 0, 0, 1, 0x6d, 2, 0],
    ...[10, body.length + 2, 1, body.length, ...body],
  );
  const { f, m } = new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports;
  return (ranges, sign) => {
    new Int32Array(m.buffer).set(ranges.flat(), 2);
    return f(8, ranges.length, sign);
  };
}
