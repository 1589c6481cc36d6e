/** The published views of a repository, in one question: every answer about one that is not checked out begins with it. */
import type { ViewInfo } from "../../ports/view.ts";
import { DEFAULT_REF } from "./default-view.ts";
import { requireReadable } from "./migrate.ts";
import type { Asking } from "./query-interface.ts";
import { requireSchema, UID } from "./repository.ts";
import { infoOf, VIEW_COLUMNS, type ViewRow } from "./view-state.ts";

interface Row extends Partial<ViewRow> {
  readonly least: number;
  readonly repo: number;
  readonly uid: string;
  readonly now_epoch: number;
  readonly schema_version: number;
  readonly is_default: boolean | null;
}

const COLUMNS = VIEW_COLUMNS.split(", ").map((column) => `w.${column}`);
const VIEWS = `SELECT (SELECT max(m.compatible_from) FROM codecompass.migration m) AS least, r.id AS repo, ${UID},
    r.epoch AS now_epoch, r.schema_version, w.ref = ${DEFAULT_REF} AS is_default, ${COLUMNS.join(", ")}
  FROM codecompass.repository r LEFT JOIN codecompass.view w ON w.repo = r.id AND w.epoch = r.epoch
  WHERE r.key = $1 ORDER BY w.ref`;

/** `shown`: the engine's address. */
export async function viewsOf(asking: Asking, key: string, shown: string): Promise<ViewInfo[]> {
  const rows = await asking.rows<Row>(VIEWS, [key], { prepared: "views" });
  const [first] = rows;
  if (first !== undefined) {
    requireReadable(first.least, shown);
    requireSchema(first);
  }
  return rows.flatMap((row) => {
    if (row.ref === null || row.ref === undefined) return [];
    return [{ ...infoOf(row as ViewRow, row.uid), ...(row.is_default === true && { isDefault: true as const }) }];
  });
}
