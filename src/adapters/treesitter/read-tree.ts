/** Runs a language's queries over a tree, and reads what they found. */
import type { Tree } from "web-tree-sitter";
import type { RawEdges } from "../../model/edges.ts";
import type { RawDefinition } from "../../ports/grammars.ts";
import { Captures, type Range } from "./captures.ts";
import { readEdges } from "./edges.ts";
import { countDefinitions, readDefinitions } from "./matches.ts";
import type { Queries } from "./queries.ts";
import type { Runtime } from "./runtime.ts";

interface Source {
  readonly tree: Tree;
  readonly text: string;
  readonly isLate: () => boolean;
}

export interface TreeReading {
  readonly definitions: readonly RawDefinition[];
  /** How many definitions reach into one of the ranges. */
  countIn(ranges: readonly Range[]): number;
  /** Read on demand: of two readings of a file, one is discarded. */
  edges(): RawEdges | undefined;
  close(): void;
}

/** Undefined when `isLate` cut it short. */
export function readTree(runtime: Runtime, queries: Queries, { tree, text, isLate }: Source): TreeReading | undefined {
  let late = false;
  const stop = () => {
    late ||= isLate();
    return late;
  };
  const all: Captures[] = [];
  for (const { query, maxDepth } of queries.sections) {
    // A query is stopped at its hundredth step at the soonest, and in a hostile tree one step takes long.
    if (!late) all.push(new Captures(runtime, query, tree, { text, maxDepth, isLate: stop }));
  }
  const close = () => {
    for (const captures of all) captures.close();
  };
  if (late) {
    close();
    return undefined;
  }
  const [first, ...rest] = all;
  const rewind = () => {
    first!.rewind(queries.symbols);
    for (const captures of rest) captures.rewind();
  };
  rewind();
  const definitions = readDefinitions(all, text);
  const countIn = (ranges: readonly Range[]) => {
    rewind();
    const isMeant = (start: number, end: number) => ranges.some(({ from, to }) => start < to && end > from);
    return all.reduce((sum, captures) => sum + countDefinitions(captures, isMeant), 0);
  };
  const edges = () => {
    if (queries.edges === undefined) return undefined;
    first!.rewind(queries.edges);
    return readEdges(first!);
  };
  return { definitions, countIn, edges, close };
}

/** What `countIn` would say of a reading of the tree, without one. Nothing when `isLate` cut it short. */
export function countIn(runtime: Runtime, queries: Queries, source: Source, ranges: readonly Range[]): number {
  let [count, behind] = [0, 0];
  for (const range of ranges) {
    const isMeant = (start: number, end: number) => start >= behind && start < range.to && end > range.from;
    for (const [i, { query, maxDepth }] of queries.sections.entries()) {
      const captures = new Captures(runtime, query, source.tree, { ...source, maxDepth, range });
      if (i === 0) captures.rewind(queries.symbols);
      count += countDefinitions(captures, isMeant);
      captures.close();
    }
    if (source.isLate()) return 0;
    behind = range.to;
  }
  return count;
}
