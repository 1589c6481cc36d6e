/** `*`, `+`, `?` and `{n,m}`. */
import type { PatternReader } from "./reader.ts";

export interface Bounds {
  readonly min: number;
  readonly max: number;
}

/** The reader stands on the operator. */
export function bounds(reader: PatternReader): Bounds {
  const start = reader.at;
  switch (reader.next()) {
    case "*":
      return { min: 0, max: Number.POSITIVE_INFINITY };
    case "+":
      return { min: 1, max: Number.POSITIVE_INFINITY };
    case "?":
      return { min: 0, max: 1 };
    default:
      return counted(reader, start);
  }
}

/** Blanks may stand around the numbers. */
function counted(reader: PatternReader, start: number): Bounds {
  const min = number(reader, start);
  if (reader.take("}")) return { min, max: min };
  if (!reader.take(",")) throw unclosed(reader, start);
  blanks(reader);
  if (reader.take("}")) return { min, max: Number.POSITIVE_INFINITY };
  const max = number(reader, start);
  if (!reader.take("}")) throw unclosed(reader, start);
  if (min > max) throw reader.fail("invalid repetition count range, the start must be <= the end", start);
  return { min, max };
}

/** Far above what compiles; keeps the arithmetic exact. */
const LARGEST_COUNT = 0xffffffff;

function number(reader: PatternReader, start: number): number {
  blanks(reader);
  if (reader.done) throw unclosed(reader, start);
  let digits = "";
  while (/^[0-9]$/.test(reader.char)) digits += reader.next();
  if (digits === "") throw reader.fail("repetition quantifier expects a valid decimal");
  if (digits.length > 10 || Number(digits) > LARGEST_COUNT) throw reader.fail("decimal literal invalid", start);
  blanks(reader);
  return Number(digits);
}

function blanks(reader: PatternReader): void {
  while (reader.char === " " || reader.char === "\t") reader.at++;
}

function unclosed(reader: PatternReader, start: number) {
  return reader.fail("unclosed counted repetition", start);
}
