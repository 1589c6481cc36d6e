/** Loads a language into an instance: its grammar, and its queries, compiled here or when the package was built. */
import { readFileSync } from "node:fs";
import { brotliDecompressSync } from "node:zlib";
import type { Language } from "web-tree-sitter";
import { checksumOf, freezeQuery, packQueries, thawQuery, unpackQueries } from "./precompiled-queries.ts";
import { compileQueries, type Queries, type QuerySource, withoutEdges } from "./queries.ts";
import { type Runtime, startRuntime } from "./runtime.ts";

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
  const wasm = readGrammar(source.wasmPath);
  const language = await runtime.api.Language.load(wasm);
  const frozen = source.frozen && unpackQueries(source.frozen(), checksumFor(source, wasm));
  const compile = (part: string, at: number) => {
    const bytes = frozen?.[at];
    return bytes === undefined ? new runtime.api.Query(language, part) : thawQuery(bytes, part, language, runtime);
  };
  const queries = compileQueries(source, compile);
  let alone: Queries | undefined;
  const symbolsAlone = () => {
    alone ??= withoutEdges(queries, (part) => compile(part, 0));
    return alone;
  };
  return { language, queries, symbolsAlone };
}

/** The package ships grammars compressed: together 2.5 MB instead of 37, for 4 ms of decompression for each that is loaded. */
function readGrammar(path: string): Uint8Array {
  const bytes = readFileSync(path);
  return path.endsWith(".br") ? brotliDecompressSync(bytes) : bytes;
}

/**
 * The compiled queries of a language as bytes; `known`, which may be of another build, while that is what they are. Throws
 * when the layout of compiled queries is not known for the installed tree-sitter.
 */
export async function freezeQueries(source: GrammarSource, known?: Uint8Array): Promise<Uint8Array> {
  const checksum = checksumFor(source, readGrammar(source.wasmPath));
  if (checksum === undefined)
    throw new Error(
      "web-tree-sitter has changed: check the layout of TSQuery, then KNOWN_CORE in precompiled-queries.ts",
    );
  if (known !== undefined && unpackQueries(known, checksum) !== undefined) return known;
  const runtime = await startRuntime();
  const { frozen: _, ...plain } = source;
  const { queries } = await loadGrammar(plain, runtime);
  return packQueries(
    checksum,
    queries.sections.map(({ query }) => freezeQuery(query, runtime)),
  );
}

function checksumFor({ querySource, edgeSource = "" }: GrammarSource, wasm: Uint8Array): number | undefined {
  return checksumOf(wasm, querySource, edgeSource);
}
