/** Two cores over one tree, one on SQLite and one on a shared store, and random queries made of the tree's words. */
import type { Compass, Project } from "../../src/compass/compass.ts";
import { openCompass } from "../../src/compose/compose.ts";
import { DEFAULTS } from "../../src/config/schema.ts";
import { DEFAULT_SETTINGS } from "../../src/tools/define.ts";
import { findTool } from "../../src/tools/index.ts";
import { runTool } from "../../src/tools/run.ts";
import { prng } from "./prng.ts";

export interface IndexedEngine {
  readonly compass: Compass;
  readonly project: Project;
  /** The reply as text. */
  call(tool: string, input: object): Promise<string>;
}

/** Opens and indexes. `store`: a connection string, or empty for SQLite. */
export async function indexEngine(root: string, home: string, store: string): Promise<IndexedEngine> {
  const compass = await openCompass({ home, workspaces: [root], settings: { ...DEFAULTS, store }, watch: false });
  const project = await compass.project(root);
  await compass.index(project, { mode: "full", force: false, waitMs: 3_600_000 });
  return { compass, project, call: (tool, input) => ask(compass, tool, { workspace: root, ...input }) };
}

async function ask(compass: Compass, name: string, input: object): Promise<string> {
  const context = { compass, settings: DEFAULT_SETTINGS, version: "0", signal: new AbortController().signal };
  const reply = await runTool(findTool(name)!, input, context, {
    onBug: (error) => {
      throw error;
    },
  });
  return reply.text;
}

/** Queries of one to four neighbouring words of the texts; the same for the same seed. */
export function randomQueries(texts: readonly string[], count: number, seed = 7): string[] {
  const random = prng(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const lines = texts.flatMap((text) => text.split("\n")).filter((line) => /\w{4,}.*\w{4,}/.test(line));
  return Array.from({ length: count }, () => {
    const words = pick(lines).match(/[A-Za-z_]\w{2,}/g) ?? ["the"];
    const from = Math.floor(random() * words.length);
    return words.slice(from, from + 1 + Math.floor(random() * 4)).join(" ");
  });
}
