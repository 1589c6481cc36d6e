/** What of a WebAssembly instance of tree-sitter is reached past its package. */
export interface Memory {
  readonly buffer: ArrayBuffer;
}

/** What the instance exports, as far as it is called here. */
export interface Core {
  readonly _malloc: (bytes: number) => number;
  readonly _free: (at: number) => void;
  readonly _ts_init: () => number;
  _ts_query_new: (language: number, ...source: number[]) => number;
  readonly _ts_query_matches_wasm: (query: number, tree: number, ...options: number[]) => void;
  readonly _ts_tree_root_node_wasm: (tree: number) => void;
  readonly currentParseCallback: (index: number) => string;
  currentQueryProgressCallback: (() => boolean) | null;
}
