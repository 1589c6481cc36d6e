import { expect, test } from "vitest";
import { splitFilters } from "./query-filters.ts";

const check = (query: string, text: string, ...filters: readonly string[]) =>
  test(query, () => {
    const split = splitFilters(query, (word) => ["go", "rust", "python"].includes(word));
    const spelt = split.filters.map((it) => `${it.isNegated ? "-" : ""}${it.field}:${it.values.join(",")}`);
    expect([split.text, ...spelt]).toEqual([text, ...filters]);
  });

check("retry lang:go", "retry", "lang:go");
check("retry language:go,rust -path:test", "retry", "lang:go,rust", "-path:test");
check('path:"my docs/a" open file', "open file", "path:my docs/a");
check("file:*.yml cache", "cache", "file:*.yml");
check("kind:class Session repo:api", "Session", "kind:class", "repo:api");
check("std::path::Path", "std::path::Path");
check("path::join", "path::join");
check("http://example.org/x", "http://example.org/x");
check("file://host/x", "file://host/x");
check("kind:nonsense parser", "kind:nonsense parser");
check("lang:klingon parser", "lang:klingon parser");
check("error: path: not found", "error: path: not found");
check('"path:src" in a phrase', '"path:src" in a phrase');
check("one\nlang:go", "one\nlang:go");
