/**
 * Keeps V8 from optimising the grammars' lexers. TurboFan takes up to 700 MB and five seconds for one of those huge
 * functions (3.6 GB at the peak of a mixed million lines), and they are not where the time goes; tree-sitter's own
 * functions are. Functions met before the switch still get optimised, so one tiny file is read first: parsing is as
 * fast as by default (140 ms a round against 250 ms without any optimising), and the peak stays below 400 MB.
 *
 * The flags hold for the whole process. WebAssembly that is first run after this stays at the baseline compiler.
 */
import { setFlagsFromString } from "node:v8";
import type { Hash } from "../model/ids.ts";
import type { Grammars } from "../ports/grammars.ts";

/** A language with a small lexer, and a text that makes parser and query do all they ever do. */
const LANGUAGE = "lua";
const TEXT = "-- c\nlocal function a(b) return b + 1 end\nfunction m.x(y)\n if y then return { a = 1 } end\nend\n";

export async function keepLexersAtBaseline(grammars: Grammars, hash: Hash): Promise<void> {
  await grammars.prepare([LANGUAGE]);
  grammars.parse(LANGUAGE, TEXT, 1_000);
  hash(TEXT);
  setFlagsFromString("--no-wasm-tier-up");
  setFlagsFromString("--no-wasm-dynamic-tiering");
}
