/** Ignore texts that git knows of but a walk from the root does not meet: global, info/exclude, parent directories'. */
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { readBounded, readBoundedText } from "../../io/bounded-read.ts";

/** As for the ignore files inside a tree. */
const MAX_RULES_BYTES = 1 << 20;

/** An ignore file's text and the directory it speaks of: relative to the repository's top, empty or ending in `/`. */
export interface IgnoreText {
  readonly directory: string;
  readonly text: string;
}

export interface GitRuleTexts {
  /** Where the root lies below the repository's top, empty or ending in `/`. */
  readonly prefix: string;
  readonly texts: readonly IgnoreText[];
  /** Files that are there and were not read, one sentence each. */
  readonly problems: readonly string[];
}

export function gitRuleTexts(root: string, above?: (directory: string) => string | undefined): GitRuleTexts {
  const problems: string[] = [];
  const textAt = (path: string): string => {
    const read = readBounded(path, MAX_RULES_BYTES);
    if ("bytes" in read) return read.bytes.toString("utf8");
    if (read.problem.code !== "missing")
      problems.push(`${path} ${read.problem.reason}: its ignore rules do not apply.`);
    return "";
  };
  const top = repositoryTop(root);
  const global = { directory: "", text: textAt(globalExcludesPath()) };
  if (top === undefined) return { prefix: "", texts: [global], problems };
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
    problems,
  };
}

export function repositoryTop(root: string): string | undefined {
  for (let at = root; ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return at;
    if (dirname(at) === at) return undefined;
  }
}

/** Linked worktrees and submodules have a `.git` file that points elsewhere; a worktree's excludes are its repository's. */
function commonGitDirectory(top: string): string {
  const dotGit = join(top, ".git");
  const pointer = /^gitdir: (.+)$/m.exec(smallText(dotGit))?.[1];
  const gitDirectory = pointer === undefined ? dotGit : resolve(top, pointer.trim());
  const common = smallText(join(gitDirectory, "commondir")).trim();
  return common === "" ? gitDirectory : resolve(gitDirectory, common);
}

function globalExcludesPath(): string {
  const config = process.env.XDG_CONFIG_HOME || join(homedir(), ".config");
  const said = [join(homedir(), ".gitconfig"), join(config, "git", "config")].map(excludesFileIn).find(Boolean);
  return said ?? join(config, "git", "ignore");
}

function excludesFileIn(configPath: string): string | undefined {
  const core = /^\s*\[core\]([^[]*)/im.exec(smallText(configPath))?.[1];
  const path = core && /^\s*excludesfile\s*=\s*"?([^"\n]+?)"?\s*$/im.exec(core)?.[1];
  if (!path) return undefined;
  const expanded = path.startsWith("~/") ? join(homedir(), path.slice(2)) : path;
  return isAbsolute(expanded) ? expanded : undefined;
}

/** Of files that say where others are; what is wrong with them is said of the repository as a whole. */
function smallText(path: string): string {
  return readBoundedText(path, MAX_RULES_BYTES) ?? "";
}
