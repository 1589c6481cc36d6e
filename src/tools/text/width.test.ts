import { expect, test } from "vitest";
import { cutToWidth, displayWidth, padToWidth } from "./style.ts";

const check = (text: string, width: number) =>
  test(`${text} takes ${width}`, () => expect(displayWidth(text)).toBe(width));
check("plain", 5);
check("日本語", 6);
check("한국어 ok", 9);
check("e\u0301tude", 5);
check("🎉", 2);
check("", 0);

test("cutting counts cells", () => {
  expect(cutToWidth("日本語テキスト", 7)).toBe("日本語…");
  expect(cutToWidth("日本語", 6)).toBe("日本語");
  expect(cutToWidth("abcdef", 4)).toBe("abc…");
});

test("padding counts cells", () => {
  expect(padToWidth("日本", 6)).toBe("日本  ");
  expect(padToWidth("abcdef", 3)).toBe("abcdef");
});
