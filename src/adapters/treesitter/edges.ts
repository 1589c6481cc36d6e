/** Runs a language's `edges.scm` over a tree; its captures leave as plain numbers. */
import type { Query, Tree } from "web-tree-sitter";
import { EDGE_ROLES, type EdgeRole, type RawEdges } from "../../model/edges.ts";
import { ANY_DEPTH, Captures } from "./captures.ts";
import type { Runtime } from "./runtime.ts";

const ROLES: ReadonlySet<string> = new Set(EDGE_ROLES);

interface Source {
  readonly tree: Tree;
  readonly text: string;
  readonly isLate: () => boolean;
}

/** Undefined when `isLate` cut the run short: a file without edges is better than half of them. */
export function readEdges(runtime: Runtime, query: Query, { tree, text, isLate }: Source): RawEdges | undefined {
  let late = false;
  const stop = () => {
    late ||= isLate();
    return late;
  };
  const roleOf = query.captureNames.map((name) => (ROLES.has(name) ? (name as EdgeRole) : undefined));
  const roles: EdgeRole[] = [];
  const [starts, ends, matches]: [number[], number[], number[]] = [[], [], []];
  const captures = new Captures(runtime, query, tree, { text, maxDepth: ANY_DEPTH, isLate: stop });
  for (let match = 0; captures.next(); match++) {
    for (let i = 0; i < captures.count; i++) {
      const role = roleOf[captures.name(i)];
      if (role === undefined) continue;
      roles.push(role);
      starts.push(captures.start(i));
      ends.push(captures.end(i));
      matches.push(match);
    }
  }
  return late ? undefined : { roles, starts, ends, matches };
}
