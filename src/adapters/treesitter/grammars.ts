/** The `Grammars` port over tree-sitter's WebAssembly build: one instance per thread, each grammar loaded once. */
import type { Language, Parser, Tree } from "web-tree-sitter";
import type { Grammars, Parsed, RawDefinition } from "../../ports/grammars.ts";
import { compileQueries, readMatches, type SymbolQuery } from "./matches.ts";
import { type Runtime, startRuntime } from "./runtime.ts";

/** Where one language's grammar and query come from. */
export interface GrammarSource {
  readonly wasmPath: string;
  readonly querySource: string;
}

interface Grammar {
  readonly language: Language;
  readonly queries: readonly SymbolQuery[];
}

/** Memory of an instance never shrinks; one that a huge file blew up to this is replaced. */
const MEMORY_LIMIT_BYTES = 256 * 1024 * 1024;
/** Looking at the clock at each progress call (every 100 parser steps) costs 2 %; each 16th is still under 1 ms. */
const CALLS_PER_LOOK = 16;

export class TreeSitterGrammars implements Grammars {
  readonly #sources: ReadonlyMap<string, GrammarSource>;
  readonly #grammars = new Map<string, Grammar>();
  readonly #failures = new Map<string, string>();
  #runtime: Runtime | undefined;
  #parser: Parser | undefined;
  /** Grammars of a discarded instance, to be loaded into the next. */
  #lost: readonly string[] = [];
  #preparing: Promise<void> = Promise.resolve();

  constructor(sources: ReadonlyMap<string, GrammarSource>) {
    this.#sources = sources;
  }

  prepare(languages: Iterable<string>): Promise<void> {
    const wanted = [...languages].filter((id) => this.#sources.has(id) && !this.#failures.has(id));
    if (this.#runtime && wanted.every((id) => this.#grammars.has(id))) return READY;
    this.#preparing = this.#preparing.then(() => this.#load(wanted));
    return this.#preparing;
  }

  parse(language: string, text: string, budgetMs: number): Parsed {
    const grammar = this.#grammars.get(language);
    if (!grammar) return failed("crash", this.#failures.get(language) ?? `the grammar of ${language} is not loaded`);
    try {
      const parsed = this.#parseWith(grammar, text, deadline(budgetMs));
      if (this.#runtime!.wasm.HEAP32.byteLength > MEMORY_LIMIT_BYTES) this.#discard();
      return parsed;
    } catch (error) {
      this.#discard();
      return failed("crash", error instanceof Error ? error.message : String(error));
    }
  }

  #parseWith(grammar: Grammar, text: string, isLate: () => boolean): Parsed {
    const parser = this.#parser!;
    parser.setLanguage(grammar.language);
    const tree = parser.parse((index) => text.slice(index, index + INPUT_UNITS), null, { progressCallback: isLate });
    if (!tree) {
      parser.reset();
      return failed("timeout");
    }
    try {
      return this.#symbolsOf(grammar, tree, text, isLate);
    } finally {
      tree.delete();
    }
  }

  #symbolsOf(grammar: Grammar, tree: Tree, text: string, isLate: () => boolean): Parsed {
    const outcome = tree.rootNode.hasError ? "partial" : "clean";
    const definitions = readMatches(this.#runtime!, grammar.queries, tree, text, isLate);
    return definitions ? { outcome, definitions } : failed("timeout");
  }

  /** After a trap nothing in the instance can be trusted; the next `prepare` starts another. */
  #discard(): void {
    this.#runtime = undefined;
    this.#parser = undefined;
    this.#lost = [...this.#grammars.keys()];
    this.#grammars.clear();
  }

  async #load(wanted: readonly string[]): Promise<void> {
    if (!this.#runtime) {
      this.#runtime = await startRuntime();
      this.#parser = new this.#runtime.api.Parser();
    }
    for (const id of new Set([...this.#lost, ...wanted])) {
      if (!this.#grammars.has(id)) await this.#loadOne(id);
    }
    this.#lost = [];
  }

  async #loadOne(id: string): Promise<void> {
    const source = this.#sources.get(id)!;
    const { api } = this.#runtime!;
    try {
      const language = await api.Language.load(source.wasmPath);
      const queries = compileQueries(source.querySource, (part) => new api.Query(language, part));
      this.#grammars.set(id, { language, queries });
    } catch (error) {
      this.#failures.set(
        id,
        `the grammar of ${id} cannot be loaded: ${error instanceof Error ? error.message : error}`,
      );
    }
  }
}

const READY = Promise.resolve();
const NOTHING: readonly RawDefinition[] = [];
/** The library copies at most this much per call; a longer slice only costs. */
const INPUT_UNITS = 5_119;

function failed(outcome: "timeout" | "crash", detail?: string): Parsed {
  return { outcome, definitions: NOTHING, ...(detail ? { detail } : undefined) };
}

function deadline(budgetMs: number): () => boolean {
  const end = performance.now() + budgetMs;
  let calls = 0;
  return () => ++calls % CALLS_PER_LOOK === 0 && performance.now() > end;
}
