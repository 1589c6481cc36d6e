/** Which view of a repository is meant where nobody names one, as SQL over `r`, the repository. */

/** Read so that tables of the release before will do, which knew of none. */
export const DEFAULT_REF = "(to_jsonb(r) ->> 'default_ref')";

/** The same order as `defaultView` of the core: what is known to be it, main, master, another branch, anything else, the base. */
const RANK = `CASE WHEN w.ref = ${DEFAULT_REF} THEN -1 WHEN w.ref = 'refs/heads/main' THEN 0 WHEN w.ref = 'refs/heads/master' THEN 1
  WHEN w.ref LIKE 'refs/heads/%' THEN 2 WHEN w.ref = 'base' THEN 4 ELSE 3 END`;

/** To be joined as `d`. What a clone has edited is its own, and never the default. */
export const DEFAULT_VIEW = `LATERAL (
  SELECT w.* FROM codecompass.view w
  WHERE w.repo = r.id AND w.epoch = r.epoch AND w.ref <> 'live' AND w.ref <> 'worktree' AND w.ref NOT LIKE 'worktree:%'
  ORDER BY ${RANK}, w.published_at DESC, w.ref LIMIT 1) d`;
