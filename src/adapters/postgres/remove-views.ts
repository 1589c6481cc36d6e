/** Takes views, or a whole repository, out of the store. */
import type { Forgotten } from "../../ports/store.ts";
import { OF_A_REPOSITORY } from "./access-tables.ts";
import { forgetBlobs, removeUnheld } from "./blobs.ts";
import { nodeOf } from "./data-nodes.ts";
import type { Pinned } from "./pinned-views.ts";
import type { Transaction } from "./query-interface.ts";
import type { Place } from "./repository.ts";

/** What the views alone showed goes with the next collection. */
export async function forgetViews(
  tx: Transaction,
  { repo, epoch }: Place,
  refs: readonly string[],
  pinned: Pinned,
): Promise<readonly Forgotten[]> {
  const forgotten: Forgotten[] = [];
  for (const ref of refs) {
    const sql = `SELECT w.id, EXISTS (SELECT 1 FROM codecompass.view o WHERE o.repo = $1 AND o.base_view = w.id) AS is_base
      FROM codecompass.view w WHERE w.repo = $1 AND w.epoch = $2 AND w.ref = $3`;
    const [row] = await tx.rows<{ id: number; is_base: boolean }>(sql, [repo, epoch, ref]);
    if (row === undefined) forgotten.push({ ref, outcome: "unknown" });
    else if (pinned.views.has(row.id)) forgotten.push({ ref, outcome: "in_use" });
    else if (row.is_base) forgotten.push({ ref, outcome: "base_of_others" });
    else {
      for (const table of ["view_entry", "publication"])
        await tx.run(`DELETE FROM codecompass.${table} WHERE repo = $1 AND view = $2`, [repo, row.id]);
      await tx.run("DELETE FROM codecompass.view WHERE repo = $1 AND id = $2", [repo, row.id]);
      forgotten.push({ ref, outcome: "forgotten" });
    }
  }
  return forgotten;
}

/** The lease keeps others out until the end. */
const LAST: ReadonlySet<string> = new Set(["holding", "lease"]);

export async function removeRepository(tx: Transaction, repo: number): Promise<void> {
  for (const table of OF_A_REPOSITORY)
    if (!LAST.has(table)) await tx.run(`DELETE FROM codecompass.${table} WHERE repo = $1`, [repo]);
  await forgetBlobs(tx, repo);
  const left = await tx.rows<{ key: Buffer }>("DELETE FROM codecompass.holding WHERE repo = $1 RETURNING key", [repo]);
  await removeUnheld(
    tx,
    nodeOf(repo),
    left.map(({ key }) => key),
  );
  await tx.run("DELETE FROM codecompass.lease WHERE repo = $1", [repo]);
  await tx.run("DELETE FROM codecompass.repository WHERE id = $1", [repo]);
}
