/** An index of a compiler is read as it is; a damaged or hostile file is refused, and costs no memory. */
import { expect, test } from "vitest";
import { inChunks, SHOP_SCIP } from "../../test/kit/shop.ts";
import { type DecodedDocument, readScip, ScipError } from "./decode.ts";
import { encodeDocument, encodeMetadata, join } from "./encode.ts";

async function read(bytes: Uint8Array, chunk?: number) {
  const found: { tool: string; documents: DecodedDocument[] } = { tool: "", documents: [] };
  for await (const part of readScip(inChunks(bytes, chunk)))
    if ("metadata" in part) found.tool = part.metadata.tool;
    else found.documents.push(part.document);
  return found;
}

const reasonOf = (bytes: Uint8Array) =>
  read(bytes).then(
    () => "none",
    (error: unknown) => (error instanceof ScipError ? error.message : error),
  );

const head = encodeMetadata({ version: "1" }, "file:///x");

test("an index of scip-typescript, whatever the chunks", async () => {
  const { tool, documents } = await read(SHOP_SCIP);
  expect(tool).toBe("scip-typescript 0.4.0");
  expect(documents.map(({ path, occurrences }) => `${path} ${occurrences.length}`)).toEqual([
    "src/shop.ts 37",
    "src/user.ts 26",
  ]);
  expect(documents[0]!.occurrences[1]).toEqual({
    line: 0,
    start: 17,
    endLine: 0,
    end: 23,
    symbol: "scip-typescript npm shop 1.0.0 src/`shop.ts`/Source#",
    isDefinition: true,
  });
  expect(await read(SHOP_SCIP, 1)).toEqual({ tool, documents });
});

test("what scip export writes", async () => {
  const occurrence = { line: 300, start: 5, end: 8, symbol: "x . . . a/", role: "definition" } as const;
  const document = { path: "a.ts", language: "TypeScript", occurrences: [occurrence], symbols: [] };
  const { documents } = await read(join([head, encodeDocument(document)]));
  expect(documents).toEqual([
    {
      path: "a.ts",
      encoding: "utf16",
      occurrences: [{ line: 300, start: 5, endLine: 300, end: 8, symbol: "x . . . a/", isDefinition: true }],
    },
  ]);
});

test("ranges as messages, and fields that are not known", async () => {
  const occurrence = [0x12, 1, 0x73, 0x42, 4, 0x08, 7, 0x18, 3, 0x25, 0, 0, 0, 0];
  const document = [0x0a, 1, 0x61, 0x12, occurrence.length, ...occurrence, 0x39, 1, 2, 3, 4, 5, 6, 7, 8];
  const bytes = join([head, Uint8Array.of(0x12, document.length, ...document, 0x1a, 2, 1, 1)]);
  const { documents } = await read(bytes);
  const range = { line: 7, start: 0, endLine: 7, end: 3 };
  expect(documents).toEqual([{ path: "a", occurrences: [{ ...range, symbol: "s", isDefinition: false }] }]);
});

const long = (length: number) => [0xff, 0xff, 0xff, 0xff, 0x0f].slice(0, length);
const refused: readonly (readonly [string, Uint8Array, RegExp])[] = [
  ["nothing", new Uint8Array(), /empty/],
  ["a text", new TextEncoder().encode("Hello, world\n"), /metadata/],
  ["a length beyond the end", join([head, Uint8Array.of(0x12, 100, 1)]), /ends at byte \d+, inside/],
  ["a document of 32 gigabytes", join([head, Uint8Array.of(0x12, ...long(4), 0x7f)]), /too large/],
  ["a length inside beyond its message", join([head, Uint8Array.of(0x12, 3, 0x0a, 50, 1)]), /damaged/],
  ["a number without an end", join([head, new Uint8Array(20).fill(0xff)]), /damaged|not a SCIP/],
  ["a document without a path", join([head, Uint8Array.of(0x12, 0)]), /no path/],
  [
    "a range of two",
    join([head, Uint8Array.of(0x12, 12, 0x0a, 1, 0x61, 0x12, 7, 0x0a, 2, 1, 2, 0x12, 1, 0x73)]),
    /range/,
  ],
  ["a negative line", join([head, Uint8Array.of(0x12, 10, 0x12, 8, 0x0a, 6, ...long(5), 1)]), /damaged/],
];
for (const [what, bytes, reason] of refused)
  test(`refused: ${what}`, async () => expect(await reasonOf(bytes)).toMatch(reason));

test("a cut or flipped file is refused or read, and never breaks the reader", async () => {
  for (let length = 1; length < SHOP_SCIP.length; length += 41) {
    const reason = await reasonOf(SHOP_SCIP.subarray(0, length));
    expect(typeof reason).toBe("string");
  }
  for (let at = 0; at < SHOP_SCIP.length; at += 13) {
    const bytes = Uint8Array.from(SHOP_SCIP);
    bytes[at]! ^= 0xff;
    expect(typeof (await reasonOf(bytes))).toBe("string");
  }
});
