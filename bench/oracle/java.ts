/** javac as an oracle: `java-uses` is compiled and run once for the whole tree. */
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type ListedUses, listedOracle } from "./listed-uses.ts";
import type { Oracle } from "./oracle.ts";

export function javaOracle(root: string, tools: string): Oracle {
  const source = join(import.meta.dirname, "java-uses", "JavaUses.java");
  mkdirSync(tools, { recursive: true });
  const made = spawnSync("javac", ["-d", tools, source], { encoding: "utf8" });
  if (made.status !== 0) throw new Error(`This oracle needs a JDK on the PATH: ${made.error?.message ?? made.stderr}`);
  const { status, stdout, stderr } = spawnSync("java", ["-cp", tools, "JavaUses", root], {
    encoding: "utf8",
    maxBuffer: 1 << 30,
  });
  if (status !== 0) throw new Error(`java-uses failed: ${stderr}`);
  const listed = JSON.parse(stdout) as ListedUses;
  return listedOracle(root, listed, "utf16", `${listed.files.length} files, ${listed.unknown?.length} names not bound`);
}
