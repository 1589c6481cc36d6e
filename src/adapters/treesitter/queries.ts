/**
 * The queries of a language, compiled. What names its symbols and what names its edges is one query: walking the tree
 * takes a cursor longer than matching, and both together take it hardly longer than one of them (rust: 236 -> 130 ms).
 */
import type { Query } from "web-tree-sitter";
import { ANY_DEPTH, type Patterns } from "./captures.ts";

export interface Section {
  readonly source: string;
  readonly query: Query;
  /** How deep in the tree a match may begin. */
  readonly maxDepth: number;
}

export interface Queries {
  readonly sections: readonly Section[];
  /** Patterns of the first section that name symbols, and those that name edges. */
  readonly symbols: Patterns;
  readonly edges?: Patterns;
}

/** Divides a query's source: what follows begins at most so deep, which spares the cursor the rest of the tree. */
const SECTION = /^;; -+ starting at most (\d+) deep -+$/m;

export interface QuerySource {
  readonly querySource: string;
  /** The language's `edges.scm`, where it has one. */
  readonly edgeSource?: string;
}

/**
 * A pattern that names the root of the file would be kept in mind by the cursor at every node of it; limiting the depth
 * instead took JavaScript's query from 8.5 to 12.7 MB/s.
 */
export function compileQueries(
  { querySource, edgeSource }: QuerySource,
  compile: (source: string, at: number) => Query,
): Queries {
  const [first = "", ...rest] = querySource.split(SECTION);
  const sections: Section[] = [];
  const add = (source: string, maxDepth: number) =>
    sections.push({ source, query: compile(source, sections.length), maxDepth });
  add(`${first}\n${edgeSource ?? ""}`, ANY_DEPTH);
  for (let i = 0; i < rest.length; i += 2) add(rest[i + 1]!, Number(rest[i]));
  const { query } = sections[0]!;
  const all = query.patternCount();
  const symbols = { from: 0, to: patternsBefore(query, all, Buffer.byteLength(first)) };
  return { sections, symbols, ...(edgeSource !== undefined && { edges: { from: symbols.to, to: all } }) };
}

/** The same queries, of which the first is made again with its edges switched off: that is quicker than compiling less. */
export function withoutEdges({ sections, symbols, edges }: Queries, again: (source: string) => Query): Queries {
  const [first, ...rest] = sections;
  const query = again(first!.source);
  for (let pattern = edges?.from ?? 0; pattern < (edges?.to ?? 0); pattern++) query.disablePattern(pattern);
  return { sections: [{ ...first!, query }, ...rest], symbols };
}

function patternsBefore(query: Query, all: number, byte: number): number {
  let count = 0;
  while (count < all && query.startIndexForPattern(count) < byte) count++;
  return count;
}
