import { expect, test } from "vitest";
import type { Intent } from "../model/status.ts";
import { queryTerms } from "./query-terms.ts";
import { countWords, eachTerm, type WordCounts } from "./terms.ts";

const terms = (text: string) => {
  const found: string[] = [];
  eachTerm(text, (term) => found.push(term));
  return found;
};

const check = (text: string, expected: string) =>
  test(`terms of ${text}`, () => expect(terms(text).join(" ")).toBe(expected));
check("validate_token", "validate_token validate valid token");
check("validateToken", "validatetoken validate valid token");
check("HTTPServer", "httpserver http server serv");
check("parseJSON", "parsejson parse pars json");
check("sha256", "sha256 sha 256");
check("x_max", "x_max max");
check("__init__", "__init__ init");
check("a::b.c", "a b c");
check("don't", "don t");
check("Größe", "größe größ");
check("ÜberGröße", "übergröße über größe größ");
check("Cafe\u0301", "café");
check("設定を読む", "設定 定を を読 読む");
check("字", "字");
check("검색기", "검색 색기");
check("load設定file", "load 設定 file fil");
check("a😀b", "a 😀 b");
check("\ud800lone", "lone lon");
check("", "");
check("(){}[];", "");

test("a long token is one capped term, a long identifier keeps its parts", () => {
  expect(terms("A".repeat(10_000))).toEqual(["a".repeat(64)]);
  expect(terms(`test_${"word_".repeat(20)}end`)).toContain("end");
});

test("the same text gives the same terms, remembered or not", () => {
  expect(terms("fooBar fooBar")).toEqual([...terms("fooBar"), ...terms("fooBar")]);
});

const query = (text: string, intent: Intent, expected: string) =>
  test(`query ${intent}: ${text}`, () =>
    expect(
      queryTerms(text, intent)
        .map(({ term, weight }) => (weight === 1 ? term : `${term}^${weight}`))
        .join(" "),
    ).toBe(expected));
query("how does the router match routes", "natural_language", "router^0.7 rout^0.5 match routes^0.7");
query("validate_token", "symbol", "validate_token validate valid^0.5 token");
query("what is this", "natural_language", "what is this");
query("token token TOKEN", "natural_language", "token");
query("tokens", "symbol", "tokens token^0.5");
query("", "natural_language", "");
query("😀", "natural_language", "😀");

test("a query has at most 64 terms", () => {
  const long = Array.from({ length: 3000 }, (_, i) => `word${i}`).join(" ");
  expect(queryTerms(long, "natural_language")).toHaveLength(64);
});

const counted = ({ words, counts }: WordCounts) => words.map(({ text, terms }, i) => [text, terms, counts[i]]);

test("a run of a megabyte is one term of data", () => {
  const text = `x ${"A".repeat(1 << 20)} x`;
  const expected = [
    ["x", "x", 2],
    ["A".repeat(1 << 20), "a".repeat(64), 1],
  ];
  expect(counted(countWords(text))).toEqual(expected);
});

test("a word that was met before is the same object", () => {
  expect(countWords("met_before").words[0]).toBe(countWords("x met_before").words[1]);
});
