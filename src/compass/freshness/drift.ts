/** What differs between a view and what it should show, and the texts that say so. */
import { OUTSIDE_RULES } from "../../model/paths.ts";
import type { Snapshot } from "../../ports/snapshot.ts";
import type { ResolvedRef } from "../refs/resolve-ref.ts";

export interface Drift {
  /** What a job has to read again. */
  readonly paths: readonly string[];
  /** Of an outdated view: the paths that also changed on disk; undefined: too many to compare. */
  readonly edited?: readonly string[] | undefined;
  readonly lastIndexedCommit?: string;
  readonly currentHead?: string;
  /** Ignore rules outside the tree are not those under which the view was made. */
  readonly rules?: true;
  /** The commit is the same, but more of it is in the repository. */
  readonly fetched?: true;
  /** Another release, or other settings, read files that have not changed. */
  readonly outdated?: true;
}

/** The drift of a view whose files differ at the `changed` paths; `OUTSIDE_RULES` among them is not a file. */
export function driftAt({ info }: Snapshot, now: ResolvedRef, changed: readonly string[]): Drift | undefined {
  if (changed.length === 0 && info.commit === now.commit) return undefined;
  const paths = changed.filter((path) => path !== OUTSIDE_RULES);
  return {
    paths,
    ...(paths.length < changed.length && { rules: true }),
    ...(info.commit !== undefined && { lastIndexedCommit: info.commit }),
    ...(now.commit !== undefined && { currentHead: now.commit }),
  };
}

/** The drift of a view that shows the right commit, but not as it would be read today. */
export function driftOfCommit({ commit }: ResolvedRef, reason: "fetched" | "outdated" | "rules"): Drift {
  return {
    paths: [],
    [reason]: true,
    ...(commit !== undefined && { lastIndexedCommit: commit, currentHead: commit }),
  };
}

const OTHER_RULES =
  "ignore rules outside the tree changed (git's info/exclude, the global ignore file or a .gitignore above it)";

const OTHER_RELEASE = "the ref was indexed by another release, or with other settings";

export function driftReason(drift: Drift): string {
  if (drift.outdated === true) return OTHER_RELEASE;
  if (drift.fetched === true) return "objects were fetched after the ref was indexed, and it lacks some";
  if (drift.lastIndexedCommit !== drift.currentHead) return "the last indexed commit does not match HEAD";
  if (drift.rules === true) return OTHER_RULES;
  const [first] = drift.paths;
  return drift.paths.length === 1 ? `${first} changed` : `${drift.paths.length} files changed, ${first} among them`;
}

export function staleWarning(drift: Drift): string {
  if (drift.paths.length === 0 || drift.rules) return `Stale: ${driftReason(drift)}.`;
  if (drift.outdated !== true) return `Stale: ${readDirectly(drift.paths)}`;
  const { edited } = drift;
  const also =
    edited === undefined ? " Some may also have changed." : edited.length > 0 ? ` Also ${readDirectly(edited)}` : "";
  return `Stale: ${OTHER_RELEASE}; its files are read again.${also}`;
}

function readDirectly(changed: readonly string[]): string {
  return `read these files directly, they changed after indexing: ${firstFew(changed)}.`;
}

const NAMED_IN_WARNING = 5;

export function firstFew(paths: readonly string[]): string {
  const named = paths.slice(0, NAMED_IN_WARNING).join(", ");
  return paths.length > NAMED_IN_WARNING ? `${named} and ${paths.length - NAMED_IN_WARNING} more` : named;
}
