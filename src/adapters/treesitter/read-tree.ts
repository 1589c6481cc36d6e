/** Runs a language's queries over a tree, and reads what they found. */
import type { Tree } from "web-tree-sitter";
import type { RawEdges } from "../../model/edges.ts";
import type { RawDefinition } from "../../ports/grammars.ts";
import { Captures } from "./captures.ts";
import { readDefinitions, readEdges } from "./matches.ts";
import type { Queries } from "./queries.ts";

interface Source {
  readonly tree: Tree;
  readonly text: string;
  readonly isLate: () => boolean;
}

export interface TreeReading {
  readonly definitions: readonly RawDefinition[];
  /** Read on demand: of two readings of a file, one is thrown away. */
  edges(): RawEdges | undefined;
}

/** Undefined when `isLate` cut it short. */
export function readTree(queries: Queries, { tree, text, isLate }: Source): TreeReading | undefined {
  let late = false;
  const stop = () => {
    late ||= isLate();
    return late;
  };
  const all: Captures[] = [];
  for (const { query, maxDepth } of queries.sections) {
    // A query is stopped at its hundredth step at the soonest, and in a hostile tree one step takes long.
    if (!late) all.push(new Captures(query, tree, { maxDepth, isLate: stop }));
  }
  if (late) return undefined;
  const first = all[0]!;
  first.rewind(queries.symbols);
  const definitions = readDefinitions(all, text);
  const edges = () => {
    if (queries.edges === undefined) return undefined;
    first.rewind(queries.edges);
    return readEdges(first);
  };
  return { definitions, edges };
}
