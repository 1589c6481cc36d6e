import { expect, test } from "vitest";
import { pick, prng } from "../../test/kit/prng.ts";
import { likeness, shapeOf } from "./likeness.ts";
import { mostLikeness, sketchOf } from "./sketch.ts";

const WORDS = ["if", "(", ")", "{", "}", "return", "a", "b", "count", "=", ";", "\0", "größe"];

test("nothing is more alike than its sketches allow, and what is equal is wholly alike", () => {
  const random = prng(7);
  const text = () => Array.from({ length: Math.floor(random() * 80) }, () => WORDS[pick(random, WORDS.length)]!);
  for (let i = 0; i < 500; i++) {
    const [a, b] = [text(), text()];
    expect(mostLikeness(sketchOf(a), sketchOf(b))).toBeGreaterThanOrEqual(likeness(shapeOf(a), shapeOf(b)));
    expect(mostLikeness(sketchOf(a), sketchOf([...a]))).toBe(a.length === 0 ? 0 : 1);
  }
});

test("other words are told apart", () => {
  const words = (from: string) => Array.from({ length: 60 }, (_, at) => `${from}${at}`);
  expect(mostLikeness(sketchOf(words("old")), sketchOf(words("new")))).toBeLessThan(0.5);
});
