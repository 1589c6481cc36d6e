/**
 * Keeps the parse workers' WebAssembly beyond each of them, as long as the thread that starts them. V8 throws code away
 * with the last who has it; a worker that comes later would compile it anew when optimising is already switched off
 * (`baseline-wasm.ts`), and stay at the baseline compiler: 7.5 s instead of 6.6 for 1,148 files.
 *
 * Before the first worker nothing is switched off. Lexers that are compiled here get optimised when there is much for
 * them, which for small ones is done in 60 ms, without the memory that others take: Java is parsed with 11 % less CPU,
 * Python with 4 %, for 10 to 20 MB at the peak. Larger ones take up to 0.3 s each and 90 MB in all, more than a tree of
 * 3 MB gives back: they are for who reads millions of lines, which takes 1.2 % less CPU with them. The largest (Swift's:
 * 9 s and 3.4 GB) are left alone.
 */
import { setFlagsFromString } from "node:v8";
import { compileGrammar } from "../adapters/treesitter/load.ts";
import { grammarSources } from "../adapters/treesitter/locate.ts";
import { compileCore } from "../adapters/treesitter/runtime.ts";
import { LANGUAGES } from "../languages/index.ts";

/** By how much there will be to read, and memory to do it with. */
const LEXERS = {
  brief: [],
  little: ["java", "python", "go"],
  plenty: ["java", "python", "go", "c", "javascript", "ruby", "tsx", "typescript"],
} as const satisfies Record<string, readonly string[]>;

const kept: { code?: readonly object[] } = {};

export function keepCode(memory: keyof typeof LEXERS): void {
  if (kept.code !== undefined) return;
  try {
    kept.code = memory === "brief" ? [compileCore()] : compileWhole(LEXERS[memory]);
  } catch {
    // Whoever loads it says what is wrong with it.
    kept.code = [];
  }
}

/** Whole: functions that are compiled when they are first called are not optimised any more by then. */
function compileWhole(lexers: readonly string[]): object[] {
  const sources = grammarSources(LANGUAGES.filter(({ id }) => lexers.includes(id)));
  setFlagsFromString("--no-wasm-lazy-compilation");
  try {
    return [compileCore(), ...[...sources.values()].map(compileGrammar)];
  } finally {
    setFlagsFromString("--wasm-lazy-compilation");
  }
}
