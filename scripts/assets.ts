/**
 * Completes the build with everything that is not code: each language's queries, its grammar from node_modules
 * in grammars/, compressed and with compiled queries, and the embedding model. Fails if one is missing, so that a package never
 * ships half a language.
 */
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";
import { freezeQueries } from "../src/adapters/treesitter/load.ts";
import { grammarSources } from "../src/adapters/treesitter/locate.ts";
import { READABLE } from "../src/languages/index.ts";

const root = dirname(import.meta.dirname);
const MODEL = "codestatic.bin";

export async function copyAssets(dist: string): Promise<void> {
  for (const { id, grammar, edges } of READABLE) {
    if (!grammar || grammar.of) continue;
    const symbolFiles = grammar.symbols ?? [`${id}/symbols.scm`];
    const edgeFiles = edges ? (grammar.edges ?? [`${id}/edges.scm`]) : [];
    for (const file of [...symbolFiles, ...edgeFiles]) {
      copy(join(root, "src", "languages", file), join(dist, "languages", file));
    }
    compress(
      join(root, "node_modules", grammar.npm, grammar.wasm),
      join(dist, "grammars", `${basename(grammar.wasm)}.br`),
    );
  }
  copy(join(root, "assets", "model", MODEL), join(dist, "model", MODEL));
  for (const [id, source] of grammarSources(READABLE)) {
    // Compiling takes seconds; reuse the output of an earlier build while its inputs are unchanged.
    const earlier = join(root, "dist", "grammars", `${id}.queries`);
    const known = existsSync(earlier) ? readFileSync(earlier) : undefined;
    writeFileSync(join(dist, "grammars", `${id}.queries`), await freezeQueries(source, known));
  }
}

/** Quality 9 takes 2 s for all grammars; 11 takes minutes for a tenth less. The output of an earlier build is used again. */
function compress(from: string, to: string): void {
  const bytes = readFileSync(from);
  const earlier = join(root, "dist", "grammars", basename(to));
  const known = existsSync(earlier) ? readFileSync(earlier) : undefined;
  if (known !== undefined && bytes.equals(brotliDecompressSync(known))) {
    if (earlier !== to) copy(earlier, to);
    return;
  }
  mkdirSync(dirname(to), { recursive: true });
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 24 };
  writeFileSync(to, brotliCompressSync(bytes, { params }));
}

function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
}

if (import.meta.main) await copyAssets(join(root, "dist"));
