import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { beforeAll, expect, test } from "vitest";
import type { Language, Tree, TreeCursor } from "web-tree-sitter";
import { READABLE } from "../../languages/index.ts";
import { Captures } from "./captures.ts";
import { mended } from "./grammar-patches.ts";
import { grammarSources } from "./locate.ts";
import { compileQueries, type QuerySource, type Section } from "./queries.ts";
import { type Runtime, startRuntime } from "./runtime.ts";
import { markTokens } from "./skip-tokens.ts";

const sources = grammarSources(READABLE);
let runtime: Runtime;

beforeAll(async () => {
  runtime = await startRuntime();
});

test.each([...sources])("%s: queries find what they find with every token", async (id, source) => {
  const { language, sections, mark } = await unmarked(id, source);
  const trees = textsOf(id).map((text) => ({ text, tree: parse(language, text) }));
  const findAll = () => trees.flatMap(({ text, tree }) => sections.map((section) => found(section, tree, text)));
  const before = findAll();
  mark();
  expect(findAll()).toEqual(before);
  expect(before.flat().length).toBeGreaterThan(0);
});

/** With errors, too: what could not be read is a list of tokens. */
function textsOf(id: string): string[] {
  const text = readFileSync(resolve(globSync(`src/languages/${id}/sample.*`)[0]!), "utf8");
  return [text, text.replace(/[)}]/, ""), text.slice(0, text.length / 2)];
}

async function unmarked(id: string, source: QuerySource) {
  const language = await runtime.api.Language.load(mended(readFileSync(sources.get(id)!.wasmPath)));
  const { sections } = compileQueries(source, (part) => runtime.query(language, part));
  const queries = sections.map(({ query }) => query);
  return { language, sections, mark: () => markTokens(language, queries, runtime.memory) };
}

function parse(language: Language, text: string): Tree {
  return new runtime.api.Parser().setLanguage(language).parse(text)!;
}

function found({ query, maxDepth }: Section, tree: Tree, text: string): string[] {
  const captures = new Captures(runtime, query, tree, { text, maxDepth, isLate: () => false });
  const matches: string[] = [];
  while (captures.next()) {
    const all = Array.from({ length: captures.count }, (_, i) => [
      captures.name(i),
      captures.start(i),
      captures.end(i),
    ]);
    matches.push(JSON.stringify(all));
  }
  captures.close();
  return matches;
}

const stops = (querySource: string, tokens: readonly string[]) =>
  test(`${querySource}: a cursor stops at ${tokens.join(" ")}`, async () => {
    runtime = await startRuntime();
    const { language, mark } = await unmarked("go", { querySource });
    const tree = parse(language, "package a\nfunc f(b, c d) {}\n");
    expect(tokensOf(tree.walk())).toEqual(["package", "func", "(", ",", ")", "{", "}"]);
    mark();
    expect(tokensOf(tree.walk())).toEqual(tokens);
  });

stops("(identifier) @x", [","]);
stops('(function_declaration "func" @x [(identifier) (block "}" @y)])', ["func", ",", "}"]);
stops("(function_declaration name: _ @x)", ["package", "func", "(", ",", ")", "{", "}"]);

function tokensOf(cursor: TreeCursor): string[] {
  const found = cursor.nodeIsNamed ? [] : [cursor.nodeType];
  if (!cursor.gotoFirstChild()) return found;
  do found.push(...tokensOf(cursor));
  while (cursor.gotoNextSibling());
  cursor.gotoParent();
  return found;
}
