/**
 * Repairs a grammar that is known to be broken. Swift's scanner keeps its state where it asked for no memory at all,
 * `calloc(0, 4)`: it begins each file with whatever lay there, which on a heap that was used is a string never opened.
 * Such a file is read with errors, in forty times the time, or given up; which ones depends on what was read before.
 */

/** `i32.const 0`, `i32.const 4`, `call` of the first import, `end`: all that the function does that makes the state. */
const NO_STATE = Uint8Array.of(0x41, 0, 0x41, 4, 0x10, 0, 0x0b);

/** The grammar as it is, or asking for room for one state. */
export function mended(wasm: Buffer): Uint8Array {
  const at = wasm.indexOf(NO_STATE);
  if (at === -1 || wasm.indexOf(NO_STATE, at + 1) !== -1) return wasm;
  const copy = Uint8Array.from(wasm);
  copy[at + 1] = 1;
  return copy;
}
