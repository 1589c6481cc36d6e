/** The `Grammars` port over tree-sitter's WebAssembly build: one instance per thread, each grammar loaded once. */
import { readFileSync } from "node:fs";
import type { Node, Parser, Tree } from "web-tree-sitter";
import type { RawEdges } from "../../model/edges.ts";
import { errorMessage } from "../../model/errors.ts";
import type { Grammars, Parsed, ParseOptions, RawDefinition } from "../../ports/grammars.ts";
import { type Grammar, type GrammarSource, loadGrammar } from "./load.ts";
import { hideFaults, type Rows } from "./mask-unparsed.ts";
import type { Queries } from "./queries.ts";
import { readTree, type TreeReading } from "./read-tree.ts";
import { INPUT_UNITS, type Runtime, startRuntime } from "./runtime.ts";

/** A tree and what was read of it. */
interface ParseAttempt extends Pick<Parsed, "outcome" | "definitions" | "errors"> {
  readonly text: string;
  readonly tree: Tree | null;
  readonly reading: TreeReading | undefined;
}

function inputOf(text: string): (index: number) => string {
  return (index) => text.slice(index, index + INPUT_UNITS);
}

/** Memory of an instance never shrinks; one that a huge file blew up to this is replaced. */
const WORN_OUT_BYTES = 128 * 1024 * 1024;

/**
 * Of the time that is left when the tree stands. The rest is for symbols alone, should edges take too long: of an
 * ordinary file of 1 MiB those take a tenth of a second.
 */
const SHARE_WITH_EDGES = 0.85;

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
    const tries: ParseAttempt[] = [];
    const budget = budgetOf(budgetMs);
    try {
      const first = this.#try(grammar, text, budget, tries);
      const other = first.outcome === "partial" && simpler ? simpler(text) : text;
      // A branch that is not read costs its definitions; an error may cost those of the whole file.
      const second = other === text ? first : this.#try(grammar, other, budget, tries);
      const better = showsMore(second, first) ? second : first;
      const best = hasWideError(better) ? this.#withoutFaults(grammar, better, budget, tries) : better;
      return parsedOf(best, only === "definitions" ? undefined : best.reading?.edges());
    } catch (error) {
      this.#discard();
      // A second try that fails takes nothing away from the first but its edges.
      if (tries[0] !== undefined) return parsedOf(tries[0], undefined);
      return failed("crash", errorMessage(error));
    } finally {
      this.#clear(tries);
    }
  }

  /** Parses again without what cannot be read, and takes that if it shows as many definitions and loses less than half. */
  #withoutFaults(grammar: Grammar, best: ParseAttempt, budget: Budget, tries: ParseAttempt[]): ParseAttempt {
    const shown = hideFaults(best.text, (part) => this.#isReadable(part, budget));
    if (shown === undefined || budget.isLate()) return best;
    const found = this.#try(grammar, shown.text, budget, tries);
    const errors = mergedRows([...(found.errors ?? []), ...shown.hidden]);
    const other = { ...found, outcome: found.outcome === "clean" ? "partial" : found.outcome, errors } as const;
    const isBetter = other.definitions.length >= best.definitions.length && lostRows(other) * 2 < lostRows(best);
    return other.outcome === "partial" && isBetter ? other : best;
  }

  #isReadable(part: string, { isLate }: Budget): boolean {
    const tree = this.#parser!.parse(inputOf(part), null, { progressCallback: isLate });
    if (!tree) this.#parser!.reset();
    const isReadable = tree === null || !tree.rootNode.hasError;
    tree?.delete();
    return isReadable;
  }

  #try(grammar: Grammar, text: string, budget: Budget, tries: ParseAttempt[]): ParseAttempt {
    const parser = this.#parser!;
    parser.setLanguage(grammar.language);
    const tree = parser.parse(inputOf(text), null, { progressCallback: budget.isLate });
    if (!tree) parser.reset();
    const reading = tree && !isHopeless(tree) ? this.#read(grammar, tree, text, budget) : undefined;
    const outcome = !reading ? "timeout" : tree!.rootNode.hasError ? "partial" : "clean";
    const errors = outcome === "partial" && { errors: errorRows(tree!.rootNode) };
    const found = { outcome, definitions: reading?.definitions ?? NOTHING, ...errors, text, tree, reading } as const;
    tries.push(found);
    return found;
  }

  /** A file without edges is better than none. */
  #read({ queries, symbolsAlone }: Grammar, tree: Tree, text: string, budget: Budget): TreeReading | undefined {
    const reading = (by: Queries, { isLate }: Budget) => readTree(by, { tree, text, isLate });
    if (queries.edges === undefined) return reading(queries, budget);
    return reading(queries, budget.part(SHARE_WITH_EDGES)) ?? reading(symbolsAlone(), budget);
  }

  /** After a trap the trees are gone with their instance. */
  #clear(tries: readonly ParseAttempt[]): void {
    if (this.#runtime === undefined) return;
    for (const { tree } of tries) tree?.delete();
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
      this.#failures.set(id, `the grammar of ${id} cannot be loaded: ${errorMessage(error)}`);
    }
  }
}

/**
 * At every child of an error a query looks for the next one that has a name: behind 100,000 `(` each of its steps takes
 * 3 to 13 ms, it would need minutes, and it asks whether it is late every hundred steps only.
 */
const HOPELESS_STEPS = 4e8;

function isHopeless({ rootNode }: Tree): boolean {
  if (!rootNode.isError) return false;
  const { childCount, namedChildCount } = rootNode;
  return childCount ** 2 / (namedChildCount + 1) > HOPELESS_STEPS;
}

const READY = Promise.resolve();
const NOTHING: readonly RawDefinition[] = [];

/** More places than this are counted as one that reaches to the last of them. */
const MAX_ERRORS = 40;
/** Nodes on the way to errors; a hostile file has an error in every node. */
const MAX_VISITED = 2_000;

/** The rows that no node of the grammar covers. */
function errorRows(root: Node): { startRow: number; endRow: number }[] {
  const rows: { startRow: number; endRow: number }[] = [];
  const waiting = [root];
  for (let visited = 0; waiting.length > 0 && visited < MAX_VISITED; visited++) {
    const node = waiting.pop()!;
    if (!node.isError && !node.isMissing) {
      for (const child of node.children.toReversed()) if (child?.hasError) waiting.push(child);
      continue;
    }
    const { row: startRow } = node.startPosition;
    const { row: endRow } = node.endPosition;
    const last = rows.at(-1);
    if (last && (startRow <= last.endRow + 1 || rows.length === MAX_ERRORS))
      last.endRow = Math.max(last.endRow, endRow);
    else rows.push({ startRow, endRow });
  }
  return rows;
}

/** An error of so many rows hides definitions; to look for its cause costs about as much as the file. */
const WIDE_ROWS = 40;

function hasWideError({ errors = [] }: ParseAttempt): boolean {
  return errors.some(({ startRow, endRow }, i) => endRow - startRow >= WIDE_ROWS && i < MAX_ERRORS - 1);
}

function showsMore(a: ParseAttempt, b: ParseAttempt): boolean {
  const more = a.definitions.length - b.definitions.length;
  return more > 0 || (more === 0 && lostRows(a) < lostRows(b));
}

function lostRows({ errors = [] }: Pick<ParseAttempt, "errors">): number {
  return errors.reduce((sum, { startRow, endRow }) => sum + endRow - startRow + 1, 0);
}

/** Sorted; those that overlap are one. */
function mergedRows(rows: readonly Rows[]): Rows[] {
  const merged: Rows[] = [];
  for (const { startRow, endRow } of rows.toSorted((a, b) => a.startRow - b.startRow)) {
    const last = merged.at(-1);
    if (last && startRow <= last.endRow) merged[merged.length - 1] = { ...last, endRow: Math.max(last.endRow, endRow) };
    else merged.push({ startRow, endRow });
  }
  return merged;
}

function parsedOf({ outcome, definitions, errors }: ParseAttempt, edges: RawEdges | undefined): Parsed {
  if (outcome === "timeout") return failed("timeout");
  return { outcome, definitions, ...(errors && { errors }), ...(edges && { edges }) };
}

function failed(outcome: "timeout" | "crash", detail?: string): Parsed {
  return { outcome, definitions: NOTHING, ...(detail ? { detail } : undefined) };
}

/** How much CPU time a file may cost this thread: parsing it and reading its tree, all tries together. */
interface Budget {
  /**
   * Whether this thread has worked longer than the budget allows. Asked every 100 steps of parser and queries, which
   * costs nothing that can be measured. Time in which the thread could not run does not count: a stopped process or a
   * busy machine would otherwise cost an ordinary file its symbols.
   */
  readonly isLate: () => boolean;
  /** A share of what is left. */
  part(share: number): Budget;
}

export function budgetOf(ms: number): Budget {
  const end = threadCpuMs() + ms;
  // A thread works no faster than the clock runs, so CPU time is read only when the clock says that it may be used up.
  let nextLook = performance.now() + ms;
  const isLate = () => {
    const now = performance.now();
    if (now < nextLook) return false;
    const left = end - threadCpuMs();
    nextLook = now + left;
    return left <= 0;
  };
  return { isLate, part: (share) => budgetOf(Math.max(0, end - threadCpuMs()) * share) };
}

/**
 * Node knows the CPU time of a thread since 23.9, Linux always. Elsewhere an older Node knows only that of the whole
 * process, which is at least as much: with several threads, a file may then be given up early on a busy machine.
 */
function threadCpuMs(): number {
  if (typeof process.threadCpuUsage === "function") return milliseconds(process.threadCpuUsage());
  try {
    return Number(readFileSync("/proc/thread-self/schedstat", "latin1").split(" ")[0]) / 1e6;
  } catch {
    return milliseconds(process.cpuUsage());
  }
}

function milliseconds({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1000;
}
