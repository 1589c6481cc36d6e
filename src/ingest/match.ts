/** One match of an `edges.scm`: its captures by their roles. Read anew for each. */
import { EDGE_ROLES, type EdgeRole, type RawEdges } from "../model/edges.ts";
import type { TextRange } from "./scopes.ts";

export class EdgeMatch implements Record<EdgeRole, TextRange | undefined> {
  ref: TextRange | undefined;
  member: TextRange | undefined;
  call: TextRange | undefined;
  key: TextRange | undefined;
  extends: TextRange | undefined;
  implements: TextRange | undefined;
  scope: TextRange | undefined;
  fn: TextRange | undefined;
  local: TextRange | undefined;
  param: TextRange | undefined;
  literal: TextRange | undefined;
  field: TextRange | undefined;
  result: TextRange | undefined;
  return: TextRange | undefined;
  import: TextRange | undefined;
  default: TextRange | undefined;
  recv: TextRange | undefined;
  type: TextRange | undefined;
  value: TextRange | undefined;
  item: TextRange | undefined;
  of: TextRange | undefined;
  args: TextRange | undefined;
  params: TextRange | undefined;
  /** The roles that are taken. */
  private readonly taken: EdgeRole[] = [];

  // V8 takes a field that was never set for a constant, and gives up all it has compiled with that when a language comes
  // that sets it: `gather` was compiled 16 times for a million lines.
  static {
    const every = new EdgeMatch();
    for (const role of EDGE_ROLES) every[role] = { start: 0, end: 0 };
  }

  /** Reads the match that begins at a capture; returns where the next one begins. */
  read({ roles, starts, ends, matches }: RawEdges, from: number): number {
    for (let role = this.taken.pop(); role !== undefined; role = this.taken.pop()) this[role] = undefined;
    let i = from;
    for (const number = matches[from]; i < roles.length && matches[i] === number; i++) {
      const role = roles[i]!;
      if (this[role] !== undefined) continue;
      this[role] = { start: starts[i]!, end: ends[i]! };
      this.taken.push(role);
    }
    return i;
  }
}
