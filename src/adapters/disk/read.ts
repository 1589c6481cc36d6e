/** Reads one regular file completely, without following links, blocking on a FIFO or trusting a file that is being written. */
import { type BigIntStats, closeSync, fstatSync, readSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import type { ReadResult } from "../../ports/files.ts";
import { openConfined } from "./confined-open.ts";
import { fileStamp, skipReason } from "./paths.ts";

/**
 * Modification times have a resolution of 4 to 10 ms. A file written within the current tick could be written again with
 * the same stamp after it was read, so it is read again when the tick is over.
 */
const TICK_MS = 15;

export async function readSettled(root: string, path: string, maxBytes: number): Promise<ReadResult> {
  const first = readNow(root, path, maxBytes);
  if (!first.ok || !isWithinTick(first.stamp)) return first;
  await setTimeout(TICK_MS);
  return readNow(root, path, maxBytes);
}

function isWithinTick(stamp: string): boolean {
  const age = Date.now() - Number(BigInt(stamp.split(":")[1]!) / 1_000_000n);
  return age < TICK_MS && age > -TICK_MS;
}

/** Reads again once if the file changed while it was read. The stamp is from before reading. */
export function readNow(root: string, path: string, maxBytes: number): ReadResult {
  try {
    const first = attempt(root, path, maxBytes);
    return "settled" in first && !first.settled ? strip(attempt(root, path, maxBytes)) : strip(first);
  } catch (error) {
    return { ok: false, reason: skipReason(error) };
  }
}

type Attempt = ReadResult & { readonly settled?: boolean };

function attempt(root: string, path: string, maxBytes: number): Attempt {
  const descriptor = openConfined(root, path);
  try {
    const before = fstatSync(descriptor, { bigint: true });
    if (!before.isFile()) return { ok: false, reason: before.isDirectory() ? "gone" : "not_regular" };
    if (before.size > BigInt(maxBytes)) return { ok: false, reason: "too_large" };
    const bytes = fill(descriptor, before);
    const after = fstatSync(descriptor, { bigint: true });
    const stamp = fileStamp(before);
    return { ok: true, bytes, stamp, settled: stamp === fileStamp(after) && bytes.length === Number(before.size) };
  } finally {
    closeSync(descriptor);
  }
}

/** At most the size at opening; less if the file was truncated meanwhile. */
function fill(descriptor: number, stats: BigIntStats): Uint8Array {
  const bytes = new Uint8Array(Number(stats.size));
  let at = 0;
  while (at < bytes.length) {
    const count = readSync(descriptor, bytes, at, bytes.length - at, at);
    if (count === 0) break;
    at += count;
  }
  return at === bytes.length ? bytes : bytes.subarray(0, at);
}

function strip(result: Attempt): ReadResult {
  return result.ok ? { ok: true, bytes: result.bytes, stamp: result.stamp } : { ok: false, reason: result.reason };
}
