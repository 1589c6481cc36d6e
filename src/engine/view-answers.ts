/** What the parts of a view answer: names, ids, mentions, trigrams. The same for every engine that keeps segments. */
import type { TrigramPlan } from "../model/grep.ts";
import type { SymbolCandidate, SymbolPage, SymbolQuery } from "../ports/candidates.ts";
import type { FileRow, Limits } from "../ports/snapshot.ts";
import { filesMentioning } from "../segment/mentions.ts";
import { eachSymbolNamed, symbolsWithId } from "../segment/read.ts";
import type { ViewPart } from "../segment/view.ts";

export function admitted<F extends FileRow>({ segment, files }: ViewPart<F>, plan: TrigramPlan): F[] {
  const flags = segment.trigrams.candidates(plan);
  const found: F[] = [];
  for (let slot = flags.indexOf(1); slot >= 0; slot = flags.indexOf(1, slot + 1)) {
    const file = files[slot];
    if (file !== undefined) found.push(file);
  }
  return found;
}

export function symbolPage(parts: readonly ViewPart<FileRow>[], query: SymbolQuery): SymbolPage {
  const { name, match, limit, atMost = Number.POSITIVE_INFINITY } = query;
  const found: SymbolCandidate[] = [];
  let matched = 0;
  for (const { segment, files } of parts) {
    eachSymbolNamed(segment, name, match, (slot, index, spelt) => {
      const file = files[slot];
      if (file === undefined || ++matched > atMost) return;
      found.push({ file, index, name: spelt });
    });
  }
  if (matched > atMost) return { candidates: [], matched: atMost + 1 };
  return { candidates: found.sort(byName).slice(0, limit), matched };
}

/** Symbols by id; their names are in the files' records. */
export function identified<F extends FileRow>(part: ViewPart<F>, id: string): { file: F; index: number }[] {
  return symbolsWithId(part.segment, id).flatMap(({ file: slot, index }) => {
    const file = part.files[slot];
    return file ? [{ file, index }] : [];
  });
}

export function mentioning<F extends FileRow>(part: ViewPart<F>, name: string): F[] {
  return filesMentioning(part.segment.mentions, name).flatMap((slot) => part.files[slot] ?? []);
}

export function importing({ segment, files }: ViewPart<FileRow>): { file: FileRow; modules: readonly string[] }[] {
  return files.flatMap((file, slot) => {
    const modules = file === undefined ? [] : segment.mentions.modulesOf(slot);
    return modules.length === 0 ? [] : [{ file: file!, modules }];
  });
}

interface FileProblemRow {
  readonly path: string;
  readonly problem?: string;
}

/** Files that could not be used as their language promises, by path. */
export function problemsOf(files: Iterable<FileProblemRow>): { path: string; problem: string }[] {
  const found: { path: string; problem: string }[] = [];
  for (const { path, problem } of files) if (problem !== undefined) found.push({ path, problem });
  return found.sort(byPath);
}

export function byPath(a: { readonly path: string }, b: { readonly path: string }): number {
  return compare(a.path, b.path);
}

export function byName(a: SymbolCandidate, b: SymbolCandidate): number {
  const named = a.name === b.name ? 0 : compare(a.name.toLowerCase(), b.name.toLowerCase()) || compare(a.name, b.name);
  return named || compare(a.file.path, b.file.path) || a.index - b.index;
}

export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export function deadline(limits: Limits | undefined, monotonic: () => number): () => boolean {
  limits?.signal?.throwIfAborted();
  const end = limits?.deadlineMs === undefined ? Number.POSITIVE_INFINITY : monotonic() + limits.deadlineMs;
  return () => limits?.signal?.aborted === true || monotonic() >= end;
}
