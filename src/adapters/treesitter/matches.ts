/** Runs a compiled query over a tree and reads its matches out of the instance's memory as raw definitions. */
import type { Query, Tree } from "web-tree-sitter";
import type { RawDefinition } from "../../ports/grammars.ts";
import type { Runtime } from "./runtime.ts";

/** A match: pattern, number of captures, then for each capture its index and a node. */
const MATCH_HEADER = 2;
/** A captured node: capture index, then id, start, row, column and a pointer. */
const CAPTURE_INTS = 6;
const NODE_INTS = 5;
const UNLIMITED = 0xffffffff;
/** In-progress matches of one cursor; real code stays far below, a hostile file is cut off here. */
const MATCH_LIMIT = 65_536;

/** A query with the meaning of its captures worked out once. */
export interface SymbolQuery {
  readonly query: Query;
  readonly roles: readonly string[];
  /** Patterns with text predicates (`#eq?`, `#match?`), which the library leaves to its caller. */
  readonly predicates: readonly (readonly ((captures: unknown[]) => boolean)[])[];
  /** How deep in the tree a match may begin. */
  readonly maxDepth: number;
}

/** Divides a query's source: what follows begins at most so deep, which spares the cursor the rest of the tree. */
const SECTION = /^;; -+ starting at most (\d+) deep -+$/m;

/**
 * The sections of a query, each compiled. A pattern that names the root of the file would be kept in mind by the
 * cursor at every node of it; limiting the depth instead made TypeScript's query twice as fast.
 */
export function compileQueries(source: string, compile: (source: string) => Query): SymbolQuery[] {
  const [first = "", ...rest] = source.split(SECTION);
  const sections = [{ source: first, maxDepth: UNLIMITED }];
  for (let i = 0; i < rest.length; i += 2) sections.push({ source: rest[i + 1]!, maxDepth: Number(rest[i]) });
  return sections.map(({ source, maxDepth }) => {
    const query = compile(source);
    const { textPredicates } = query as unknown as { textPredicates: SymbolQuery["predicates"] };
    return { query, roles: query.captureNames, predicates: textPredicates, maxDepth };
  });
}

type Wrapper = Pick<RawDefinition, "start" | "end" | "startRow" | "endRow">;

interface Place {
  start: number;
  row: number;
  node: number;
}

/** All definitions of the tree; undefined when `isLate` cut the run short. */
export function readMatches(
  runtime: Runtime,
  queries: readonly SymbolQuery[],
  tree: Tree,
  text: string,
  isLate: () => boolean,
): RawDefinition[] | undefined {
  const reader = new MatchReader(runtime, addressOf(tree), text);
  for (const query of queries) {
    let late = false;
    runtime.wasm.currentQueryProgressCallback = () => {
      late ||= isLate();
      return late;
    };
    void tree.rootNode; // leaves the root in the transfer buffer, where the query starts
    reader.run(query);
    runtime.wasm.currentQueryProgressCallback = null;
    if (late) return undefined;
  }
  return reader.definitions();
}

const WHOLE_FILE = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, MATCH_LIMIT];

/** The handle that the library's objects keep at index 0. */
function addressOf(object: Query | Tree): number {
  return (object as unknown as { 0: number })[0];
}

class MatchReader {
  readonly #runtime: Runtime;
  readonly #tree: number;
  readonly #text: string;
  readonly #definitions: RawDefinition[] = [];
  /** What wraps the node that starts at an offset. */
  readonly #wrappers = new Map<number, Wrapper>();

  constructor(runtime: Runtime, tree: number, text: string) {
    this.#runtime = runtime;
    this.#tree = tree;
    this.#text = text;
  }

  definitions(): RawDefinition[] {
    return this.#wrappers.size === 0 ? this.#definitions : this.#definitions.map((it) => this.#wrapped(it));
  }

  run(query: SymbolQuery): void {
    const { wasm, transfer } = this.#runtime;
    wasm._ts_query_matches_wasm(addressOf(query.query), this.#tree, ...WHOLE_FILE, query.maxDepth);
    const count = this.#heap[transfer]!;
    const address = this.#heap[transfer + 1]!;
    this.#read(query, address >> 2, count);
    wasm._free(address);
  }

  #read(query: SymbolQuery, start: number, count: number): void {
    let at = start;
    for (let i = 0; i < count; i++) {
      const captures = this.#heap[at + 1]!;
      if (this.#accepts(query, at, captures)) {
        const definition = this.#definition(query, at + MATCH_HEADER, captures);
        if (definition) this.#definitions.push(definition);
      }
      at += MATCH_HEADER + captures * CAPTURE_INTS;
    }
  }

  get #heap(): Int32Array {
    return this.#runtime.wasm.HEAP32;
  }

  #definition(query: SymbolQuery, at: number, captures: number): RawDefinition | undefined {
    let kind: string | undefined;
    let whole: Place | undefined;
    let outer: Place | undefined;
    let name: Place | undefined;
    let body: Place | undefined;
    let inner: Place | undefined;
    let last: Place | undefined;
    const texts: { scope?: string; vis?: string; doc?: string } = {};
    let scope: Place | undefined;
    for (let i = 0; i < captures; i++) {
      const node = at + i * CAPTURE_INTS;
      const role = query.roles[this.#heap[node]!]!;
      const place = { node: node + 1, start: this.#heap[node + 2]!, row: this.#heap[node + 3]! };
      if (role === "name") name = place;
      else if (role === "body") body ??= place;
      else if (role === "outer") outer = place;
      else if (role === "inner") inner = place;
      else if (role === "last") last = place;
      else if (role === "scope") {
        scope ??= place;
        texts.scope = this.#text.slice(scope.start, this.#endOf(place));
      } else if (role === "doc" || role === "vis") texts[role] ??= this.#textOf(place);
      else if (role.startsWith("def.")) {
        kind = role.slice(4);
        whole = place;
      }
    }
    if (inner && outer) this.#wrappers.set(inner.start, this.#spanOf(outer));
    if (kind === undefined || !whole || !name) return undefined;
    const nameEnd = this.#endOf(name);
    const bodyStart = body ? { bodyStart: body.start } : undefined;
    return {
      kind,
      nameStart: name.start,
      nameEnd,
      ...this.#spanOf(outer ?? whole, last ?? body),
      ...bodyStart,
      ...texts,
    };
  }

  /** Widened to what wraps it: `export`, decorators, `template <…>`, one in another. */
  #wrapped(it: RawDefinition): RawDefinition {
    let wide = it;
    for (let wrapper = this.#wrappers.get(it.start); wrapper; wrapper = this.#wrappers.get(wrapper.start)) {
      if (wrapper.start >= wide.start || wrapper.end < wide.end) break;
      wide = { ...wide, ...wrapper };
    }
    return wide;
  }

  /**
   * Up to the end of the body, which may stand beside what it is the body of (Dart), and without white space at the
   * end: layout rules and directives count the line break after them (Scala, Haskell, the C preprocessor).
   */
  #spanOf(place: Place, last?: Place): Wrapper {
    let end = this.#endOf(place);
    if (last && last.start >= end) end = this.#endOf(last);
    let endRow = this.#endRow();
    for (; end > place.start && this.#text.charCodeAt(end - 1) <= 0x20; end--) {
      if (this.#text[end - 1] === "\n") endRow--;
    }
    return { start: place.start, end, startRow: place.row, endRow };
  }

  #textOf(place: Place): string {
    return this.#text.slice(place.start, this.#endOf(place));
  }

  #endOf(place: Place): number {
    const heap = this.#heap;
    heap.copyWithin(this.#runtime.transfer, place.node, place.node + NODE_INTS);
    return this.#runtime.wasm._ts_node_end_index_wasm(this.#tree);
  }

  /** Row where the node that `#endOf` looked at last ends: it is still in the transfer buffer. */
  #endRow(): number {
    this.#runtime.wasm._ts_node_end_point_wasm(this.#tree);
    return this.#heap[this.#runtime.transfer]!;
  }

  #accepts(query: SymbolQuery, at: number, count: number): boolean {
    const predicates = query.predicates[this.#heap[at]!]!;
    if (predicates.length === 0) return true;
    const captures: unknown[] = [];
    for (let i = 0; i < count; i++) {
      const node = at + MATCH_HEADER + i * CAPTURE_INTS;
      const place = { node: node + 1, start: this.#heap[node + 2]!, row: this.#heap[node + 3]! };
      captures.push({ name: query.roles[this.#heap[node]!], node: { text: this.#textOf(place) } });
    }
    return predicates.every((holds) => holds(captures));
  }
}
