/**
 * Completes the build with what tsc does not copy: each language's query beside its code, and its grammar from
 * node_modules into dist/grammars. Fails when one is missing, so that a package never ships half a language.
 */
import { copyFileSync, mkdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { LANGUAGES } from "../src/languages/index.ts";

const root = dirname(import.meta.dirname);

for (const { id, grammar } of LANGUAGES) {
  if (!grammar) continue;
  const query = join("languages", grammar.query ?? id, "symbols.scm");
  copy(join("src", query), join("dist", query));
  copy(join("node_modules", grammar.npm, grammar.wasm), join("dist", "grammars", basename(grammar.wasm)));
}

function copy(from: string, to: string): void {
  mkdirSync(dirname(join(root, to)), { recursive: true });
  copyFileSync(join(root, from), join(root, to));
}
