/**
 * Completes the build with everything that is not code: each language's queries, its grammar from node_modules
 * in grammars/, compressed and with compiled queries, and the embedding model. Fails if one is missing, so that a package never
 * ships half a language.
 */
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";
import { freezeQueries } from "../src/adapters/treesitter/load.ts";
import { grammarSources } from "../src/adapters/treesitter/locate.ts";
import { READABLE } from "../src/languages/index.ts";

const root = dirname(import.meta.dirname);
/** Made here once and copied to other builds. The sources find compiled queries here too. */
const GRAMMARS = join(root, "dist", "grammars");
const MODEL = "codestatic.bin";

export async function copyAssets(dist: string): Promise<void> {
  for (const { id, grammar, edges } of READABLE) {
    if (!grammar || grammar.of) continue;
    const symbolFiles = grammar.symbols ?? [`${id}/symbols.scm`];
    const edgeFiles = edges ? (grammar.edges ?? [`${id}/edges.scm`]) : [];
    for (const file of [...symbolFiles, ...edgeFiles]) {
      copy(join(root, "src", "languages", file), join(dist, "languages", file));
    }
    const wasm = readFileSync(join(root, "node_modules", grammar.npm, grammar.wasm));
    await make(dist, `${basename(grammar.wasm)}.br`, (known) => compressed(wasm, known));
  }
  copy(join(root, "assets", "model", MODEL), join(dist, "model", MODEL));
  // Compiling takes seconds; the output of an earlier build is reused while its inputs are unchanged.
  for (const [id, source] of grammarSources(READABLE))
    await make(dist, `${id}.queries`, (known) => freezeQueries(source, known));
}

/** `content` may return what it is given. */
async function make(
  dist: string,
  name: string,
  content: (known: Uint8Array | undefined) => Uint8Array | Promise<Uint8Array>,
): Promise<void> {
  const path = join(GRAMMARS, name);
  const known = existsSync(path) ? readFileSync(path) : undefined;
  const bytes = await content(known);
  if (bytes !== known) {
    mkdirSync(GRAMMARS, { recursive: true });
    // Tests may be reading the file.
    writeFileSync(`${path}.${process.pid}`, bytes);
    renameSync(`${path}.${process.pid}`, path);
  }
  const to = join(dist, "grammars", name);
  if (to !== path) copy(path, to);
}

/** Quality 9 takes 2 s for all grammars; 11 takes minutes for a tenth less. */
function compressed(bytes: Buffer, known: Uint8Array | undefined): Uint8Array {
  if (known !== undefined && bytes.equals(brotliDecompressSync(known))) return known;
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 24 };
  return brotliCompressSync(bytes, { params });
}

function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
}

if (import.meta.main) await copyAssets(join(root, "dist"));
