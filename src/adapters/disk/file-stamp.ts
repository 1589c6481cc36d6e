/** `size:mtimeNs:inode`: equal stamps mean the file was not touched. */
import type { BigIntStats } from "node:fs";

export function fileStamp(stats: BigIntStats): string {
  // As numbers where they fit: a bigint takes several times as long to spell, and every file of a tree is asked.
  return `${Number(stats.size)}:${stats.mtimeNs}:${formatInode(stats.ino)}`;
}

function formatInode(value: bigint): string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? String(number) : String(value);
}
