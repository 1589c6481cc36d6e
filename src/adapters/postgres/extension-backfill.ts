/** What extensions find repositories by, as far as it is not there yet: of one, or of all of them. */

import { addSpoken } from "./bm25-selection.ts";
import type { Db } from "./db.ts";
import { addSketches } from "./vector-selection.ts";

/** What was published stands, whoever is in the way of this: the next publication adds it, and `doctor` counts it. */
export async function addMissing(db: Pick<Db, "rows" | "transaction">, repo?: number): Promise<void> {
  for (const add of [addSketches, addSpoken]) await add(db, repo).catch(() => {});
}
