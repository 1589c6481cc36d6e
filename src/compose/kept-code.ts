/**
 * Keeps the parse workers' WebAssembly beyond each of them, as long as the thread that starts them. V8 throws code away
 * with the last who has it; a worker that comes later would compile it anew when optimising is already switched off
 * (`baseline-wasm.ts`), and stay at the baseline compiler: 7.5 s instead of 6.6 for 1,148 files.
 *
 * Before the first worker nothing is switched off. Lexers that are compiled here get optimised when there is much for
 * them, which for small ones is done in 60 ms, without the memory that others take: Java is parsed with 11 % less CPU,
 * Python with 4 %, for 10 to 20 MB at the peak. Those of TypeScript, JavaScript and Rust gain nothing in 2 MB, C's
 * costs more than it gains in 3.
 */
import { setFlagsFromString } from "node:v8";
import { compileGrammar } from "../adapters/treesitter/load.ts";
import { grammarSources } from "../adapters/treesitter/locate.ts";
import { compileCore } from "../adapters/treesitter/runtime.ts";
import { LANGUAGES } from "../languages/index.ts";

const SMALL_LEXERS = ["java", "python", "go"];

const kept: { code?: readonly object[] } = {};

/** `much`: whether there will be much to read; otherwise nothing is compiled that may never run. */
export function keepCode(much: boolean): void {
  if (kept.code !== undefined) return;
  try {
    kept.code = [compileCore(), ...(much ? compileLexers() : [])];
  } catch {
    // Whoever loads it says what is wrong with it.
    kept.code = [];
  }
}

/** Whole: functions that are compiled when they are first called are not optimised any more by then. */
function compileLexers(): object[] {
  const sources = grammarSources(LANGUAGES.filter(({ id }) => SMALL_LEXERS.includes(id)));
  setFlagsFromString("--no-wasm-lazy-compilation");
  try {
    return [...sources.values()].map(compileGrammar);
  } finally {
    setFlagsFromString("--wasm-lazy-compilation");
  }
}
