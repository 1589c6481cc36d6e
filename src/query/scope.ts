/** The part of the view that a question is about. */
import type { FileRow } from "../ports/view.ts";

export interface Scope {
  readonly languages?: readonly string[];
  /** A directory or a file, relative to the root. */
  readonly under?: string;
  /** Only paths that pass. */
  readonly keeps?: (path: string) => boolean;
}

/** What stores are told of it; a member that says nothing is left out. */
export function scopeOf({ languages, under, keeps }: Scope): Scope {
  return { ...(languages && { languages }), ...(under && { under }), ...(keeps && { keeps }) };
}

export function inScope(file: FileRow, scope: Scope): boolean {
  if (scope.languages !== undefined && !scope.languages.includes(file.language)) return false;
  if (scope.keeps?.(file.path) === false) return false;
  return scope.under === undefined || isUnder(file.path, scope.under);
}

/** The root is spelt "", "." or "/". */
function isUnder(path: string, under: string): boolean {
  const folder = under.replace(/^(\.?\/)+|\/+$/g, "");
  return folder === "" || folder === "." || path === folder || path.startsWith(`${folder}/`);
}
