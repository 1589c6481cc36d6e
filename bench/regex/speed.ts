/** Times of a warm search and of ripgrep, alternating, the best of several rounds. */
import { spawnSync } from "node:child_process";
import type { Compass, Project } from "../../src/compass/compass.ts";

/** Patterns that few files contain, and patterns that match every line. */
const SELECTIVE = ["unsubscribe", "TODO|FIXME", "fn\\s+parse_\\w+", "(?i)deprecated since", "\\bInvalidArgument\\b"];
const BROAD = [".", "\\w+", "^\\s*$", "e", "\\w+\\s*\\(\\w+\\)"];
const ROUNDS = 7;

export async function speed(compass: Compass, project: Project, rg: string): Promise<string[]> {
  return compass.read(project, { policy: "best_effort" }, async (reading) => {
    // ripgrep gets the tree without ignore rules: the same files except those that the index skipped.
    const theirs = (pattern: string) =>
      spawnSync(rg, ["--no-config", "--no-ignore", "-c", "-e", pattern, "."], {
        cwd: project.root,
        maxBuffer: 1 << 28,
      });
    const lines: string[] = [];
    for (const [kind, patterns] of [
      ["selective", SELECTIVE],
      ["broad", BROAD],
    ] as const) {
      for (const pattern of patterns) {
        const ours: number[] = [];
        const other: number[] = [];
        let total = 0;
        for (let round = 0; round < ROUNDS; round++) {
          const started = performance.now();
          const asked = pattern + "(?:)".repeat(round);
          const ask = { pattern: asked, before: 0, after: 0, offset: round % 2, limit: 50 };
          total = (await reading.grep(ask)).total;
          ours.push(performance.now() - started);
          const before = performance.now();
          theirs(pattern);
          other.push(performance.now() - before);
        }
        const [mine, ripgrep] = [Math.min(...ours.slice(1)), Math.min(...other)];
        const ratio = (mine / ripgrep).toFixed(2);
        lines.push(
          `${kind} ${pattern}: ${total} lines, ${mine.toFixed(1)} ms, ripgrep ${ripgrep.toFixed(1)} ms, ratio ${ratio}`,
        );
      }
    }
    return lines;
  });
}
