/** Names the machine and the container that this process runs in: only there can its neighbours see whether it lives. */
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

let known: string | undefined;

export function thisHost(): string {
  known ??= [hostname(), readBoot(), readNamespace()].join(" ");
  return known;
}

function readBoot(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return "";
  }
}

/** Containers of one machine share its boot, but not their process numbers. */
function readNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
}
