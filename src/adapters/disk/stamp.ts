/** `size:mtimeNs:inode`: equal stamps mean the file was not touched. */
import type { BigIntStats } from "node:fs";

export function stampOf(stats: BigIntStats): string {
  return `${stats.size}:${stats.mtimeNs}:${stats.ino}`;
}
