/** Which languages can be parsed with what is installed. */
import { existsSync } from "node:fs";
import { grammarSources } from "../adapters/treesitter/locate.ts";
import { LANGUAGES } from "../languages/index.ts";

interface Grammars {
  readonly available: readonly string[];
  readonly missing: readonly string[];
}

/** Looked for once: what is installed stays while a process lives, and every status asks. */
let found: Grammars | undefined;

export function presentGrammars(): Grammars {
  found ??= lookForGrammars();
  return found;
}

function lookForGrammars(): Grammars {
  const sources = grammarSources(LANGUAGES);
  const available: string[] = [];
  const missing: string[] = [];
  for (const { id, grammar } of LANGUAGES) {
    if (grammar === undefined) continue;
    const source = sources.get(id);
    (source !== undefined && existsSync(source.wasmPath) ? available : missing).push(id);
  }
  return { available: available.sort(), missing: missing.sort() };
}
