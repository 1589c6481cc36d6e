import { expect, test } from "vitest";
import { keyMatch, rankMatch } from "./connections.ts";

const matched = (use: string, definition: string, open?: true) => {
  const rank = rankMatch("route", { key: use, open }, { key: definition, open });
  return rank === 0 ? undefined : keyMatch(rank);
};

test("a request whose prefix is not known reaches the routes that share written words with its end", () => {
  expect(matched("GET …/items", "GET /items", true)).toBe("partial_key");
  expect(matched("GET …/items/{}", "GET /items/{}", true)).toBe("partial_key");
  // A parameter alone fits every last word.
  expect(matched("GET …/items/{}", "GET /items", true)).toBeUndefined();
  expect(matched("GET /items/{}", "GET /items/{}")).toBe("literal_key");
  expect(matched("POST …/items", "GET /items", true)).toBeUndefined();
});
