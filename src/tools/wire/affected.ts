/** What a change reaches: users of changed symbols, likely tests, and which symbols others can see. */
import type { Compass, Diff, Project } from "../../compass/compass.ts";
import { WORKTREE } from "../../model/changes.ts";
import type { CodeSymbol } from "../../model/code.ts";
import { CompassError } from "../../model/errors.ts";
import type { AffectedCode } from "../../model/navigation.ts";
import { changedSymbols } from "./review-pack.ts";

export type AffectedWithWarnings = AffectedCode & { readonly warnings: readonly string[] };

/** Looks up users and tests in the view of the head, which may have to be indexed first. */
export async function findAffected(
  diff: Diff,
  compass: Compass,
  project: Project,
  signal: AbortSignal | undefined,
  { everyUser = false, tests = MOST_TESTS } = {},
): Promise<AffectedWithWarnings> {
  const ref = diff.headRef === WORKTREE ? {} : { ref: diff.headRef };
  const options = { policy: "balanced" as const, ...ref, ...(signal && { signal }) };
  const ask = {
    changed: changedSymbols(diff).map((symbol) => (everyUser ? { ...symbol, signature: true } : symbol)),
    paths: diff.files.map(({ path }) => path),
    callersOfEach: CALLERS_OF_EACH,
    tests: everyUser ? 0 : tests,
  };
  try {
    // A command has no watcher: without this, it would look for users in the tree as it was at the last command.
    await compass.freshen(project, { ...ref, orStale: true, ...(signal && { signal }) });
    return await compass.read(project, options, async (reading) => ({
      ...(await reading.affectedCode(ask)),
      warnings: reading.status.complete ? [] : ["Nothing is indexed yet: users and tests were not looked for."],
    }));
  } catch (error) {
    if (!(error instanceof CompassError)) throw error;
    return { ...NOTHING_AROUND, warnings: [`Users and tests were not looked for: ${error.message}`] };
  }
}

/** Users of each symbol; a caller that gets as many does not know how many more there are. */
export const CALLERS_OF_EACH = 10;
const MOST_TESTS = 20;
const NOTHING_AROUND: AffectedCode = { callers: [], totalCallers: 0, tests: [] };

const BESIDE_THE_CODE = /(?:^|[/._-])(?:tests?|specs?|__tests__|examples?|docs?)(?:[/._-]|$)/i;

/** Tests, examples and documentation. */
export function isNotCode(path: string): boolean {
  return BESIDE_THE_CODE.test(path);
}

/** Without a visibility in the language, by the name. */
export function isPublic({ visibility, name }: Pick<CodeSymbol, "visibility" | "name">): boolean {
  return visibility === "public" || (visibility === undefined && !/^[_#]/.test(name));
}
