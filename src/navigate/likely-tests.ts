/** Which tests a change should be tried with: those it touches, those that use what changed, those named after it. Pure. */
import type { LikelyTest } from "../model/navigation.ts";

export interface TestQuestion {
  /** Every path of the view that is a test. */
  readonly tests: readonly string[];
  readonly changedPaths: readonly string[];
  /** Names that changed, by the path of a test that uses them. */
  readonly uses: ReadonlyMap<string, readonly string[]>;
  readonly limit: number;
}

export function likelyTests({ tests, changedPaths, uses, limit }: TestQuestion): LikelyTest[] {
  const changed = new Set(changedPaths);
  const subjects = new Set(changedPaths.filter((path) => !tests.includes(path)).map(subjectOf));
  const found = tests.flatMap((path): LikelyTest[] => {
    const names = uses.get(path) ?? [];
    if (changed.has(path)) return [{ path, reason: "changed", uses: names }];
    if (subjects.has(subjectOf(path))) return [{ path, reason: "named_alike", uses: names }];
    return names.length > 0 ? [{ path, reason: "uses", uses: names }] : [];
  });
  return found.sort((a, b) => rankOf(b) - rankOf(a) || (a.path < b.path ? -1 : 1)).slice(0, limit);
}

/** A test named after the file that changed is the best guess; then the more of what changed it uses. */
function rankOf({ reason, uses }: LikelyTest): number {
  return { changed: 2_000, named_alike: 1_000, uses: 0 }[reason] + Math.min(uses.length, 999);
}

/** `src/auth.ts`, `auth.test.ts`, `test_auth.py`, `auth_test.go`, `AuthTest.java`, `auth_spec.rb` are about `auth`. */
function subjectOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1).replace(/\.[^.]*$/, "");
  return name
    .replace(/[._-](?:test|spec|tests|specs)$/i, "")
    .replace(/^(?:test|spec)[._-]/i, "")
    .replace(/(?<=[a-z0-9])(?:Tests?|Specs?|TestCase)$/, "")
    .toLowerCase();
}
