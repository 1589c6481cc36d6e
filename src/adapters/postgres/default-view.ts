/** Which view of a repository is meant where nobody names one, and which files it shows now; as SQL over `r`, the repository. */

/** The same order as `defaultView` of the core: main, master, another branch, anything else, the base. */
const RANK = `CASE WHEN w.ref = 'refs/heads/main' THEN 0 WHEN w.ref = 'refs/heads/master' THEN 1
  WHEN w.ref LIKE 'refs/heads/%' THEN 2 WHEN w.ref = 'base' THEN 4 ELSE 3 END`;

/** To be joined as `d`. What a clone has edited is its own, and never the default. */
export const DEFAULT_VIEW = `LATERAL (
  SELECT w.id, w.ref, w.commit_id, w.base_view, w.base_generation FROM codecompass.view w
  WHERE w.repo = r.id AND w.epoch = r.epoch AND w.ref <> 'live' AND w.ref <> 'worktree' AND w.ref NOT LIKE 'worktree:%'
  ORDER BY ${RANK}, w.published_at DESC, w.ref LIMIT 1) d`;

const SEEN_IN_BASE = "b.opened <= d.base_generation AND (b.closed IS NULL OR b.closed > d.base_generation)";
const NOT_OVERRIDDEN = `NOT EXISTS (SELECT 1 FROM codecompass.view_entry o
  WHERE o.repo = r.id AND o.view = d.id AND o.path = b.path AND o.closed IS NULL)`;

/** Whether `d` shows the version `v`: by itself, or by its base where it says nothing else of the path. */
export const SHOWS_VERSION = `(
  EXISTS (SELECT 1 FROM codecompass.view_entry e
    WHERE e.repo = r.id AND e.version = v.id AND e.view = d.id AND e.closed IS NULL)
  OR EXISTS (SELECT 1 FROM codecompass.view_entry b
    WHERE b.repo = r.id AND b.version = v.id AND b.view = d.base_view AND ${SEEN_IN_BASE} AND ${NOT_OVERRIDDEN}))`;

/** What `d` shows at a path and behind it: rows of `path` and `version`. */
export function shownFrom(path: string): string {
  return `(SELECT e.path, e.version FROM codecompass.view_entry e
      WHERE e.repo = r.id AND e.view = d.id AND e.closed IS NULL AND e.version IS NOT NULL AND e.path >= ${path}
    UNION ALL
    SELECT b.path, b.version FROM codecompass.view_entry b
      WHERE b.repo = r.id AND b.view = d.base_view AND b.version IS NOT NULL AND b.path >= ${path}
        AND ${SEEN_IN_BASE} AND ${NOT_OVERRIDDEN})`;
}
