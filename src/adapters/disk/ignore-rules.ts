/**
 * The ignore layers of one walk: built-in → git's (global, info/exclude, .gitignore from the repository's top down) →
 * .codecompassignore → .ccignore, .ckignore, .cruxeignore. The last pattern that matches decides, so `!` in a later
 * layer re-includes. `.dockerignore` says what goes into an image, not what is source: it is not read.
 *
 * Patterns of nested files are rewritten with their directory in front and all stand in one list; paths are matched
 * relative to the repository's top (outside git: the workspace), never as absolute paths.
 */

import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { readBounded, readBoundedText } from "../../io/bounded-read.ts";
import { IGNORE_FILES, IGNORE_LAYERS } from "../../model/paths.ts";
import type { EntryRules, IgnoreTexts } from "../../ports/files.ts";
import { firstPatterns, HIDDEN, type IgnorePatterns, NEVER_SOURCE, VCS_DIRECTORIES } from "./ignore-patterns.ts";

export type Rules = EntryRules;

interface RuleOptions {
  readonly hidden?: boolean;
  readonly ignoreFiles?: "all" | "none";
}

/** Reads an ignore file; undefined when it is not there or cannot be read. */
type ReadText = (directory: string, name: string) => string | undefined;

/** What the rules of a tree start from, outside its own directories. */
export type RuleTexts = GitRuleTexts;

/** `above`: where the ignore files of the root's parents are; by default on the disk. */
export function ruleTexts(root: string, options: RuleOptions, above?: IgnoreTexts["above"]): RuleTexts {
  return options.ignoreFiles === "none" ? { prefix: "", texts: [], problems: [] } : gitRuleTexts(root, above);
}

/** Says under which rules a tree was looked at: equal words, equal verdicts, as long as its ignore files are the same. */
export function rulesFingerprint(texts: RuleTexts, { hidden = false, ignoreFiles = "all" }: RuleOptions): string {
  return JSON.stringify([hidden, ignoreFiles, texts, NEVER_SOURCE, HIDDEN, IGNORE_LAYERS, [...VCS_DIRECTORIES]]);
}

/** Rules that are made when first asked: compiling patterns takes longer than looking at a tree that is as known. */
export function lazyRules(make: () => Rules): Rules {
  let made: Rules | undefined;
  const rules = () => {
    made ??= make();
    return made;
  };
  return {
    verdict: (path) => rules().verdict(path),
    inside: (directory, names) => rules().inside(directory, names),
  };
}

export function rootRules(git: RuleTexts, read: ReadText, options: RuleOptions): Rules {
  const patterns = firstPatterns({ ...git, hidden: options.hidden === true });
  return rules(patterns, git.prefix, options.ignoreFiles === "none" ? undefined : read);
}

function rules(patterns: IgnorePatterns, prefix: string, read: ReadText | undefined): Rules {
  return {
    verdict: (path) => patterns.verdict(path),
    inside(directory, names) {
      const added = read === undefined ? [] : readLayers(directory, names, prefix, read);
      return added.every((layer) => layer.length === 0) ? this : rules(patterns.with(added), prefix, read);
    },
  };
}

function readLayers(
  directory: string,
  names: readonly string[] | undefined,
  prefix: string,
  read: ReadText,
): IgnoreText[][] {
  const present = names?.filter((name) => IGNORE_FILES.has(name));
  if (present?.length === 0) return [];
  return IGNORE_LAYERS.map((files) =>
    files
      .filter((name) => present?.includes(name) ?? true)
      .map((name) => read(directory, name))
      .filter((text) => text !== undefined)
      .map((text) => ({ directory: prefix + directory, text })),
  );
}

/** As for the ignore files inside a tree. */
const MAX_RULES_BYTES = 1 << 20;

/** An ignore file's text and the directory it speaks of: relative to the repository's top, empty or ending in `/`. */
export interface IgnoreText {
  readonly directory: string;
  readonly text: string;
}

interface GitRuleTexts {
  /** Where the root lies below the repository's top, empty or ending in `/`. */
  readonly prefix: string;
  readonly texts: readonly IgnoreText[];
  /** Files that are there and were not read, one sentence each. */
  readonly problems: readonly string[];
}

function gitRuleTexts(root: string, above?: (directory: string) => string | undefined): GitRuleTexts {
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
