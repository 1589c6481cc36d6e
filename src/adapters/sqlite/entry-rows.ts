/**
 * The rows of a view under the hand of its writer. A plain view keeps a row per path and closes what it replaces; a
 * view with a base keeps only the paths at which it differs from one generation of that base, and a row that shows
 * nothing stands for a path that the base has and the view has not.
 */
import type { SkipReason } from "../../model/code.ts";
import type { Connection } from "./connection.ts";
import type { ViewRow } from "./rows.ts";

export interface Entry {
  readonly version: number | null;
  readonly skip: SkipReason | null;
}

export interface EntryRows {
  /** What the view shows at the path before the change. */
  current(path: string): Entry | undefined;
  /** Undefined: nothing from now on. */
  replace(path: string, entry: Entry | undefined): void;
}

export function entryRows(db: Connection, row: ViewRow, generation: number): EntryRows {
  return row.base_view === null ? plainRows(db, row.id, generation) : deltaRows(db, row, generation);
}

export function isSameEntry(one: Entry | undefined, other: Entry | undefined): boolean {
  return one?.version === other?.version && one?.skip === other?.skip;
}

const INSERT = "INSERT INTO view_entry (view, path, opened, version, skip) VALUES (?, ?, ?, ?, ?)";

function plainRows(db: Connection, view: number, generation: number): EntryRows {
  type Row = Entry & { readonly opened: number };
  const open = (path: string) =>
    db.get<Row>(
      "SELECT opened, version, skip FROM view_entry WHERE view = ? AND path = ? AND closed IS NULL",
      view,
      path,
    );
  const close = (path: string, { opened }: Row) => {
    // A row that this very publication opened was never seen by anybody.
    if (opened === generation)
      db.run("DELETE FROM view_entry WHERE view = ? AND path = ? AND opened = ?", view, path, opened);
    else
      db.run(
        "UPDATE view_entry SET closed = ? WHERE view = ? AND path = ? AND opened = ?",
        generation,
        view,
        path,
        opened,
      );
  };
  return {
    current: open,
    replace(path, entry) {
      const before = open(path);
      if (before !== undefined) close(path, before);
      if (entry !== undefined) db.run(INSERT, view, path, generation, entry.version, entry.skip);
    },
  };
}

/** Rows are replaced and not closed: a state of such a view is loaded from its base and all of its few rows. */
function deltaRows(db: Connection, { id, base_view, base_generation }: ViewRow, generation: number): EntryRows {
  const own = (path: string) =>
    db.get<Entry>("SELECT version, skip FROM view_entry WHERE view = ? AND path = ?", id, path);
  const ofBase = (path: string) =>
    db.get<Entry>(
      "SELECT version, skip FROM view_entry WHERE view = ? AND path = ? AND opened <= ? AND (closed IS NULL OR closed > ?)",
      base_view,
      path,
      base_generation,
      base_generation,
    );
  return {
    current: (path) => {
      const row = own(path) ?? ofBase(path);
      return row === undefined || isNothing(row) ? undefined : row;
    },
    replace(path, entry) {
      db.run("DELETE FROM view_entry WHERE view = ? AND path = ?", id, path);
      const { version, skip } = entry ?? { version: null, skip: null };
      if (!isSameEntry(ofBase(path), entry)) db.run(INSERT, id, path, generation, version, skip);
    },
  };
}

export function isNothing({ version, skip }: Entry): boolean {
  return version === null && skip === null;
}
