/**
 * The ignore layers of one walk: built-in → git's (global, info/exclude, .gitignore from the repository's top down) →
 * .codecompassignore → .ccignore, .ckignore, .cruxeignore. The last pattern that matches decides, so `!` in a later
 * layer re-includes. `.dockerignore` says what goes into an image, not what is source: it is not read.
 *
 * Patterns of nested files are rewritten with their directory in front and all stand in one list; paths are matched
 * relative to the repository's top (outside git: the workspace), never as absolute paths.
 */
import { IGNORE_FILES, IGNORE_LAYERS } from "../../model/ignore-files.ts";
import type { EntryRules, IgnoreTexts } from "../../ports/files.ts";
import { HIDDEN, NEVER_SOURCE, VCS_DIRECTORIES } from "./built-in-rules.ts";
import { type GitRuleTexts, gitRuleTexts, type IgnoreText } from "./git-ignore-files.ts";
import { firstPatterns, type IgnorePatterns } from "./ignore-patterns.ts";

export type Rules = EntryRules;

export interface RuleOptions {
  readonly hidden?: boolean;
  readonly ignoreFiles?: "all" | "none";
}

/** Reads an ignore file; undefined when it is not there or cannot be read. */
export type ReadText = (directory: string, name: string) => string | undefined;

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
