/** The symbols of a file as a tree, in the order of the source. A file may have thousands, of which an answer shows some. */
import type { FileFrame, FileRecord } from "../model/code.ts";
import type { OutlineAnswer, OutlineNode } from "../model/search.ts";
import type { Snapshot } from "../ports/snapshot.ts";
import type { FileRow } from "../ports/view.ts";

export interface OutlineOptions {
  readonly depth: "top" | "all";
  /** Nodes beyond these are counted and not read. */
  readonly most?: number | undefined;
}

export async function outline(
  file: FileRow,
  at: Pick<Snapshot, "frame" | "record">,
  { depth, most = Number.POSITIVE_INFINITY }: OutlineOptions,
): Promise<OutlineAnswer> {
  const { path, language } = file;
  const frame = await at.frame(file);
  const children = childrenOf(frame);
  const room = { left: most };
  const nodesOf = (parent: number | undefined): OutlineNode[] => {
    const nodes: OutlineNode[] = [];
    for (const index of inOrder(frame, children.get(parent) ?? [])) {
      if (room.left-- <= 0) break;
      nodes.push({ symbol: frame.symbol(index)!, children: depth === "all" ? nodesOf(index) : [] });
    }
    return nodes;
  };
  const { symbolCount } = frame;
  const nodeCount = depth === "all" ? symbolCount : (children.get(undefined)?.length ?? 0);
  // A file that was given up has no symbols; that is not the same as a file without any.
  const unread = symbolCount === 0 ? unreadOf(await at.record(file)) : undefined;
  return { path, language, nodes: nodesOf(undefined), nodeCount, symbolCount, ...(unread && { unread }) };
}

function childrenOf(frame: FileFrame): Map<number | undefined, number[]> {
  const children = new Map<number | undefined, number[]>();
  for (let index = 0; index < frame.symbolCount; index++) {
    const parent = frame.parent(index);
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [index]);
    else siblings.push(index);
  }
  return children;
}

function unreadOf({ problems }: FileRecord): OutlineAnswer["unread"] {
  for (const { kind } of problems) if (kind === "parse_timeout" || kind === "parser_crash") return kind;
  return undefined;
}

function inOrder(frame: FileFrame, indexes: readonly number[]): number[] {
  return indexes.toSorted((a, b) => frame.start(a) - frame.start(b) || a - b);
}
