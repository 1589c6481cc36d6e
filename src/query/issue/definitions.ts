/** Which files define the names of an issue. */
import type { FileRow, Snapshot } from "../../ports/snapshot.ts";
import { chunkAt } from "../mentions.ts";
import { type CandidateFiles, isPlainSource } from "./candidate-files.ts";
import type { IssueEvidence } from "./evidence.ts";
import { modulePath } from "./named-files.ts";
import type { IssueFile } from "./signals.ts";

/** A name with more definitions than this is a word like `run`. */
const MAX_DEFINITIONS = 32;
const QUALIFIED_DEFINITIONS = 200;
const MAX_LOOKUPS = 96;
const MAX_QUALIFIED = 48;
const DEFINITION_IN_CHUNK = 0.5;

export async function addDefinitions(
  files: CandidateFiles,
  { names, dotted }: IssueEvidence,
  at: Snapshot,
): Promise<void> {
  for (const [name, weight] of [...names].slice(0, MAX_LOOKUPS)) {
    const page = await at.symbols({ name, match: "exact", limit: MAX_DEFINITIONS, atMost: MAX_DEFINITIONS });
    const perFile = new Set<string>();
    for (const { file, index } of page.candidates) {
      if (!files.rows.has(file.path) || perFile.has(file.path)) continue;
      perFile.add(file.path);
      const gain = weight / Math.sqrt(page.matched);
      const held = files.at(file);
      held.signals.definitions += gain;
      if (isPlainSource(file.path)) await creditChunk(held, index, gain * DEFINITION_IN_CHUNK, at);
    }
  }
  for (const name of dotted.slice(0, MAX_QUALIFIED)) {
    const parts = name.split(".");
    const last = parts.at(-1)!;
    const owner = parts.at(-2)!;
    const page = await at.symbols({
      name: last,
      match: "exact",
      limit: QUALIFIED_DEFINITIONS,
      atMost: QUALIFIED_DEFINITIONS,
    });
    const found: { file: FileRow; index: number }[] = [];
    for (const { file, index } of page.candidates) {
      if (!files.rows.has(file.path)) continue;
      const frame = await at.frame(file);
      const parent = frame.parent(index);
      const isOwned = parent === undefined ? moduleEndsWith(file.path, owner) : frame.name(parent) === owner;
      if (isOwned) found.push({ file, index });
    }
    for (const { file, index } of found) {
      const held = files.at(file);
      held.signals.qualified_definitions += 1 / found.length;
      await creditChunk(held, index, DEFINITION_IN_CHUNK / found.length, at);
    }
  }
}

async function creditChunk(held: IssueFile, index: number, gain: number, at: Snapshot): Promise<void> {
  const frame = await at.frame(held.file);
  const chunk = chunkAt(frame, frame.line(index));
  if (chunk >= 0) held.chunks.set(chunk, (held.chunks.get(chunk) ?? 0) + gain);
}

/** `a/b/c.py` and `a/b/c/__init__.py` are the module c. */
function moduleEndsWith(path: string, name: string): boolean {
  return modulePath(path).endsWith(`/${name}`) || modulePath(path) === name;
}
