/** Hunks of a unified diff. The repository may be at either side of it, so a frame carries both. */
import type { PastedFrame, SourceAnchor } from "./frame.ts";
import { normalisePath } from "./location.ts";

export interface Hunks {
  readonly frames: PastedFrame[];
  readonly used: ReadonlySet<number>;
}

export function readHunks(lines: readonly string[]): Hunks {
  const used = new Set<number>();
  const frames: PastedFrame[] = [];
  let [before, after]: [string | undefined, string | undefined] = [undefined, undefined];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!;
    const named = /^diff --git (?:"?[a-z]\/)?(.+?)"? "?[a-z]\/(.+?)"?$/.exec(line);
    if (named !== null) [before, after] = [named[1], named[2]];
    else if (/^--- \S/.test(line) && /^\+\+\+ \S/.test(lines[at + 1] ?? "")) before = headerPath(line);
    else if (/^\+\+\+ \S/.test(line) && used.has(at - 1)) after = headerPath(line);
    else if (HUNK.test(line)) {
      at = readHunk(lines, at, { path: after ?? before, frames, used });
      continue;
    } else if (
      !/^(?:index [\da-f]+\.\.|(?:new|deleted|old) (?:file )?mode |similarity index |rename (?:from|to) )/.test(line)
    )
      continue;
    used.add(at);
  }
  return { frames, used };
}

const HUNK = /^@@ -(\d{1,7})(?:,(\d{1,7}))? \+(\d{1,7})(?:,(\d{1,7}))? @@ ?(.*)$/;

/** `+++ b/src/cart.ts\t2026-01-01`; undefined for /dev/null. */
function headerPath(line: string): string | undefined {
  const path = line
    .slice(4)
    .split("\t")[0]!
    .trim()
    .replace(/^"(.*)"$/, "$1");
  return path === "/dev/null" ? undefined : normalisePath(path.replace(/^[abciw]\//, ""));
}

interface HunkTarget {
  readonly path: string | undefined;
  readonly frames: PastedFrame[];
  readonly used: Set<number>;
}

/** The last line of the hunk. */
function readHunk(lines: readonly string[], start: number, { path, frames, used }: HunkTarget): number {
  const [, oldStart, oldCount = "1", newStart, newCount = "1", heading] = HUNK.exec(lines[start]!)!;
  let [oldLine, newLine] = [Number(oldStart), Number(newStart)];
  const [oldEnd, newEnd] = [oldLine + Number(oldCount), newLine + Number(newCount)];
  let [removed, added, context]: (SourceAnchor | undefined)[] = [];
  let at = start;
  used.add(at);
  while (at + 1 < lines.length && (oldLine < oldEnd || newLine < newEnd)) {
    const line = lines[at + 1]!;
    const mark = line[0] ?? " ";
    if (!" +-\\".includes(mark)) break;
    used.add(++at);
    const source = line.slice(1).trim();
    if (mark === "-") removed ??= { line: oldLine, source };
    else if (mark === "+") added ??= { line: newLine, source };
    else if (mark === " " && removed === undefined && added === undefined) context = { line: oldLine, source };
    if (mark === "-" || mark === " ") oldLine++;
    if (mark === "+" || mark === " ") newLine++;
  }
  if (path === undefined) return at;
  const place = removed ?? context ?? added ?? { line: Math.max(1, Number(newStart)), source: "" };
  frames.push({
    format: "diff",
    path: normalisePath(path),
    line: place.line,
    at: start,
    ...(place.source !== "" && { source: place.source }),
    ...(added !== undefined && added.source !== "" && { after: added }),
    ...(heading && { symbol: heading.trim() }),
  });
  return at;
}
