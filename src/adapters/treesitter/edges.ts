/** The matches of a language's `edges.scm`; its captures leave as plain numbers. */
import { EDGE_ROLES, type EdgeRole, type RawEdges } from "../../model/edges.ts";
import type { Captures } from "./captures.ts";

const ROLES: ReadonlySet<string> = new Set(EDGE_ROLES);

export function readEdges(captures: Captures): RawEdges {
  const roleOf = captures.names.map((name) => (ROLES.has(name) ? (name as EdgeRole) : undefined));
  const roles: EdgeRole[] = [];
  const [starts, ends, matches]: [number[], number[], number[]] = [[], [], []];
  for (let match = 0; captures.next(); match++) {
    for (let i = 0; i < captures.count; i++) {
      const role = roleOf[captures.number(i)];
      if (role === undefined) continue;
      roles.push(role);
      starts.push(captures.start(i));
      ends.push(captures.end(i));
      matches.push(match);
    }
  }
  return { roles, starts, ends, matches };
}
