/** Go's own type checker as an oracle: `go-uses` is built with the machine's `go` and run once for the whole project. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { type ListedUses, listedOracle } from "./listed-uses.ts";
import type { Oracle } from "./oracle.ts";

interface Answer extends ListedUses {
  readonly packages: number;
  readonly skipped: Readonly<Record<string, string>>;
}

export interface GoTools {
  /** Directory of the built program. */
  readonly tools: string;
  /** Sources of modules by import path: dependencies of the projects that this repository does not contain. */
  readonly libraries: string;
}

export function goOracle(root: string, { tools, libraries }: GoTools): Oracle {
  const asked = spawnSync(built(tools), [root, libraries], { encoding: "utf8", maxBuffer: 1 << 30 });
  if (asked.status !== 0) throw new Error(`go-uses failed: ${asked.stderr}`);
  const answer = JSON.parse(asked.stdout) as Answer;
  const left = Object.entries(answer.skipped).map(([folder, why]) => `${folder} (${why.split("\n")[0]})`);
  const note = `${answer.packages} packages judged, ${left.length} left out${left.length > 0 ? `: ${left.join("; ")}` : ""}`;
  return listedOracle(root, answer, "bytes", note);
}

function built(tools: string): string {
  const program = join(tools, "go-uses");
  mkdirSync(tools, { recursive: true });
  const source = join(import.meta.dirname, "go-uses", "main.go");
  const env = { ...process.env, GO111MODULE: "off", GOCACHE: join(tools, "go-cache") };
  const made = spawnSync("go", ["build", "-o", program, source], { env, encoding: "utf8" });
  if (made.error || !existsSync(program)) {
    throw new Error(
      `This oracle needs Go 1.18 or later on the PATH (Debian: golang-go): ${made.error?.message ?? made.stderr}`,
    );
  }
  return program;
}
