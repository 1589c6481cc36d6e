/** The files that an issue may be about, and the evidence for each so far. */
import type { ChunkCandidate } from "../../ports/candidates.ts";
import type { FileRow } from "../../ports/snapshot.ts";
import { fileWords } from "../coverage.ts";
import { pathClasses } from "../path-class.ts";
import { CONTENT_SIGNALS, type IssueFile, SIGNALS, type Signal, type SignalValues } from "./signals.ts";

/** Divided by the best file's value; the others are absolute. */
const RELATIVE = [...CONTENT_SIGNALS, "title_in_path", "path_in_text"] as const satisfies readonly Signal[];

const BEST_CHUNKS = 3;

export class CandidateFiles {
  readonly rows: ReadonlyMap<string, FileRow>;
  readonly #files = new Map<string, IssueFile>();

  constructor(rows: readonly FileRow[]) {
    this.rows = new Map(rows.map((file) => [file.path, file]));
  }

  /** Adds the file if it is new. */
  at(file: FileRow): IssueFile {
    let known = this.#files.get(file.path);
    if (known === undefined) {
      known = {
        file,
        signals: Object.fromEntries(SIGNALS.map((name) => [name, 0])) as SignalValues,
        chunks: new Map(),
      };
      this.#files.set(file.path, known);
    }
    return known;
  }

  known(path: string): IssueFile | undefined {
    return this.#files.get(path);
  }

  list(): IssueFile[] {
    return [...this.#files.values()];
  }

  addText(chunks: readonly ChunkCandidate[], [best, sum]: readonly [Signal, Signal], weight: number): void {
    const top = chunks[0]?.score ?? 1;
    const counts = new Map<string, number>();
    for (const { file, chunk, score } of chunks) {
      const { signals, chunks: held } = this.at(file);
      const count = counts.get(file.path) ?? 0;
      counts.set(file.path, count + 1);
      if (count === 0) signals[best] = score;
      if (count < BEST_CHUNKS) signals[sum] += score;
      held.set(chunk, (held.get(chunk) ?? 0) + (weight * score) / top);
    }
  }

  /** Tests and docs often repeat the words of an issue; they do not set the scale. */
  normalise(): void {
    for (const name of RELATIVE) {
      let most = 0;
      for (const { file, signals } of this.#files.values()) {
        if (isPlainSource(file.path)) most = Math.max(most, signals[name]);
      }
      for (const { signals } of this.#files.values()) {
        signals[name] = most === 0 ? 0 : Math.min(1.2, signals[name] / most);
      }
    }
  }

  classify(): void {
    for (const { file, signals } of this.#files.values()) {
      for (const name of pathClasses(file.path)) {
        if (name === "test" || name === "doc" || name === "data" || name === "entry") signals[name] = 1;
        else if (name === "generated" || name === "vendored" || name === "declaration") signals.generated = 1;
        else if (name === "example") signals.example = 1;
      }
      signals.size = Math.min(1, Math.log2(1 + (file.chunks ?? 1)) / 8);
      signals.depth = Math.min(1, fileWords(file.path).depth / 8);
    }
  }
}

const ASIDE = new Set(["test", "doc", "example", "data", "generated", "vendored"]);

export function isPlainSource(path: string): boolean {
  return !pathClasses(path).some((name) => ASIDE.has(name));
}
