/** What commands need of git directly: the hooks of a repository, and whether git reads it. */
import { gitHooks } from "../adapters/git/hooks.ts";
import type { Hooks } from "../ports/vcs.ts";

export { refusal as gitRefusal } from "../adapters/git/command.ts";

export function repositoryHooks(): Hooks {
  return gitHooks();
}
