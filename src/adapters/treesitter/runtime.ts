/** One WebAssembly instance of tree-sitter, with a memory of its own that can be measured, bounded and let go. */
import { createRequire } from "node:module";
import type * as WebTreeSitter from "web-tree-sitter";

export interface Runtime {
  readonly api: typeof WebTreeSitter;
  readonly memory: { readonly buffer: ArrayBuffer };
}

const PACKAGE = "web-tree-sitter";
const PAGE_BYTES = 65_536;
const INITIAL_BYTES = 32 * 1024 * 1024;
/**
 * No honest file of at most 1 MiB comes near. After 20,000 unclosed `A<` a single step of error recovery takes memory in
 * quadratic measure, which no callback can stop; here it ends in a trap, and the file is read as text.
 */
const MEMORY_LIMIT_BYTES = 384 * 1024 * 1024;

/**
 * A fresh instance. The package keeps one instance per evaluation of its module, and an instance that trapped (or grew
 * by a monstrous file) cannot be trusted (or shrunk); so the module is evaluated anew, and nothing keeps it alive
 * afterwards: a `require` of its own, because Node lists every module among the children of its requirer.
 */
export async function startRuntime(): Promise<Runtime> {
  const require = createRequire(import.meta.url);
  const api = require(PACKAGE) as typeof WebTreeSitter;
  delete require.cache[require.resolve(PACKAGE)];
  const memory = boundedMemory();
  await api.Parser.init({ wasmMemory: memory, print: ignore, printErr: ignore });
  return { api, memory };
}

function boundedMemory(): Runtime["memory"] {
  const { WebAssembly } = globalThis as unknown as {
    WebAssembly: { Memory: new (pages: object) => Runtime["memory"] };
  };
  return new WebAssembly.Memory({ initial: INITIAL_BYTES / PAGE_BYTES, maximum: MEMORY_LIMIT_BYTES / PAGE_BYTES });
}

/** What the instance says before it traps is in the error too; standard output is not its to write to. */
function ignore(): void {}
