/** The hooks of the version control that a tree is under. */
import { gitHooks } from "../adapters/git/hooks.ts";
import type { Hooks } from "../ports/vcs.ts";

export function repositoryHooks(): Hooks {
  return gitHooks();
}
