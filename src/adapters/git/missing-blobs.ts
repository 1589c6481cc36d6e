/**
 * Which blobs of a partial clone are not here. Asking for one makes git before 2.45 start a fetch for each; the remote
 * is closed to it (see `command.ts`), so that would only take long.
 */
import type { CommitTree } from "../../ports/git-objects.ts";
import { gitOutput } from "./command.ts";
import { locateRepository, readConfig } from "./locate.ts";

export async function missingIn({ root, commit }: CommitTree): Promise<ReadonlySet<string>> {
  if (!isPartial(root)) return new Set();
  const args = [
    "rev-list",
    "--objects",
    "--no-object-names",
    "--missing=print",
    "--no-walk",
    "--end-of-options",
    commit,
  ];
  const listed = (await gitOutput(root, args))?.toString("latin1") ?? "";
  return new Set(Array.from(listed.matchAll(/^\?([0-9a-f]+)$/gm), ([, id]) => id!));
}

function isPartial(root: string): boolean {
  const repository = locateRepository(root);
  const config = repository === undefined ? "" : readConfig(repository.commonDir);
  return /^[ \t]*(?:partialclone|promisor|partialclonefilter)[ \t]*=/im.test(config);
}
