/** Calls tools in this process, over repositories on this machine or in a shared store without any checkout. */
import { join } from "node:path";
import type { Compass } from "../../src/compass/compass.ts";
import { type OpenOptions, openCompass } from "../../src/compose/compose.ts";
import { type Config, DEFAULTS } from "../../src/config/schema.ts";
import { DEFAULT_SETTINGS } from "../../src/tools/define.ts";
import { findTool } from "../../src/tools/index.ts";
import { runTool } from "../../src/tools/run.ts";
import { git, type Sandbox } from "./sandbox.ts";

export interface ToolReply {
  readonly isError: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: tests read replies as they come
  readonly body: any;
}

/** An open core whose tools can be called. */
export interface ToolClient {
  readonly compass: Compass;
  call(tool: string, input: object): Promise<ToolReply>;
  close(): Promise<void>;
}

export async function openToolClient(
  home: string,
  config: Partial<Config>,
  more: Partial<OpenOptions> = {},
): Promise<ToolClient> {
  const settings = { ...DEFAULTS, ...config };
  const compass = await openCompass({ home, workspaces: [], settings, watch: false, ...more });
  return {
    compass,
    call: async (name, input) => {
      const { isError, body } = await runTool(findTool(name)!, input, {
        compass,
        settings: DEFAULT_SETTINGS,
        version: "0.0.0",
      });
      return { isError, body };
    },
    close: () => compass.close(),
  };
}

/** Clones of repositories with these files, each named after its remote. */
export function makeClones(
  box: Sandbox,
  repositories: Readonly<Record<string, Readonly<Record<string, string>>>>,
): Map<string, string> {
  return new Map(
    Object.entries(repositories).map(([name, files]) => {
      const root = box.repository(files);
      git(root, "remote", "add", "origin", `https://${name}.git`);
      return [name, root];
    }),
  );
}

/** The same as a bare clone, as CI has it. */
export function makeBareClone(root: string, name: string): string {
  const bare = join(root, "..", `${root.split("/").at(-1)}.git`);
  git(root, "clone", "-q", "--bare", root, bare);
  git(bare, "remote", "set-url", "origin", `https://${name}.git`);
  return bare;
}

export async function indexAll({ compass }: ToolClient, roots: Iterable<string>): Promise<void> {
  for (const root of roots) {
    const job = await compass.index(await compass.register(root), { mode: "full", force: false, waitMs: 60_000 });
    if (job.status !== "published") throw new Error(`${root}: ${job.status}`);
  }
}
