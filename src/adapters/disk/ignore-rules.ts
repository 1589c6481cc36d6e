/**
 * The ignore layers of a walk: built-in → git (global, info/exclude, .gitignore from the top of the repository down) →
 * .codecompassignore → .ccignore, .ckignore, .cruxeignore. The last matching pattern decides, so `!` in a later layer
 * re-includes. Git's layer does not apply to files that git tracks. `.dockerignore` is not read: it describes an image,
 * not the source.
 *
 * Patterns of nested files are prefixed with their directory and joined into one list; paths are matched relative to the
 * top of the repository (outside git: the workspace).
 */
import { existsSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { readBounded, readBoundedText } from "../../io/bounded-read.ts";
import { userHome } from "../../io/home.ts";
import { IGNORE_FILES, IGNORE_LAYERS } from "../../model/paths.ts";
import type { EntryRules, IgnoreTexts } from "../../ports/files.ts";
import { firstPatterns, HIDDEN, type IgnorePatterns, NEVER_SOURCE, VCS_DIRECTORIES } from "./ignore-patterns.ts";
import { NO_TRACKED_FILES, type TrackedFiles, trackedFiles } from "./tracked-files.ts";

export type Rules = EntryRules;

interface RuleOptions {
  readonly hidden?: boolean;
  readonly ignoreFiles?: "all" | "none";
}

/** Reads an ignore file; undefined when it is missing or unreadable. */
type ReadText = (directory: string, name: string) => string | undefined;

/** `above` reads the ignore files of the root's parents; by default from disk. */
export function ruleTexts(root: string, options: RuleOptions, above?: IgnoreTexts["above"]): RuleTexts {
  return options.ignoreFiles === "none" ? { ...NO_TEXTS, problems: [] } : gitRuleTexts(root, above);
}

const NO_TEXTS = { prefix: "", ignoresCase: false, texts: [] } as const;

/** Identifies the rules outside the tree: equal fingerprints give equal verdicts if the tree's own ignore files are equal. */
export function rulesFingerprint(texts: RuleTexts, { hidden = false, ignoreFiles = "all" }: RuleOptions): string {
  return JSON.stringify([hidden, ignoreFiles, texts, NEVER_SOURCE, HIDDEN, IGNORE_LAYERS, [...VCS_DIRECTORIES]]);
}

/** Compiles the rules on first use: that takes longer than walking an unchanged tree with the walk cache. */
export function lazyRules(make: () => Rules): Rules {
  let made: Rules | undefined;
  const rules = () => {
    made ??= make();
    return made;
  };
  return {
    verdict: (path) => rules().verdict(path),
    trackedVerdict: (path) => rules().trackedVerdict(path),
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
    trackedVerdict: (path) => patterns.trackedVerdict(path),
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

/** The same limit as for ignore files inside a tree. */
const MAX_RULES_BYTES = 1 << 20;

/** The text of an ignore file and its directory: relative to the top of the repository, empty or ending in `/`. */
export interface IgnoreText {
  readonly directory: string;
  readonly text: string;
}

export interface RuleTexts {
  /** Path of the root below the top of the repository, empty or ending in `/`. */
  readonly prefix: string;
  /** `core.ignorecase` of the repository, which git sets where the file system does not tell names apart by case. */
  readonly ignoresCase: boolean;
  readonly texts: readonly IgnoreText[];
  /** Ignore files that exist and cannot be read, one sentence each. */
  readonly problems: readonly string[];
}

function gitRuleTexts(root: string, above?: (directory: string) => string | undefined): RuleTexts {
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
  if (top === undefined) return { ...NO_TEXTS, texts: [global], problems };
  const gitDirectory = commonGitDirectory(top);
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
    ignoresCase: configSays(gitDirectory, "ignorecase", "true"),
    texts: [
      global,
      { directory: "", text: textAt(join(gitDirectory, "info", "exclude")) },
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

/** What git tracks below a root; nothing if ignore files are not read, because then none excludes it. */
export function trackedBelow(root: string, { ignoreFiles }: RuleOptions): TrackedFiles {
  const top = ignoreFiles === "none" ? undefined : repositoryTop(root);
  if (top === undefined) return NO_TRACKED_FILES;
  const sha256 = configSays(commonGitDirectory(top), "objectformat", "sha256");
  return trackedFiles(gitDirectory(top), { sha256 });
}

function configSays(gitDirectory: string, key: string, value: string): boolean {
  const line = new RegExp(`^[ \\t]*${key}[ \\t]*=[ \\t]*${value}[ \\t\\r]*$`, "im");
  return line.test(smallText(join(gitDirectory, "config")));
}

/** Linked worktrees and submodules have a `.git` file. */
function gitDirectory(top: string): string {
  const dotGit = join(top, ".git");
  const pointer = /^gitdir: (.+)$/m.exec(smallText(dotGit))?.[1];
  return pointer === undefined ? dotGit : resolve(top, pointer.trim());
}

/** A worktree uses the excludes of its repository. */
function commonGitDirectory(top: string): string {
  const own = gitDirectory(top);
  const common = smallText(join(own, "commondir")).trim();
  return common === "" ? own : resolve(own, common);
}

function globalExcludesPath(): string {
  const config = process.env.XDG_CONFIG_HOME || join(userHome(), ".config");
  const said = [join(userHome(), ".gitconfig"), join(config, "git", "config")].map(excludesFileIn).find(Boolean);
  return said ?? join(config, "git", "ignore");
}

function excludesFileIn(configPath: string): string | undefined {
  const core = /^\s*\[core\]([^[]*)/im.exec(smallText(configPath))?.[1];
  const path = core && /^\s*excludesfile\s*=\s*"?([^"\n]+?)"?\s*$/im.exec(core)?.[1];
  if (!path) return undefined;
  const expanded = path.startsWith("~/") ? join(userHome(), path.slice(2)) : path;
  return isAbsolute(expanded) ? expanded : undefined;
}

/** Problems of these files are reported for the repository as a whole. */
function smallText(path: string): string {
  return readBoundedText(path, MAX_RULES_BYTES) ?? "";
}
