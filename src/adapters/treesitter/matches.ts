/** Runs a language's queries over a tree and turns their matches into raw definitions. */
import type { Node, Query, QueryCapture, Tree } from "web-tree-sitter";
import type { RawDefinition } from "../../ports/grammars.ts";

const UNLIMITED = 0xffffffff;
/** In-progress matches of one cursor; real code stays far below, a hostile file is cut off here. */
const MATCH_LIMIT = 65_536;

export interface SymbolQuery {
  readonly query: Query;
  /** How deep in the tree a match may begin. */
  readonly maxDepth: number;
}

/** Divides a query's source: what follows begins at most so deep, which spares the cursor the rest of the tree. */
const SECTION = /^;; -+ starting at most (\d+) deep -+$/m;

/**
 * The sections of a query, each compiled. A pattern that names the root of the file would be kept in mind by the
 * cursor at every node of it; limiting the depth instead took JavaScript's query from 8.5 to 12.7 MB/s.
 */
export function compileQueries(source: string, compile: (source: string) => Query): SymbolQuery[] {
  const [first = "", ...rest] = source.split(SECTION);
  const sections = [{ source: first, maxDepth: UNLIMITED }];
  for (let i = 0; i < rest.length; i += 2) sections.push({ source: rest[i + 1]!, maxDepth: Number(rest[i]) });
  return sections.map(({ source, maxDepth }) => ({ query: compile(source), maxDepth }));
}

/** All definitions of the tree; undefined when `isLate` cut the run short. */
export function readMatches(
  queries: readonly SymbolQuery[],
  tree: Tree,
  text: string,
  isLate: () => boolean,
): RawDefinition[] | undefined {
  const definitions: RawDefinition[] = [];
  const wrappers: Wrappers = new Map();
  let late = false;
  const progressCallback = () => {
    late ||= isLate();
    return late;
  };
  for (const { query, maxDepth } of queries) {
    const options = { matchLimit: MATCH_LIMIT, maxStartDepth: maxDepth, progressCallback };
    for (const { captures } of query.matches(tree.rootNode, options)) {
      const definition = definitionOf(captures, text, wrappers);
      if (definition) definitions.push(definition);
    }
    if (late) return undefined;
  }
  return wrappers.size === 0 ? definitions : definitions.map((it) => wrapped(it, wrappers));
}

type Extent = Pick<RawDefinition, "start" | "end" | "startRow" | "endRow">;
/** What wraps the node that starts at an offset. */
type Wrappers = Map<number, Extent>;

function definitionOf(captures: QueryCapture[], text: string, wrappers: Wrappers): RawDefinition | undefined {
  let kind: string | undefined;
  let whole: Node | undefined;
  const nodes: { name?: Node; body?: Node; outer?: Node; inner?: Node; last?: Node; scope?: Node } = {};
  const texts: { scope?: string; vis?: string; doc?: string } = {};
  for (const { name: role, node } of captures) {
    if (role === "name" || role === "outer" || role === "inner" || role === "last") nodes[role] = node;
    else if (role === "body") nodes.body ??= node;
    else if (role === "scope") {
      nodes.scope ??= node;
      texts.scope = text.slice(nodes.scope.startIndex, node.endIndex);
    } else if (role === "vis" || role === "doc") texts[role] ??= text.slice(node.startIndex, node.endIndex);
    else if (role.startsWith("def.")) {
      kind = role.slice(4);
      whole = node;
    }
  }
  const { name, body, outer, inner, last } = nodes;
  if (inner && outer) wrappers.set(inner.startIndex, extentOf(outer, text));
  if (kind === undefined || !whole || !name) return undefined;
  const extent = extentOf(outer ?? whole, text, last ?? body);
  const bodyStart = body && { bodyStart: body.startIndex };
  return { kind, nameStart: name.startIndex, nameEnd: name.endIndex, ...extent, ...bodyStart, ...texts };
}

/** Widened to what wraps it: `export`, decorators, `template <…>`, one in another. */
function wrapped(it: RawDefinition, wrappers: Wrappers): RawDefinition {
  let wide = it;
  for (let wrapper = wrappers.get(it.start); wrapper; wrapper = wrappers.get(wrapper.start)) {
    if (wrapper.start >= wide.start || wrapper.end < wide.end) break;
    wide = { ...wide, ...wrapper };
  }
  return wide;
}

/**
 * Up to the end of `beside`, a body or another part that stands next to the definition (Dart), and without white space
 * at the end: layout rules and directives count the line break after them (Scala, Haskell, the C preprocessor).
 */
function extentOf(node: Node, text: string, beside?: Node): Extent {
  const last = beside && beside.startIndex >= node.endIndex ? beside : node;
  let end = last.endIndex;
  let endRow = last.endPosition.row;
  for (; end > node.startIndex && text.charCodeAt(end - 1) <= 0x20; end--) {
    if (text[end - 1] === "\n") endRow--;
  }
  return { start: node.startIndex, end, startRow: node.startPosition.row, endRow };
}
