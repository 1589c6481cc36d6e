/** The symbols of a file as a tree, in the order of the source. A file may have thousands, of which an answer shows some. */
import { type FileFrame, type FileRecord, isParseFailure } from "../model/code.ts";
import { isLongTurn, nextTurn } from "../model/event-loop.ts";
import type { OutlineAnswer, OutlineNode } from "../model/search.ts";
import type { FileRow, Snapshot } from "../ports/snapshot.ts";

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
  // Opening a long file takes a turn of its own.
  if (isLongTurn()) await nextTurn();
  const frame = await at.frame(file);
  const children = groupByParent(frame);
  if (depth === "top") {
    const top = (children.get(undefined) ?? []).filter((index) => frame.kind(index) !== "use");
    children.set(undefined, top);
  }
  const room = { left: most };
  const buildNodes = async (parent: number | undefined): Promise<OutlineNode[]> => {
    const nodes: OutlineNode[] = [];
    for (const index of inOrder(frame, children.get(parent) ?? [])) {
      if (room.left-- <= 0) break;
      if (isLongTurn()) await nextTurn();
      const hasMore = depth === "all" && children.has(index);
      nodes.push({ symbol: frame.symbol(index)!, children: hasMore ? await buildNodes(index) : [] });
    }
    return nodes;
  };
  const { symbolCount } = frame;
  const nodeCount = depth === "all" ? symbolCount : (children.get(undefined)?.length ?? 0);
  // A file that was given up has no symbols; that is not the same as a file without any.
  const unread = symbolCount === 0 ? parseFailure(await at.record(file)) : undefined;
  const answer = { path, language, nodes: await buildNodes(undefined), nodeCount, symbolCount };
  return { ...answer, parseErrors: frame.parseErrors, ...(unread && { unread }) };
}

function groupByParent(frame: FileFrame): Map<number | undefined, number[]> {
  const children = new Map<number | undefined, number[]>();
  for (let index = 0; index < frame.symbolCount; index++) {
    const parent = frame.parent(index);
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [index]);
    else siblings.push(index);
  }
  return children;
}

function parseFailure({ problems }: FileRecord): OutlineAnswer["unread"] {
  return problems.map(({ kind }) => kind).find(isParseFailure);
}

function inOrder(frame: FileFrame, indexes: readonly number[]): number[] {
  return indexes.toSorted((a, b) => frame.start(a) - frame.start(b) || a - b);
}
