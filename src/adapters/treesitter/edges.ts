/** Runs a language's `edges.scm` over a tree; its captures leave as plain numbers. */
import type { Query, Tree } from "web-tree-sitter";
import { EDGE_ROLES, type EdgeRole, type RawEdges } from "../../model/edges.ts";

/** In-progress matches of one cursor; real code stays far below. */
const MATCH_LIMIT = 65_536;
const ROLES: ReadonlySet<string> = new Set(EDGE_ROLES);

/** Undefined when `isLate` cut the run short: a file without edges is better than half of them. */
export function readEdges(query: Query, tree: Tree, isLate: () => boolean): RawEdges | undefined {
  let late = false;
  const progressCallback = () => {
    late ||= isLate();
    return late;
  };
  const roles: EdgeRole[] = [];
  const [starts, ends, numbers]: [number[], number[], number[]] = [[], [], []];
  let number = 0;
  for (const { captures } of query.matches(tree.rootNode, { matchLimit: MATCH_LIMIT, progressCallback })) {
    for (const { name, node } of captures) {
      if (!ROLES.has(name)) continue;
      roles.push(name as EdgeRole);
      starts.push(node.startIndex);
      ends.push(node.endIndex);
      numbers.push(number);
    }
    number++;
  }
  return late ? undefined : { roles, starts, ends, matches: numbers };
}
