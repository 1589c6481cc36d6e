/** Which deleted file lives on under another name: by equal content, then by how many lines they share. Pure. */
import { baseName } from "../model/paths.ts";

export interface RenameCandidate {
  readonly path: string;
  /** Equal ids mean equal bytes. */
  readonly id: string;
  /** Absent for what is not text. */
  readonly text?: string;
}

/** As git: half of the lines. */
const ALIKE = 0.5;
/** More pairs are compared by content only. */
const MOST_PAIRS = 40_000;

/** By new path: the old one. */
export function fileRenames(
  deleted: readonly RenameCandidate[],
  added: readonly RenameCandidate[],
): Map<string, string> {
  const renames = new Map<string, string>();
  const byId = new Map<string, RenameCandidate[]>();
  for (const file of deleted) byId.set(file.id, [...(byId.get(file.id) ?? []), file]);
  for (const file of added) {
    const same = byId.get(file.id) ?? [];
    // Of several copies the one that kept its name.
    const at = Math.max(
      0,
      same.findIndex((old) => baseName(old.path) === baseName(file.path)),
    );
    const [old] = same.splice(at, 1);
    if (old !== undefined) renames.set(file.path, old.path);
  }
  for (const [path, old] of alikeRenames(deleted, added, renames)) renames.set(path, old);
  return renames;
}

function alikeRenames(
  deleted: readonly RenameCandidate[],
  added: readonly RenameCandidate[],
  known: ReadonlyMap<string, string>,
): [string, string][] {
  const taken = new Set(known.values());
  const olds = deleted.filter((file) => !taken.has(file.path)).flatMap(lined);
  const news = added.filter((file) => !known.has(file.path)).flatMap(lined);
  if (olds.length * news.length > MOST_PAIRS) return [];
  const pairs = news.flatMap((file) =>
    olds.map((old) => ({ file, old, score: shared(old.lines, file.lines) + sameName(old, file) })),
  );
  pairs.sort((a, b) => b.score - a.score);
  const used = new Set<object>();
  return pairs.flatMap(({ file, old, score }): [string, string][] => {
    if (score < ALIKE || used.has(file) || used.has(old)) return [];
    used.add(file).add(old);
    return [[file.path, old.path]];
  });
}

interface CandidateLines extends RenameCandidate {
  readonly lines: ReadonlySet<string>;
}

/** Blank lines and lone brackets are in every file. */
function lined(file: RenameCandidate): CandidateLines[] {
  if (file.text === undefined) return [];
  const lines = file.text.split("\n").map((line) => line.trim());
  return [{ ...file, lines: new Set(lines.filter((line) => line.length > 2)) }];
}

function shared(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 || b.size === 0 || Math.min(a.size, b.size) < ALIKE * Math.max(a.size, b.size)) return 0;
  let both = 0;
  for (const line of a) if (b.has(line)) both++;
  return both / Math.max(a.size, b.size);
}

/** Decides between equals. */
function sameName(a: RenameCandidate, b: RenameCandidate): number {
  return baseName(a.path) === baseName(b.path) ? 0.01 : 0;
}
