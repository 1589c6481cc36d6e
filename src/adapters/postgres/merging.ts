/** Puts segments into the repository, and replaces several by one without the files that nothing needs any more. */
import { dueForMerge, dueForSettling, type SegmentSize } from "../../engine/merge-policy.ts";
import { cutIntoParts } from "../../segment/format.ts";
import { mergeSegments } from "../../segment/merge.ts";
import { openSegment } from "../../segment/read.ts";
import { int2, int4, int8 } from "./copy.ts";
import { nodeOf } from "./data-nodes.ts";
import type { Transaction } from "./query-interface.ts";
import type { Place } from "./repository.ts";
import { bytesOf, fetchParts, StoredSegment } from "./segments.ts";

/** Merges until the tiers are in order. Returns how many segments went away. */
export async function tidySegments(tx: Transaction, place: Place, mostChunks: number): Promise<number> {
  let merged = 0;
  for (;;) {
    const due = dueForMerge(await sizes(tx, place), mostChunks);
    if (due.length === 0) return merged;
    merged += await replaceSegments(tx, place, due);
  }
}

/** As `tidySegments`, when there is time. */
export async function settleSegments(tx: Transaction, place: Place): Promise<number> {
  const merged = await tidySegments(tx, place, Number.POSITIVE_INFINITY);
  return merged + (await replaceSegments(tx, place, dueForSettling(await sizes(tx, place))));
}

/** One segment in place of these, or none when no file of theirs is left. Returns how many went away. */
export async function replaceSegments(
  tx: Transaction,
  place: Place,
  segments: readonly Pick<SegmentSize, "id">[],
): Promise<number> {
  if (segments.length === 0) return 0;
  const ids = segments.map(({ id }) => id);
  const inputs = await readWhole(tx, place.repo, ids);
  const alive = await aliveOf(
    tx,
    place.repo,
    inputs.flatMap(({ versions }) => [...versions]),
  );
  const kept = inputs.map((stored) => ({
    segment: stored.segment,
    keep: (file: number) => alive.has(stored.versions[file]!),
  }));
  const versions = inputs.flatMap(({ versions }) => [...versions].filter((version) => alive.has(version)));
  if (versions.length > 0) await insertSegment(tx, place, Uint32Array.from(versions), mergeSegments(kept));
  await removeSegments(tx, place.repo, ids);
  return versions.length > 0 ? ids.length - 1 : ids.length;
}

export async function removeSegments(tx: Transaction, repo: number, ids: readonly number[]): Promise<void> {
  await tx.run("DELETE FROM codecompass.segment WHERE repo = $1 AND id = ANY($2)", [repo, ids]);
  await tx.run("DELETE FROM codecompass.segment_part WHERE repo = $1 AND segment = ANY($2)", [repo, ids]);
}

export async function insertSegment(
  tx: Transaction,
  { repo, epoch }: Place,
  versions: Uint32Array,
  bytes: Uint8Array,
): Promise<void> {
  const { chunkCount } = openSegment(bytes);
  const { head, parts } = cutIntoParts(bytes);
  const next =
    "UPDATE codecompass.repository SET last_segment = last_segment + 1 WHERE id = $1 RETURNING last_segment AS id";
  const [{ id }] = (await tx.rows<{ id: number }>(next, [repo])) as [{ id: number }];
  const row = [int4(repo), int8(id), int4(epoch), int4(chunkCount), bytesOf(versions), head];
  // A node commits before the store does: a crash in between leaves parts there, under a number that is given out again.
  if (nodeOf(repo) !== 0)
    await tx.run("DELETE FROM codecompass.segment_part WHERE repo = $1 AND segment >= $2", [repo, id]);
  await tx.copy("codecompass.segment", "repo, id, epoch, chunks, versions, head", [row]);
  await tx.copy(
    "codecompass.segment_part",
    "repo, segment, start, kind, bytes",
    parts.map((part) => [int4(repo), int8(id), int4(part.start), int2(part.kind), part.bytes]),
  );
}

export async function readWhole(tx: Transaction, repo: number, ids: readonly number[]): Promise<StoredSegment[]> {
  const sql = "SELECT id, versions, head FROM codecompass.segment WHERE repo = $1 AND id = ANY($2) ORDER BY id";
  const rows = await tx.rows<ConstructorParameters<typeof StoredSegment>[0]>(sql, [repo, ids]);
  const segments = rows.map((row) => new StoredSegment(row));
  await fetchParts(tx, repo, segments, [...new Set(segments.flatMap(({ kinds }) => kinds))]);
  return segments;
}

/** 0 stands for a file that another segment holds; no version has that number. */
async function aliveOf(tx: Transaction, repo: number, versions: readonly number[]): Promise<Set<number>> {
  const sql = "SELECT id FROM codecompass.file_version WHERE repo = $1 AND id = ANY($2)";
  return new Set((await tx.rows<{ id: number }>(sql, [repo, versions])).map(({ id }) => id));
}

async function sizes(tx: Transaction, { repo, epoch }: Place): Promise<SegmentSize[]> {
  const sql = "SELECT id, chunks FROM codecompass.segment WHERE repo = $1 AND epoch = $2 ORDER BY id";
  return tx.rows<SegmentSize>(sql, [repo, epoch]);
}
