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
}

type Wrapper = Pick<RawDefinition, "start" | "end" | "startRow" | "endRow">;

interface Place {
  start: number;
  row: number;
  node: number;
}

export function compileQuery(query: Query): SymbolQuery {
  const predicates = (query as unknown as { textPredicates: SymbolQuery["predicates"] }).textPredicates;
  return { query, roles: query.captureNames, predicates };
}

/** All definitions of the tree; undefined when `isLate` cut the run short. */
export function readMatches(
  runtime: Runtime,
  symbols: SymbolQuery,
  tree: Tree,
  text: string,
  isLate: () => boolean,
): RawDefinition[] | undefined {
  const { wasm, transfer } = runtime;
  const treeAddress = addressOf(tree);
  let late = false;
  wasm.currentQueryProgressCallback = () => (late ||= isLate());
  void tree.rootNode; // leaves the root in the transfer buffer, where the query starts
  wasm._ts_query_matches_wasm(addressOf(symbols.query), treeAddress, ...WHOLE_TREE);
  wasm.currentQueryProgressCallback = null;
  const count = wasm.HEAP32[transfer]!;
  const address = wasm.HEAP32[transfer + 1]!;
  const reader = new MatchReader(runtime, symbols, treeAddress, text);
  const definitions = reader.read(address >> 2, count);
  wasm._free(address);
  return late ? undefined : definitions;
}

const WHOLE_TREE = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, MATCH_LIMIT, UNLIMITED];

/** The handle that the library's objects keep at index 0. */
function addressOf(object: Query | Tree): number {
  return (object as unknown as { 0: number })[0];
}

class MatchReader {
  readonly #runtime: Runtime;
  readonly #symbols: SymbolQuery;
  readonly #tree: number;
  readonly #text: string;
  /** What wraps the node that starts at an offset. */
  readonly #wrappers = new Map<number, Wrapper>();

  constructor(runtime: Runtime, symbols: SymbolQuery, tree: number, text: string) {
    this.#runtime = runtime;
    this.#symbols = symbols;
    this.#tree = tree;
    this.#text = text;
  }

  read(start: number, count: number): RawDefinition[] {
    const definitions: RawDefinition[] = [];
    let at = start;
    for (let i = 0; i < count; i++) {
      const captures = this.#heap[at + 1]!;
      if (this.#accepts(at, captures)) {
        const definition = this.#definition(at + MATCH_HEADER, captures);
        if (definition) definitions.push(definition);
      }
      at += MATCH_HEADER + captures * CAPTURE_INTS;
    }
    return this.#wrappers.size === 0 ? definitions : definitions.map((it) => this.#wrapped(it));
  }

  get #heap(): Int32Array {
    return this.#runtime.wasm.HEAP32;
  }

  #definition(at: number, captures: number): RawDefinition | undefined {
    let kind: string | undefined;
    let whole: Place | undefined;
    let outer: Place | undefined;
    let name: Place | undefined;
    let body: Place | undefined;
    let inner: Place | undefined;
    const texts: { scope?: string; vis?: string; doc?: string } = {};
    let scope: Place | undefined;
    for (let i = 0; i < captures; i++) {
      const node = at + i * CAPTURE_INTS;
      const role = this.#symbols.roles[this.#heap[node]!]!;
      const place = { node: node + 1, start: this.#heap[node + 2]!, row: this.#heap[node + 3]! };
      if (role === "name") name = place;
      else if (role === "body") body ??= place;
      else if (role === "outer") outer = place;
      else if (role === "inner") inner = place;
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
    return { kind, nameStart: name.start, nameEnd, ...this.#spanOf(outer ?? whole, body), ...bodyStart, ...texts };
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
  #spanOf(place: Place, body?: Place): Wrapper {
    let end = this.#endOf(place);
    if (body && body.start >= end) end = this.#endOf(body);
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

  #accepts(at: number, count: number): boolean {
    const predicates = this.#symbols.predicates[this.#heap[at]!]!;
    if (predicates.length === 0) return true;
    const captures: unknown[] = [];
    for (let i = 0; i < count; i++) {
      const node = at + MATCH_HEADER + i * CAPTURE_INTS;
      const place = { node: node + 1, start: this.#heap[node + 2]!, row: this.#heap[node + 3]! };
      captures.push({ name: this.#symbols.roles[this.#heap[node]!], node: { text: this.#textOf(place) } });
    }
    return predicates.every((holds) => holds(captures));
  }
}
