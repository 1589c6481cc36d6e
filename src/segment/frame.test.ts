import { expect, test } from "vitest";
import type { CodeSymbol, FileRecord } from "../model/code.ts";
import type { ContentHash } from "../model/ids.ts";
import { CorruptionError } from "./bytes.ts";
import { PackedFrame, recordFrame } from "./frame.ts";
import { packRecord } from "./record-columns.ts";

/** A symbol on a line of its own. */
function symbol(line: number, name: string, qualifiedName: string, more: Partial<CodeSymbol> = {}): CodeSymbol {
  const span = { start: line * 100, end: line * 100 + 50, lineStart: line, lineEnd: line + 3 };
  return { kind: "fn", name, qualifiedName, span, ordinal: line % 3, ...more };
}

function record(...symbols: CodeSymbol[]): FileRecord {
  return {
    path: "src/auth/jwt.rs",
    contentHash: "ab".repeat(32) as ContentHash,
    language: "rust",
    lineCount: 40,
    byteCount: 900,
    symbols,
    chunks: [
      { lineStart: 1, lineEnd: 9, symbol: 1 },
      { lineStart: 10, lineEnd: 40 },
    ],
    problems: [{ kind: "parse_error", detail: "line 3" }],
  };
}

const DEEP = Array.from({ length: 300 }, (_, i) =>
  symbol(i + 1, `n${i}`, Array.from({ length: i + 1 }, (_, j) => `n${j}`).join("."), i === 0 ? {} : { parent: i - 1 }),
);

const CASES: Record<string, FileRecord> = {
  "no symbol": record(),
  "names of every length in bytes": record(
    symbol(1, "plain", "auth::plain", { doc: "Checks a token.", signature: "fn plain()" }),
    symbol(2, "größe", "auth::größe", { doc: "ünïcödé", visibilityKeyword: "pub", visibility: "public" }),
    symbol(3, "漢字", "auth::größe::漢字", { parent: 1, signature: "" }),
    symbol(4, "𝒳𝒴", "auth::größe::漢字.𝒳𝒴", { parent: 2, declaration: true }),
    symbol(5, "after", "auth::after", { doc: "😀 end" }),
  ),
  "a mark, a zero and half a pair": record(symbol(1, "\ufeffa", "m::\ufeffa"), symbol(2, "b\0", "m::b\0")),
  "roots that change": record(
    symbol(1, "a", "one::a"),
    symbol(2, "b", "one::b"),
    symbol(3, "c", "two::c"),
    symbol(4, "d", "two::d", { parent: 2 }),
    symbol(5, "e", "two::c->e", { parent: 2 }),
    symbol(6, "f", "odd one"),
    symbol(7, "g", "two::g"),
  ),
  "symbols that do not come in order": record(symbol(9, "late", "m::late"), symbol(2, "early", "m::early")),
  "owners of owners of owners": record(...DEEP),
};

test.each(Object.entries(CASES))("symbol by symbol the same as the record: %s", (_, it) => {
  const [packed, plain] = [new PackedFrame(it, packRecord(it)), recordFrame(it)];
  // From the last to the first: what was read before does not matter.
  for (const frame of [packed, plain]) {
    const { symbolCount, chunkCount, lineCount } = frame;
    expect([symbolCount, chunkCount, lineCount]).toEqual([it.symbols.length, it.chunks.length, it.lineCount]);
    for (let i = it.symbols.length - 1; i >= 0; i--) {
      expect(frame.symbol(i)).toEqual(it.symbols[i]);
      const { kind, span, name, parent } = it.symbols[i]!;
      expect([frame.name(i), frame.parent(i)]).toEqual([name, parent]);
      const { start, lineStart, lineEnd } = span;
      expect([frame.kind(i), frame.start(i)]).toEqual([kind, start]);
      expect([frame.line(i), frame.lastLine(i)]).toEqual([lineStart, lineEnd]);
    }
    expect([0, 1].map((i) => frame.chunk(i))).toEqual(it.chunks);
    for (const beyond of [-1, it.symbols.length]) {
      const read = [frame.symbol(beyond), frame.kind(beyond), frame.name(beyond), frame.parent(beyond)];
      expect(read).toEqual(read.map(() => undefined));
    }
    expect([frame.chunk(-1), frame.chunk(2)]).toEqual([undefined, undefined]);
  }
});

test("a cut one and that of another file are refused", () => {
  const it = CASES["roots that change"]!;
  const bytes = packRecord(it);
  for (let length = 1; length < bytes.length; length++)
    expect(() => new PackedFrame(it, bytes.slice(0, length))).toThrow(CorruptionError);
  expect(() => new PackedFrame({ ...it, path: "src/auth/other.rs" }, bytes)).toThrow("belongs to src/auth/jwt.rs");
});
