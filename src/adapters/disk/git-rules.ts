/** Ignore texts that git knows of but a walk from the root does not meet: global, info/exclude, parent directories'. */
import { readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";

/** An ignore file's text and the directory it speaks of: relative to the repository's top, empty or ending in `/`. */
export interface IgnoreText {
  readonly directory: string;
  readonly text: string;
}

/** `prefix`: where the root lies below the repository's top, empty or ending in `/`. */
export function gitRuleTexts(
  root: string,
  above?: (directory: string) => string | undefined,
): { readonly prefix: string; readonly texts: readonly IgnoreText[] } {
  const top = repositoryTop(root);
  const global = { directory: "", text: textAt(globalExcludesPath()) };
  if (top === undefined) return { prefix: "", texts: [global] };
  const below = relative(top, root).split("\\").join("/");
  const parts = below === "" ? [] : below.split("/");
  const parents = parts.map((_, i) =>
    parts
      .slice(0, i)
      .map((part) => `${part}/`)
      .join(""),
  );
  const parentText = (directory: string) =>
    above === undefined ? textAt(join(top, directory, ".gitignore")) : (above(directory) ?? "");
  return {
    prefix: parts.map((part) => `${part}/`).join(""),
    texts: [
      global,
      { directory: "", text: textAt(join(commonGitDirectory(top), "info", "exclude")) },
      ...parents.map((directory) => ({ directory, text: parentText(directory) })),
    ],
  };
}

export function repositoryTop(root: string): string | undefined {
  for (let at = root; ; at = dirname(at)) {
    if (statSync(join(at, ".git"), { throwIfNoEntry: false }) !== undefined) return at;
    if (dirname(at) === at) return undefined;
  }
}

/** Linked worktrees and submodules have a `.git` file that points elsewhere; a worktree's excludes are its repository's. */
function commonGitDirectory(top: string): string {
  const dotGit = join(top, ".git");
  const pointer = /^gitdir: (.+)$/m.exec(textAt(dotGit))?.[1];
  const gitDirectory = pointer === undefined ? dotGit : resolve(top, pointer.trim());
  const common = textAt(join(gitDirectory, "commondir")).trim();
  return common === "" ? gitDirectory : resolve(gitDirectory, common);
}

function globalExcludesPath(): string {
  const config = process.env.XDG_CONFIG_HOME || join(homedir(), ".config");
  const said = [join(homedir(), ".gitconfig"), join(config, "git", "config")].map(excludesFileIn).find(Boolean);
  return said ?? join(config, "git", "ignore");
}

function excludesFileIn(configPath: string): string | undefined {
  const core = /^\s*\[core\]([^[]*)/im.exec(textAt(configPath))?.[1];
  const path = core && /^\s*excludesfile\s*=\s*"?([^"\n]+?)"?\s*$/im.exec(core)?.[1];
  if (!path) return undefined;
  const expanded = path.startsWith("~/") ? join(homedir(), path.slice(2)) : path;
  return isAbsolute(expanded) ? expanded : undefined;
}

function textAt(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
