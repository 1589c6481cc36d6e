/** Takes views out of an index. What they alone showed goes with the next collection. Inside a write transaction. */
import type { Forgotten } from "../../ports/store.ts";
import type { Connection } from "./connection.ts";

export function forgetViews(
  db: Connection,
  refs: readonly string[],
  pinned: ReadonlyMap<number, number>,
): readonly Forgotten[] {
  return refs.map((ref) => {
    const view = db.get<{ id: number }>("SELECT id FROM view WHERE ref = ?", ref)?.id;
    if (view === undefined) return { ref, outcome: "unknown" };
    if (pinned.has(view)) return { ref, outcome: "in_use" };
    if (db.get("SELECT 1 FROM view WHERE base_view = ?", view) !== undefined) return { ref, outcome: "base_of_others" };
    for (const table of ["view_entry", "publication", "view_pack"]) db.run(`DELETE FROM ${table} WHERE view = ?`, view);
    db.run("DELETE FROM view WHERE id = ?", view);
    return { ref, outcome: "forgotten" };
  });
}
