/** One match of an `edges.scm`: its captures by their roles. Read anew for each. */
import { EDGE_ROLES, type EdgeRole, type RawEdges } from "../model/edges.ts";
import type { Stretch } from "./scopes.ts";

export class Match implements Record<EdgeRole, Stretch | undefined> {
  ref: Stretch | undefined;
  member: Stretch | undefined;
  call: Stretch | undefined;
  key: Stretch | undefined;
  extends: Stretch | undefined;
  implements: Stretch | undefined;
  scope: Stretch | undefined;
  fn: Stretch | undefined;
  local: Stretch | undefined;
  param: Stretch | undefined;
  literal: Stretch | undefined;
  field: Stretch | undefined;
  result: Stretch | undefined;
  return: Stretch | undefined;
  import: Stretch | undefined;
  default: Stretch | undefined;
  recv: Stretch | undefined;
  type: Stretch | undefined;
  value: Stretch | undefined;
  item: Stretch | undefined;
  of: Stretch | undefined;
  args: Stretch | undefined;
  params: Stretch | undefined;
  /** The roles that are taken. */
  private readonly taken: EdgeRole[] = [];

  // V8 takes a field that was never set for a constant, and gives up all it has compiled with that when a language comes
  // that sets it: `gather` was compiled 16 times for a million lines.
  static {
    const every = new Match();
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
