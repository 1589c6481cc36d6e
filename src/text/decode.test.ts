import { Buffer } from "node:buffer";
import { expect, test } from "vitest";
import { decode } from "./decode.ts";
import { lineStarts } from "./lines.ts";

const utf16be = (text: string) => Buffer.from(text, "utf16le").swap16();
const check = (name: string, bytes: Uint8Array, text: string | undefined, lossy = false) =>
  test(name, () => {
    expect(decode(bytes)).toEqual(text && { text, lossy });
  });

check("ASCII", Buffer.from("let a;\n"), "let a;\n");
check("UTF-8", Buffer.from("// grün 😀\n"), "// grün 😀\n");
check("UTF-8 with a mark", Buffer.from("\uFEFFa\nb"), "a\nb");
check("UTF-16 LE", Buffer.from("\uFEFFa\nbü", "utf16le"), "a\nbü");
check("UTF-16 BE", utf16be("\uFEFFa\nbü"), "a\nbü");
check("UTF-16 with a lone surrogate", Buffer.from("\uFEFFa\ud800b", "utf16le"), "a\uFFFDb", true);
check("UTF-16 with a NUL", Buffer.from("\uFEFFa\0b", "utf16le"), undefined);
check("NUL inside", Buffer.from("a\0b"), undefined);
check("NUL far inside", Buffer.concat([Buffer.alloc(10_000, "x"), Buffer.from([0])]), undefined);
check("Latin-1", Buffer.from("// café, déjà\n", "latin1"), "// café, déjà\n");
check("Windows-1252 quotes", Buffer.from([0x93, 0x61, 0x94]), "“a”");
check("Shift-JIS", Buffer.from([0x2f, 0x2f, 0x82, 0xb1, 0x82, 0xf1, 0x93, 0xfa, 0x96, 0x7b, 0x0a]), "//こん日本\n");
check("GB18030", Buffer.from([0x2f, 0x2f, 0xd6, 0xd0, 0xce, 0xc4, 0xd7, 0xa2, 0xca, 0xcd, 0x0a]), "//中文注释\n");
check(
  "UTF-8 with one broken byte",
  Buffer.concat([Buffer.from("grün "), Buffer.from([0xff]), Buffer.from(" öl")]),
  "grün \uFFFD öl",
  true,
);
check(
  "an encoded surrogate among UTF-8",
  Buffer.concat([Buffer.from("üöäß"), Buffer.from([0xed, 0xa0, 0x80])]),
  "üöäß\uFFFD\uFFFD\uFFFD",
  true,
);

const latin1 = (text: string) => Buffer.from(text, "latin1");
const mixture = (...parts: readonly Buffer[]) => Buffer.concat(parts);
check(
  "a line of UTF-8 among more Latin-1",
  mixture(latin1("caf\xe9 d\xe9j\xe0\n"), Buffer.from("naïve\n"), latin1("\xe0 la\n")),
  "café déjà\nnaïve\nà la\n",
);
check(
  "UTF-8 and Latin-1 in one line",
  mixture(latin1("\xe9\xe8\xea "), Buffer.from("naïve →"), latin1(" \xe9")),
  "éèê naïve → é",
);
check("UTF-8 with a mark, then Latin-1", mixture(Buffer.from("\uFEFFü\n"), latin1("\xe9 \xe8 \xea\n")), "ü\né è ê\n");
check("ß before a quotation mark", latin1("Spa\xdf\x93 f\xfcr\nFu\xdf\x94 \xfc\xf6"), "Spaß“ für\nFuß” üö");
check(
  "UTF-8 among Shift-JIS",
  mixture(Buffer.from("naïve\n"), Buffer.from([0x82, 0xb1, 0x82, 0xf1, 0x93, 0xfa, 0x96, 0x7b, 0x0a])),
  "naïve\nこん日本\n",
);
// As UTF-8, the second line would be "û".
check(
  "GB18030 with a line that is UTF-8 by chance",
  Buffer.from([0xd6, 0xd0, 0xce, 0xc4, 0x0a, 0xc3, 0xbb]),
  "中文\n没",
);
check(
  "a sequence that is cut off at the end of a line",
  mixture(latin1("\xe9\xe9\xe9 \xe2\x82\n"), Buffer.from("€\n")),
  "ééé â‚\n€\n",
);

test("empty", () => expect(decode(Buffer.alloc(0))).toEqual({ text: "", lossy: false }));

const lines = (name: string, text: string, count: number) =>
  test(`lines: ${name}`, () => expect(lineStarts(decode(Buffer.from(text))!.text)).toHaveLength(count));
lines("CRLF is one break", "a\r\nb\r\n", 2);
lines("a lone CR is none", "a\rb\rc\n", 1);
lines("no last newline", "a\nb", 2);
lines("other separators are none", "a\u2028b\u0085c\fd\n", 1);
