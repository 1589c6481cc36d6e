/** Table tests for the connections of one kind in a small tree. */
import { expect, test } from "vitest";
import type { ConnectionKind } from "../../src/model/connections.ts";
import { connectionsOf } from "../../src/navigate/connections.ts";
import { referenceRules } from "../../src/navigate/reference-rules.ts";
import { indexTree } from "./index-tree.ts";
import type { Tree } from "./references.ts";

/** `KEY path:line → path handler` of every definition, then `use KEY path:line match` of every use. */
export async function connectionLines(tree: Tree, kind: ConnectionKind): Promise<string[]> {
  const { at } = await indexTree(tree);
  const { definitions, uses } = await (await connectionsOf(at, referenceRules)).all(kind);
  const named = async (to: { path: string; index: number } | undefined) => {
    if (to === undefined) return "?";
    const { symbols } = await at.record((await at.file(to.path))!);
    return `${to.path} ${symbols[to.index]!.name}`;
  };
  const lines: string[] = [];
  for (const it of definitions) lines.push(`${it.name} ${it.path}:${it.line} → ${await named(it.to)}`);
  for (const it of uses) lines.push(`use ${it.name} ${it.path}:${it.line} ${it.resolution}`);
  return lines.sort();
}

export function checkConnections(what: string, kind: ConnectionKind, tree: Tree, ...expected: string[]): void {
  test(what, async () => expect(await connectionLines(tree, kind)).toEqual([...expected].sort()));
}
