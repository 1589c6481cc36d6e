/** Loads a language into an instance: its grammar, and its queries, compiled here or when the package was built. */
import { readFileSync } from "node:fs";
import { crc32 } from "node:zlib";
import type { Language } from "web-tree-sitter";
import { mended } from "./grammar-patches.ts";
import { freeze } from "./precompiled-queries.ts";
import { compileQueries, type Queries, type QuerySource, withoutEdges } from "./queries.ts";
import { addressOf, type Runtime, startRuntime, WebAssembly } from "./runtime.ts";
import { markTokens } from "./skip-tokens.ts";

/** Where one language's grammar and queries come from. */
export interface GrammarSource extends QuerySource {
  readonly wasmPath: string;
  /** What `freezeQueries` gave, where the package was built. */
  readonly frozen?: () => Uint8Array;
}

export interface Grammar {
  readonly language: Language;
  readonly queries: Queries;
  /** Without edges; for a file whose edges take too long. Made when the first such file comes. */
  readonly symbolsAlone: () => Queries;
}

export async function loadGrammar(source: GrammarSource, runtime: Runtime): Promise<Grammar> {
  const wasm = readFileSync(source.wasmPath);
  const language = await runtime.api.Language.load(mended(wasm));
  const frozen = source.frozen && unpack(source.frozen(), checksumOf(source, wasm, runtime));
  let at = 0;
  const queries = compileQueries(source, (part) => runtime.query(language, part, frozen?.[at++]));
  const all = queries.sections.map(({ query }) => query);
  markTokens(language, all, runtime.memory);
  let alone: Queries | undefined;
  const symbolsAlone = () => {
    alone ??= withoutEdges(queries, (part) => runtime.query(language, part, frozen?.[0]));
    return alone;
  };
  return { language, queries, symbolsAlone };
}

/** While the result is kept, `loadGrammar` finds it compiled, in all threads of the process. */
export function compileGrammar({ wasmPath }: GrammarSource): object {
  return new WebAssembly.Module(mended(readFileSync(wasmPath)));
}

/** The compiled queries of a language as bytes; `known`, which may be of another build, while that is what they are. */
export async function freezeQueries(source: GrammarSource, known?: Uint8Array): Promise<Uint8Array> {
  const runtime = await startRuntime();
  const checksum = checksumOf(source, readFileSync(source.wasmPath), runtime);
  if (known !== undefined && unpack(known, checksum) !== undefined) return known;
  const { frozen: _, ...plain } = source;
  return frozenOf(await loadGrammar(plain, runtime), checksum, runtime);
}

function frozenOf({ queries }: Grammar, checksum: number, { memory }: Runtime): Uint8Array {
  const frozen = queries.sections.map(({ query }) => freeze(addressOf(query), memory));
  return pack(checksum, frozen);
}

/** Counted up when queries are frozen in another way. */
const FORMAT = 3;

/** Of everything that a compiled query depends on. */
function checksumOf({ querySource, edgeSource = "" }: GrammarSource, wasm: Uint8Array, runtime: Runtime): number {
  return crc32(edgeSource, crc32(querySource, crc32(wasm, runtime.checksum + FORMAT)));
}

/** Checksum, the number of queries and their lengths; then the queries. */
function pack(checksum: number, queries: readonly Uint8Array[]): Uint8Array {
  const head = Uint32Array.of(checksum, queries.length, ...queries.map(({ length }) => length));
  return Buffer.concat([new Uint8Array(head.buffer), ...queries]);
}

/** Undefined when they are of other queries, another grammar or another tree-sitter: then they are compiled. */
function unpack(bytes: Uint8Array, checksum: number): Uint8Array[] | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (bytes.length < 8 || view.getUint32(0, true) !== checksum) return undefined;
  const count = view.getUint32(4, true);
  let from = 8 + 4 * count;
  return Array.from({ length: count }, (_, i) => {
    const length = view.getUint32(8 + 4 * i, true);
    from += length;
    return bytes.subarray(from - length, from);
  });
}
