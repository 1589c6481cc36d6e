import { expect, test } from "vitest";
import { sliceLines, withoutBreak } from "../text/lines.ts";
import { linesRange } from "./snippet-symbol.ts";

const TEXT = "a\n\n  b c\r\nd\n\n\ne f g\nlast";

/** A symbol at each of the offsets. */
const symbolsAt = (offsets: readonly number[]) => ({
  symbolCount: offsets.length,
  start: (symbol: number) => offsets[symbol]!,
  line: (symbol: number) => TEXT.slice(0, offsets[symbol]!).split("\n").length,
});

test.each([[[]], [[0]], [[5, 7]], [[0, 5, 10, 14, 21]], [[TEXT.length - 1]]])(
  "the same lines as from the top, with symbols at %j",
  (offsets) => {
    const frame = symbolsAt(offsets);
    for (let first = 1; first <= 8; first++) {
      for (let last = first; last <= 9; last++) {
        const { text, start, end } = linesRange({ text: TEXT, frame }, first, last);
        expect(withoutBreak(text.slice(start, end))).toBe(sliceLines(TEXT, first, last));
      }
    }
  },
);
