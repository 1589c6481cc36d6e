import { expect, test } from "vitest";
import { CompassError } from "../model/errors.ts";
import { parse } from "./parse.ts";

const refused = (pattern: string, position: number, reason: string) =>
  test(`${JSON.stringify(pattern).slice(0, 40)} is refused at ${position}`, () => {
    let error: unknown;
    try {
      parse(pattern);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(CompassError);
    const { code, data } = error as CompassError;
    expect({ code, position: data.position, syntax: data.syntax, parameter: data.parameter }).toEqual({
      code: "invalid_input",
      position,
      syntax: "regex",
      parameter: "pattern",
    });
    expect(data.reason).toContain(reason);
  });

// Words and places as ripgrep 15 reports them.
refused("(", 0, "unclosed group");
refused("a)", 1, "unopened group");
refused("[a", 0, "unclosed character class");
refused("[", 0, "unclosed character class");
refused("x[^", 1, "unclosed character class");
refused("*a", 0, "repetition operator missing expression");
refused("a|*", 2, "repetition operator missing expression");
refused("{", 0, "repetition operator missing expression");
refused("a{", 1, "unclosed counted repetition");
refused("a{2", 1, "unclosed counted repetition");
refused("a{,2}", 2, "repetition quantifier expects a valid decimal");
refused("a{3,2}", 1, "the start must be <= the end");
refused("\\1", 0, "backreferences are not supported");
refused("\\0", 0, "backreferences are not supported");
refused("(?=a)", 0, "look-around");
refused("x(?<!a)", 1, "look-around");
refused("(?P=n)", 2, "unrecognized flag");
refused("(?z)", 2, "unrecognized flag");
refused("(?i-)", 3, "dangling flag negation operator");
refused("(?ii)", 3, "duplicate flag");
refused("(?<n>a)(?<n>b)", 10, "duplicate capture group name");
refused("(?<1a>x)", 3, "invalid capture group character");
refused("(?<>x)", 3, "empty capture group name");
refused("(?<a", 3, "unclosed capture group name");
refused("\\h", 0, "unrecognized escape sequence");
refused("a\\Z", 1, "unrecognized escape sequence");
refused("\\é", 0, "unrecognized escape sequence");
refused("a\\", 1, "incomplete escape sequence");
refused("\\xG0", 0, "invalid hexadecimal digit");
refused("\\u{D800}", 0, "not a Unicode scalar value");
refused("\\p{foo}", 0, "Unicode property not found");
refused("[[:constructor:]", 0, "unclosed character class");
refused("\\p{constructor}", 0, "Unicode property not found");
refused("[\\b]", 1, "invalid escape sequence found in character class");
refused("[a-\\d]", 3, "invalid range boundary");
refused("[z-a]", 1, "the start must be <= the end");
refused("a\\nb", 1, '"\\n" is not allowed');
refused("[\\n]", 0, '"\\n" is not allowed');
refused("\\x00", 0, '"\\0"');
refused("😀(", 1, "unclosed group");
refused("😀\ud83d", 1, "not a Unicode scalar value");
refused("[\udc00]", 1, "not a Unicode scalar value");

refused("a".repeat(20_001), 20_000, "longer than");
refused(`${"(".repeat(300)}${")".repeat(300)}`, 251, "too deeply");
refused("[".repeat(300), 251, "too deeply");
