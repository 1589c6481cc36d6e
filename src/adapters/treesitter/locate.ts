/** Finds grammars and queries on disk, in a checkout (src + node_modules) and in the built package (dist). */
import { existsSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import type { GrammarSource } from "./load.ts";

/** What has to be known of a language; `languages/define.ts` has it. */
interface GrammarNeed {
  readonly id: string;
  readonly grammar?: {
    readonly npm: string;
    readonly wasm: string;
    readonly symbols?: readonly string[];
    readonly edges?: readonly string[];
    readonly of?: string;
  };
}

/** The sources of every language whose grammar is present; the others are missing from the map. */
export function grammarSources(languages: Iterable<GrammarNeed>): Map<string, GrammarSource> {
  const sources = new Map<string, GrammarSource>();
  for (const { id, grammar } of languages) {
    if (!grammar || grammar.of) continue;
    const wasmPath = wasmPathOf(grammar.npm, grammar.wasm);
    if (!wasmPath) continue;
    const frozen = found(here(`../../grammars/${id}.queries`), here(`../../../dist/grammars/${id}.queries`));
    const symbols = (grammar.symbols ?? [`${id}/symbols.scm`]).map(queryPath);
    const edges = (grammar.edges ?? [`${id}/edges.scm`]).map(queryPath).filter((path) => existsSync(path));
    sources.set(id, {
      wasmPath,
      querySource: joined(symbols),
      ...(frozen !== undefined && { frozen: () => readFileSync(frozen) }),
      ...(edges.length > 0 && { edgeSource: joined(edges) }),
    });
  }
  return sources;
}

function joined(paths: readonly string[]): string {
  return paths.map((path) => readFileSync(path, "utf8")).join("\n");
}

function queryPath(path: string): string {
  return here(`../../languages/${path}`);
}

function wasmPathOf(npm: string, wasm: string): string | undefined {
  return found(here(`../../grammars/${basename(wasm)}.br`), here(`../../../node_modules/${npm}/${wasm}`));
}

/** In the built package, or else in a checkout. */
function found(...places: readonly string[]): string | undefined {
  return places.find((place) => existsSync(place));
}

function here(relative: string): string {
  return fileURLToPath(new URL(relative, import.meta.url));
}
