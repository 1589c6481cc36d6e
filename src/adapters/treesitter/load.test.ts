import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { LANGUAGES } from "../../languages/index.ts";
import { TreeSitterGrammars } from "./grammars.ts";
import { freezeQueries, type GrammarSource, loadGrammar } from "./load.ts";
import { grammarSources } from "./locate.ts";
import { readTree } from "./read-tree.ts";
import { startRuntime } from "./runtime.ts";

const GENEROUS_MS = 30_000;
/** The largest query, predicates of every kind, fields that must be missing, sections that begin at most so deep. */
const ids = ["typescript", "elixir", "python", "cpp"];
const plain = new Map(
  [...grammarSources(LANGUAGES.filter(({ id }) => ids.includes(id)))].map(([id, { frozen: _, ...source }]) => [
    id,
    source,
  ]),
);
const frozen = new Map<string, GrammarSource>();

beforeAll(async () => {
  for (const [id, source] of plain) {
    const bytes = await freezeQueries(source);
    frozen.set(id, { ...source, frozen: () => bytes });
  }
});

test.each(ids)("the %s sample is read alike with queries that were compiled before", async (id) => {
  const text = readFileSync(resolve(globSync(`src/languages/${id}/sample.*`)[0]!), "utf8");
  const [one, other] = await Promise.all([plain, frozen].map((sources) => read(sources, id, text)));
  expect(other).toEqual(one);
  expect(other!.definitions.length).toBeGreaterThan(0);
});

async function read(sources: ReadonlyMap<string, GrammarSource>, id: string, text: string) {
  const grammars = new TreeSitterGrammars(sources);
  await grammars.prepare([id]);
  return grammars.parse(id, text, GENEROUS_MS);
}

test("a file whose edges take too long has the same symbols without them", async () => {
  const runtime = await startRuntime();
  const { language, queries, symbolsAlone } = await loadGrammar(frozen.get("python")!, runtime);
  const text = "class A:\n  def f(self): return self.g()\n".repeat(100);
  const tree = new runtime.api.Parser().setLanguage(language).parse(text)!;
  const read = (by: typeof queries, isLate: () => boolean) => readTree(by, { tree, text, isLate });
  expect(read(queries, () => true)).toBeUndefined();
  const [whole, alone] = [queries, symbolsAlone()].map((by) => read(by, () => false)!);
  expect(whole!.edges()!.roles.length).toBeGreaterThan(0);
  expect(alone!.edges()).toBeUndefined();
  expect(alone!.definitions).toEqual(whole!.definitions);
});

test("what was compiled before is used while nothing it was made from has changed", async () => {
  const runtime = await startRuntime();
  const { core } = runtime;
  const compile = core._ts_query_new;
  let compiled = 0;
  core._ts_query_new = (...query) => {
    compiled++;
    return compile(...query);
  };
  const compiledFor = async (source: GrammarSource) => {
    compiled = 0;
    await loadGrammar(source, runtime);
    return compiled;
  };
  const source = frozen.get("python")!;
  expect(await compiledFor(source)).toBe(0);
  const other = { ...source, edgeSource: `${source.edgeSource} ; another` };
  expect(await compiledFor(other)).toBe((await loadGrammar(other, runtime)).queries.sections.length);
});

test("a build takes over what an earlier one compiled", async () => {
  const { frozen: earlier, ...source } = frozen.get("python")!;
  const bytes = earlier!();
  expect(await freezeQueries(source, bytes)).toBe(bytes);
  expect(await freezeQueries({ ...source, edgeSource: "(identifier) @ref" }, bytes)).not.toEqual(bytes);
});
