/** The `Grammars` port over tree-sitter's WebAssembly build: one instance per thread, each grammar loaded once. */
import type { Parser, Tree } from "web-tree-sitter";
import type { RawEdges } from "../../model/edges.ts";
import type { Grammars, Parsed, ParseOptions, RawDefinition } from "../../ports/grammars.ts";
import { withBlanks } from "./blanked.ts";
import { type Grammar, type GrammarSource, loadGrammar } from "./load.ts";
import { readTree, type TreeReading } from "./read-tree.ts";
import { INPUT_UNITS, type Runtime, startRuntime } from "./runtime.ts";

/** A tree and what was read of it. */
interface Try extends Pick<Parsed, "outcome" | "definitions"> {
  readonly tree: Tree | null;
  readonly reading: TreeReading | undefined;
}

interface Texts {
  readonly text: string;
  /** In a simpler form. */
  readonly other: string;
}

/** Memory of an instance never shrinks; one that a huge file blew up to this is replaced. */
const WORN_OUT_BYTES = 128 * 1024 * 1024;

export class TreeSitterGrammars implements Grammars {
  readonly #sources: ReadonlyMap<string, GrammarSource>;
  readonly #grammars = new Map<string, Grammar>();
  readonly #failures = new Map<string, string>();
  #runtime: Runtime | undefined;
  #parser: Parser | undefined;
  #preparing: Promise<void> = Promise.resolve();

  constructor(sources: ReadonlyMap<string, GrammarSource>) {
    this.#sources = sources;
  }

  prepare(languages: Iterable<string>): Promise<void> {
    const wanted = [...languages].filter((id) => this.#sources.has(id) && !this.#failures.has(id));
    if (this.#runtime && wanted.every((id) => this.#grammars.has(id))) return READY;
    this.#preparing = this.#preparing.catch(() => undefined).then(() => this.#load(wanted));
    return this.#preparing;
  }

  parse(language: string, text: string, budgetMs: number, { only, simpler }: ParseOptions = {}): Parsed {
    const grammar = this.#grammars.get(language);
    if (!grammar) return failed("crash", this.#failures.get(language) ?? `the grammar of ${language} is not loaded`);
    const tries: Try[] = [];
    try {
      const first = this.#try(grammar, text, budgetMs, tries);
      const other = first.outcome === "partial" && simpler ? simpler(text) : text;
      const best = other === text ? first : this.#better(grammar, { text, other }, budgetMs, tries);
      return parsedOf(best, only === "definitions" ? undefined : best.reading?.edges());
    } catch (error) {
      this.#discard();
      // A second try that fails takes nothing away from the first but its edges.
      if (tries[0] !== undefined) return parsedOf(tries[0], undefined);
      return failed("crash", error instanceof Error ? error.message : String(error));
    } finally {
      this.#clear(tries);
    }
  }

  /**
   * Of the first try and one of the other text. A branch that is not read costs its definitions; an error may cost those
   * of the whole file. Mostly it costs nothing, which parsing only what differs tells in a fifth of the time; a tree
   * that is made so may depend on the one before, so whatever it shows more of is parsed afresh.
   */
  #better(grammar: Grammar, { text, other }: Texts, budgetMs: number, tries: Try[]): Try {
    const first = tries[0]!;
    const before = withBlanks(first.tree!, text, other);
    if (before !== null) {
      const glance = this.#try(grammar, other, budgetMs, tries, before);
      before.delete();
      if (glance.definitions.length <= first.definitions.length) return first;
    }
    const second = this.#try(grammar, other, budgetMs, tries);
    return second.definitions.length > first.definitions.length ? second : first;
  }

  #try(grammar: Grammar, text: string, budgetMs: number, tries: Try[], before: Tree | null = null): Try {
    const isLate = limits(budgetMs);
    const parser = this.#parser!;
    parser.setLanguage(grammar.language);
    const input = (index: number) => text.slice(index, index + INPUT_UNITS);
    const tree = parser.parse(input, before, { progressCallback: isLate });
    if (!tree) parser.reset();
    const reading = tree ? this.#read(grammar, tree, text, budgetMs, isLate) : undefined;
    const outcome = !reading ? "timeout" : tree!.rootNode.hasError ? "partial" : "clean";
    const found = { outcome, definitions: reading?.definitions ?? NOTHING, tree, reading } as const;
    tries.push(found);
    return found;
  }

  /** A file without edges is better than none. */
  #read({ queries, symbolsAlone }: Grammar, tree: Tree, text: string, budgetMs: number, isLate: () => boolean) {
    const whole = readTree(this.#runtime!, queries, { tree, text, isLate });
    if (whole !== undefined || queries.edges === undefined) return whole;
    return readTree(this.#runtime!, symbolsAlone(), { tree, text, isLate: limits(budgetMs / 2) });
  }

  /** After a trap the trees are gone with their instance. */
  #clear(tries: readonly Try[]): void {
    if (this.#runtime === undefined) return;
    for (const { tree, reading } of tries) {
      reading?.close();
      tree?.delete();
    }
    if (this.#runtime.memory.buffer.byteLength > WORN_OUT_BYTES) this.#discard();
  }

  /** After a trap nothing in the instance can be trusted; the next `prepare` starts another. */
  #discard(): void {
    this.#runtime = undefined;
    this.#parser = undefined;
    this.#grammars.clear();
  }

  async #load(wanted: readonly string[]): Promise<void> {
    if (!this.#runtime) {
      this.#runtime = await startRuntime();
      this.#parser = new this.#runtime.api.Parser();
    }
    for (const id of wanted) {
      if (!this.#grammars.has(id)) await this.#loadOne(id);
    }
  }

  async #loadOne(id: string): Promise<void> {
    try {
      this.#grammars.set(id, await loadGrammar(this.#sources.get(id)!, this.#runtime!));
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

function parsedOf({ outcome, definitions }: Try, edges: RawEdges | undefined): Parsed {
  if (outcome === "timeout") return failed("timeout");
  return { outcome, definitions, ...(edges && { edges }) };
}

function failed(outcome: "timeout" | "crash", detail?: string): Parsed {
  return { outcome, definitions: NOTHING, ...(detail ? { detail } : undefined) };
}

/** On a busy machine an honest file is not given up because others kept it waiting; but there is an end to it. */
const PATIENCE = 4;

/**
 * Whether more of this thread's work was spent than the budget. Asked every 100 steps of the parser, which costs nothing
 * that can be measured.
 */
function limits(budgetMs: number): () => boolean {
  const start = performance.now();
  const endOfWork = threadMs() + budgetMs;
  return () => {
    const waited = performance.now() - start;
    return waited > budgetMs && (waited > PATIENCE * budgetMs || threadMs() > endOfWork);
  };
}

/** Time this thread has worked; before Node 23.9 it cannot be told, and the clock decides alone. */
function threadMs(): number {
  if (typeof process.threadCpuUsage !== "function") return performance.now();
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
