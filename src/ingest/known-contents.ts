/**
 * Files whose content is stored already, as after a checkout of a branch that was seen before: they are known by a look
 * at their bytes, and no parse worker need be woken for them, which takes a tenth of a second when it sleeps.
 */
import type { Hash } from "../model/ids.ts";
import type { Build } from "../ports/build.ts";
import type { Files } from "../ports/files.ts";
import type { IndexRequest } from "../ports/indexer.ts";
import type { ReadOutcome, ReadTask } from "../ports/parsers.ts";
import { fetchBatch } from "./read-batch.ts";

/** More is read by the workers alone, which are several. */
const MOST_FILES = 256;
const MOST_BYTES = 8_000_000;

export interface KnownContentsPorts {
  readonly files: Files;
  readonly hash: Hash;
  readonly build: Pick<Build, "known">;
}

export interface KnownContents {
  /** Whether the rest was looked at, too. */
  readonly unseen?: true;
  readonly outcomes: readonly ReadOutcome[];
  /** What has to be parsed, or looked at more closely. */
  readonly rest: readonly ReadTask[];
}

export async function findKnownContents(
  { root, project, settings }: Pick<IndexRequest, "root" | "project" | "settings">,
  tasks: readonly ReadTask[],
  { files, hash, build }: KnownContentsPorts,
): Promise<KnownContents> {
  const bytes = tasks.reduce((sum, task) => sum + task.size, 0);
  if (tasks.length === 0 || tasks.length > MOST_FILES || bytes > MOST_BYTES) return { outcomes: [], rest: tasks };
  const { outcomes, fetched } = await fetchBatch({ root, project, settings, tasks }, { files, hash });
  // Each path is asked about once, and stands at the end of a version's text.
  const texts = await build.known(fetched.map(({ key }) => key));
  const known = new Set(Array.from(texts, (text) => text.slice(text.lastIndexOf("\0") + 1)));
  const rest: ReadTask[] = [];
  for (const { task, stamp, key } of fetched) {
    if (known.has(key.path)) outcomes[task] = { path: key.path, stamp, version: key, symbols: 0 };
    else rest.push(tasks[task]!);
  }
  return { outcomes: outcomes.filter((outcome) => outcome !== undefined), rest, unseen: true };
}
