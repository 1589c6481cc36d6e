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
    return definitions;
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
    const texts: { scope?: string; vis?: string; doc?: string } = {};
    for (let i = 0; i < captures; i++) {
      const node = at + i * CAPTURE_INTS;
      const role = this.#symbols.roles[this.#heap[node]!]!;
      const place = { node: node + 1, start: this.#heap[node + 2]!, row: this.#heap[node + 3]! };
      if (role === "name") name = place;
      else if (role === "body") body ??= place;
      else if (role === "outer") outer = place;
      else if (role === "scope" || role === "doc" || role === "vis") texts[role] ??= this.#textOf(place);
      else if (role.startsWith("def.")) {
        kind = role.slice(4);
        whole = place;
      }
    }
    if (kind === undefined || !whole || !name) return undefined;
    const span = outer ?? whole;
    const nameEnd = this.#endOf(name);
    const bodyStart = body ? { bodyStart: body.start } : undefined;
    const end = this.#endOf(span);
    const endRow = this.#endRow();
    return {
      kind,
      start: span.start,
      end,
      startRow: span.row,
      endRow,
      nameStart: name.start,
      nameEnd,
      ...bodyStart,
      ...texts,
    };
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
