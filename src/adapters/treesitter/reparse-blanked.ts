/** A tree made ready for a text in which lines were blanked out: parsing that reads again only what these lines touch. */
import type { Edit, Tree } from "web-tree-sitter";
import type { Range } from "./captures.ts";

/** No honest file has so many; each edit may look at all children of a node, and nothing can stop it. */
const MOST_EDITS = 1_000;

interface Place {
  readonly index: number;
  readonly row: number;
  readonly column: number;
}

/** A copy, so that the nodes of `tree` stay what they are; none for too many edits. Both texts have the same lines, equally long. */
export function withBlanks(tree: Tree, text: string, blanked: string): Tree | null {
  const edits = blankedLines(text, blanked);
  if (edits.length > MOST_EDITS) return null;
  const copy = tree.copy();
  for (const edit of edits) copy.edit(edit);
  return copy;
}

/** A query looks at every child of the root once for each range. */
const MOST_RANGES = 64;

/** Where a tree that was made from another, by way of its edits, is not like it; neighbours are taken together. */
export function differences(before: Tree, after: Tree): Range[] {
  const near = after.rootNode.endIndex / MOST_RANGES;
  const ranges: { from: number; to: number }[] = [];
  for (const { startIndex, endIndex } of before.getChangedRanges(after)) {
    const last = ranges.at(-1);
    if (last !== undefined && startIndex - last.to < near) last.to = endIndex + 1;
    else ranges.push({ from: Math.max(0, startIndex - 1), to: endIndex + 1 });
  }
  return ranges;
}

/** One edit for neighbouring lines. */
function blankedLines(text: string, blanked: string): Edit[] {
  const edits: Edit[] = [];
  let open: Place | undefined;
  let last: Place | undefined;
  for (let row = 0, start = 0; start <= text.length; row++) {
    const end = endOfLine(text, start);
    if (!isSame(text, blanked, start, end)) {
      open ??= { index: start, row, column: 0 };
      last = { index: end, row, column: end - start };
    } else if (open !== undefined) {
      edits.push(editOf(open, last!));
      open = undefined;
    }
    start = end + 1;
  }
  return open === undefined ? edits : [...edits, editOf(open, last!)];
}

function endOfLine(text: string, start: number): number {
  const found = text.indexOf("\n", start);
  return found < 0 ? text.length : found;
}

function isSame(a: string, b: string, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (a.charCodeAt(i) !== b.charCodeAt(i)) return false;
  return true;
}

/** As long as before. The package has a class for it, which would have to be loaded; it asks for nothing but these. */
function editOf(start: Place, end: Place): Edit {
  const before = { startIndex: start.index, startPosition: start };
  const after = { oldEndIndex: end.index, oldEndPosition: end, newEndIndex: end.index, newEndPosition: end };
  return { ...before, ...after } as unknown as Edit;
}
