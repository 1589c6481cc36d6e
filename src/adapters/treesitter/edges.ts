/** The matches of a language's `edges.scm`; its captures leave as plain numbers. */
import { EDGE_ROLES, type EdgeRole, type RawEdges } from "../../model/edges.ts";
import type { Captures } from "./captures.ts";

const ROLES: ReadonlySet<string> = new Set(EDGE_ROLES);

export function readEdges(captures: Captures): RawEdges {
  const roles: EdgeRole[] = [];
  const [starts, ends, matches]: [number[], number[], number[]] = [[], [], []];
  for (let match = 0; captures.next(); match++) {
    for (let i = 0; i < captures.count; i++) {
      const role = captures.name(i);
      if (!ROLES.has(role)) continue;
      roles.push(role as EdgeRole);
      starts.push(captures.start(i));
      ends.push(captures.end(i));
      matches.push(match);
    }
  }
  return { roles, starts, ends, matches };
}
