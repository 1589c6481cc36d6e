/** The ranking of each query as reviewable text. Accept a change with `vitest -u` after reading the diff. */
import { expect, test } from "vitest";
import type { ScorePart, SearchHit } from "../../../src/model/search.ts";
import { search } from "../../../src/query/search.ts";
import { askMeaning } from "../../kit/embed-query.ts";
import { indexTree } from "../../kit/index-tree.ts";
import { LONG_FILES, RANKING_REPO } from "./repo.ts";

const QUERIES = {
  symbol: ["validate_token", "fn validate_token", "Role", "ConnectionPool::acquire", "auth::validate_token", "new"],
  path: ["src/handler.rs", "auth.rs", "config", "docs/"],
  error: ['"invalid token"', "error: token expired", "panic: index out of range"],
  sentence: [
    "how are tokens validated",
    "where is the connection pool",
    "tests for token validation",
    "what happens when a transaction fails",
    "load configuration from a file",
    "who is allowed to see a page",
  ],
};

/** Which lines of a long file answer. */
const LINES = { lines: ["how are blueprints registered", "where is a template filter added"] };

const repo = indexTree(RANKING_REPO);
const long = indexTree(LONG_FILES);

for (const [name, queries] of Object.entries({ ...QUERIES, ...LINES })) {
  test(`ranking of ${name} queries`, async () => {
    const { at, ids } = await (name in LINES ? long : repo);
    const blocks: string[] = [];
    for (const query of queries) {
      const answer = await search({ query, limit: 8 }, at, ids, { askMeaning });
      const head = `${query}   [${answer.intent}, ${answer.totalCandidates} candidates, ${answer.suppressedDuplicates} suppressed]`;
      blocks.push([head, ...answer.hits.map(line)].join("\n"));
    }
    await expect(`${blocks.join("\n\n")}\n`).toMatchFileSnapshot(`${name}.txt`);
  });
}

function line({ type, path, lineStart, lineEnd, symbol, total, score, parts }: SearchHit): string {
  const what = symbol ? `${symbol.symbol.kind} ${symbol.symbol.qualifiedName}` : "";
  const place = `${path}:${lineStart}-${lineEnd}`;
  return `  ${total.toFixed(3)} ${score.toFixed(3)} ${type.padEnd(7)} ${place.padEnd(32)} ${what}\n        ${parts.filter(counts).map(part).join("  ")}`;
}

function counts({ value }: ScorePart): boolean {
  return value !== 0;
}

function part({ factor, value }: ScorePart): string {
  return `${factor} ${value > 0 ? "+" : ""}${value.toFixed(3)}`;
}
