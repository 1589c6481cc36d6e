/** Which files an issue names: frames of stack traces, quoted paths, dotted modules. */
import type { FileRow, Snapshot } from "../../ports/snapshot.ts";
import { chunkAt } from "../mentions.ts";
import type { CandidateFiles } from "./candidate-files.ts";
import type { IssueEvidence } from "./evidence.ts";

/** The innermost frame of the repository counts full, each one further out less. */
const OUTER_FRAME = 0.8;
const LATER_PATH = 0.9;
const CHUNK_OF_FRAME = 0.8;

export async function addPlaces(
  files: CandidateFiles,
  { frames, paths, dotted }: IssueEvidence,
  at: Snapshot,
): Promise<void> {
  const bySuffix = suffixes([...files.rows.keys()]);
  let share = 1;
  for (const { path, line, name } of frames) {
    const file = longestSuffix(path, bySuffix, files.rows);
    if (file === undefined) continue;
    const held = files.at(file);
    held.signals.stack_frame = Math.max(held.signals.stack_frame, share);
    const frame = await at.frame(file);
    const chunk = chunkOfFrame(frame, line, name);
    if (chunk >= 0) held.chunks.set(chunk, (held.chunks.get(chunk) ?? 0) + CHUNK_OF_FRAME * share);
    share *= OUTER_FRAME;
  }
  let weight = 1;
  for (const path of paths) {
    const file = longestSuffix(path, bySuffix, files.rows);
    if (file === undefined) continue;
    const { signals } = files.at(file);
    signals.quoted_path = Math.max(signals.quoted_path, weight);
    weight *= LATER_PATH;
  }
  const modules = new Map<string, FileRow[]>();
  for (const file of files.rows.values()) {
    const last = modulePath(file.path).split("/").at(-1)!;
    const known = modules.get(last);
    if (known) known.push(file);
    else modules.set(last, [file]);
  }
  for (const name of dotted) addModule(files, name.split("."), modules);
}

/** The trace may come from another version: the named function is closer than the line. */
function chunkOfFrame(frame: Awaited<ReturnType<Snapshot["frame"]>>, line: number, name: string | undefined): number {
  let best = -1;
  if (name !== undefined) {
    for (let i = 0; i < frame.symbolCount; i++) {
      if (frame.name(i) === name && (best < 0 || Math.abs(frame.line(i) - line) < Math.abs(frame.line(best) - line)))
        best = i;
    }
  }
  if (best >= 0 && (line < frame.line(best) || line > frame.lastLine(best))) return chunkAt(frame, frame.line(best));
  return chunkAt(frame, Math.min(line, frame.lineCount));
}

/** `a.b.c.D.e`: the longest run of leading parts that is a file of two parts or more. */
function addModule(
  files: CandidateFiles,
  parts: readonly string[],
  modules: ReadonlyMap<string, readonly FileRow[]>,
): void {
  for (let length = parts.length; length > 0; length--) {
    const path = parts.slice(0, length).join("/");
    const found = (modules.get(parts[length - 1]!) ?? []).filter((file) => {
      const module = modulePath(file.path);
      return module === path || module.endsWith(`/${path}`);
    });
    if (found.length === 0 || (length === 1 && found.length > 2)) continue;
    const weight = (length > 1 ? 1 : 0.4) / found.length;
    for (const file of found) {
      const { signals } = files.at(file);
      signals.module = Math.max(signals.module, weight);
    }
    return;
  }
}

function suffixes(paths: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const byName = new Map<string, string[]>();
  for (const path of paths) {
    const name = path.slice(path.lastIndexOf("/") + 1);
    const known = byName.get(name);
    if (known) known.push(path);
    else byName.set(name, [path]);
  }
  return byName;
}

/** The file with most trailing directories in common; undefined if several have as many, or a name alone is ambiguous. */
function longestSuffix(
  path: string,
  byName: ReadonlyMap<string, readonly string[]>,
  rows: ReadonlyMap<string, FileRow>,
): FileRow | undefined {
  const parts = path.split("/");
  const rivals = byName.get(parts.at(-1)!) ?? [];
  let best: string | undefined;
  let most = 0;
  let isTied = false;
  for (const rival of rivals) {
    const common = commonEnd(parts, rival.split("/"));
    if (common > most) [best, most, isTied] = [rival, common, false];
    else if (common === most) isTied = true;
  }
  if (best === undefined || isTied) return undefined;
  // `site-packages/other/utils.py` is no file of the repository's `utils.py`.
  const isForeign = parts.length > 2 && most === 1;
  return isForeign && best.includes("/") ? undefined : rows.get(best);
}

function commonEnd(a: readonly string[], b: readonly string[]): number {
  let count = 0;
  while (count < a.length && count < b.length && a[a.length - 1 - count] === b[b.length - 1 - count]) count++;
  return count;
}

export function modulePath(path: string): string {
  return path.replace(/\.[^./]+$/, "").replace(/\/(?:__init__|index|mod|lib)$/, "");
}
