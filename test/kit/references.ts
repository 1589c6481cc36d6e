/** Table tests for the uses of a symbol in a small tree. */
import { expect, test } from "vitest";
import { buildGraph } from "../../src/navigate/graph.ts";
import { referenceRules } from "../../src/navigate/reference-rules.ts";
import { indexTree } from "./index-tree.ts";

export type Tree = Readonly<Record<string, string>>;
/** A path, a name, and which of the symbols of that name. */
export type SymbolQuery = readonly [path: string, name: string, nth?: number];

/** `path:line:column kind resolution` of every use of a symbol, and what relates the site to it. */
export async function usesOf(tree: Tree, [path, name, nth = 0]: SymbolQuery): Promise<string[]> {
  const { at } = await indexTree(tree);
  const { symbols } = await at.record((await at.file(path))!);
  const index = symbols.flatMap((it, i) => (it.name === name && it.kind !== "use" ? [i] : []))[nth]!;
  const edges = await buildGraph(at, referenceRules).referencesTo({ path, index });
  return edges.map(({ path: file, line, column, kind, resolution, via }) =>
    [`${file}:${line}:${column} ${kind} ${resolution}`, ...(via ? [`of ${via}`] : [])].join(" "),
  );
}

export function checkUses(what: string, tree: Tree, asked: SymbolQuery, ...expected: string[]): void {
  test(what, async () => expect(await usesOf(tree, asked)).toEqual(expected));
}
