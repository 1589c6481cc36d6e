import { expect, test } from "vitest";
import { pick, prng } from "../../test/kit/prng.ts";
import { buildSignature, maxSimilarity, similarity, tokenShape } from "./similarity.ts";

const WORDS = ["if", "(", ")", "{", "}", "return", "a", "b", "count", "=", ";", "\0", "größe"];

test("similarity stays within the bound of the signatures, and equal bodies have similarity 1", () => {
  const random = prng(7);
  const text = () => Array.from({ length: Math.floor(random() * 80) }, () => WORDS[pick(random, WORDS.length)]!);
  for (let i = 0; i < 500; i++) {
    const [a, b] = [text(), text()];
    expect(maxSimilarity(buildSignature(a), buildSignature(b))).toBeGreaterThanOrEqual(
      similarity(tokenShape(a), tokenShape(b)),
    );
    expect(maxSimilarity(buildSignature(a), buildSignature([...a]))).toBe(a.length === 0 ? 0 : 1);
  }
});

test("other words are distinguished", () => {
  const words = (from: string) => Array.from({ length: 60 }, (_, at) => `${from}${at}`);
  expect(maxSimilarity(buildSignature(words("old")), buildSignature(words("new")))).toBeLessThan(0.5);
});
