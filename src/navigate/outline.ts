/** The symbols of a file as a tree, in the order of the source. */
import type { FileRecord } from "../model/code.ts";
import type { OutlineAnswer, OutlineNode } from "../model/search.ts";

export function outline(record: FileRecord, depth: "top" | "all"): OutlineAnswer {
  const { path, language, symbols } = record;
  const children = new Map<number | undefined, number[]>();
  for (const [index, { parent }] of symbols.entries()) {
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [index]);
    else siblings.push(index);
  }
  const nodesOf = (parent: number | undefined): OutlineNode[] =>
    inOrder(record, children.get(parent) ?? []).map((index) => ({
      symbol: symbols[index]!,
      children: depth === "all" ? nodesOf(index) : [],
    }));
  const unread = unreadOf(record);
  return { path, language, nodes: nodesOf(undefined), symbolCount: symbols.length, ...(unread && { unread }) };
}

/** A file that was given up has no symbols; that is not the same as a file without any. */
function unreadOf({ problems }: FileRecord): OutlineAnswer["unread"] {
  for (const { kind } of problems) if (kind === "parse_timeout" || kind === "parser_crash") return kind;
  return undefined;
}

function inOrder({ symbols }: FileRecord, indexes: readonly number[]): number[] {
  return indexes.toSorted((a, b) => symbols[a]!.span.start - symbols[b]!.span.start || a - b);
}
