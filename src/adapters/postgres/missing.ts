/** What extensions find repositories by, as far as it is not there yet: of one, or of all of them. */
import type { Db } from "./db.ts";
import { addSketches } from "./near.ts";
import { addSpoken } from "./spoken.ts";

export async function addMissing(db: Pick<Db, "rows" | "transaction">, repo?: number): Promise<void> {
  await addSketches(db, repo);
  await addSpoken(db, repo);
}
