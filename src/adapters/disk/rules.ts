/**
 * The ignore layers of one walk: built-in → git's (global, info/exclude, .gitignore from the repository's top down) →
 * .codecompassignore → .ccignore, .ckignore, .cruxeignore. The last pattern that matches decides, so `!` in a later
 * layer re-includes. `.dockerignore` says what goes into an image, not what is source: it is not read.
 *
 * Patterns of nested files are rewritten with their directory in front and all stand in one list; paths are matched
 * relative to the repository's top (outside git: the workspace), never as absolute paths.
 */
import ignore, { type Ignore } from "ignore";
import { IGNORE_FILES, IGNORE_LAYERS } from "../../model/ignore-files.ts";
import type { EntryRules, IgnoreTexts } from "../../ports/files.ts";
import { HIDDEN, NEVER_SOURCE, VCS_DIRECTORIES } from "./built-in-rules.ts";
import { gitRuleTexts, type IgnoreText } from "./git-rules.ts";
import { mayMatch } from "./may-match.ts";

export type Rules = EntryRules;

export interface RuleOptions {
  readonly hidden?: boolean;
  readonly ignoreFiles?: "all" | "none";
}

/** Reads an ignore file; undefined when it is not there or cannot be read. */
export type ReadText = (directory: string, name: string) => string | undefined;

/** What the rules of a tree start from, outside its own directories. */
export type RuleTexts = ReturnType<typeof gitRuleTexts>;

/** `above`: where the ignore files of the root's parents are; by default on the disk. */
export function ruleTexts(root: string, options: RuleOptions, above?: IgnoreTexts["above"]): RuleTexts {
  return options.ignoreFiles === "none" ? { prefix: "", texts: [] } : gitRuleTexts(root, above);
}

/** Says under which rules a tree was looked at: equal words, equal verdicts, as long as its ignore files are the same. */
export function rulesInWords(texts: RuleTexts, { hidden = false, ignoreFiles = "all" }: RuleOptions): string {
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
  const builtIn = [compile(NEVER_SOURCE, "ignored"), ...(options.hidden ? [] : [compile(HIDDEN, "hidden")])];
  const layers: Part[][] = [builtIn, git.texts.map(fromText), [], []];
  return rules(layers, git.prefix, options.ignoreFiles === "none" ? undefined : read);
}

/** An `ignore` list remembers every path it was asked about; a fresh one now and then bounds what a huge tree costs. */
const ASKS_PER_LIST = 50_000;

/** Patterns of one file, and the same compiled. */
interface Part {
  readonly list: Ignore;
  readonly patterns: readonly string[];
}

type Layers = readonly (readonly Part[])[];

function rules(layers: Layers, prefix: string, read: ReadText | undefined): Rules {
  let asks = 0;
  let list = join(layers, prefix);
  // Of the built-in list, what hides dotted names says nothing about the others, which are nearly all.
  const undotted = mayMatch([layers[0]![0]!, ...layers.slice(1).flat()]);
  return {
    verdict(path) {
      if (!isDotted(path) && !undotted(path, prefix)) return undefined;
      if (++asks % ASKS_PER_LIST === 0) list = join(layers, prefix);
      const { ignored, rule } = list.test(prefix + path);
      if (!ignored) return undefined;
      return rule?.mark === "hidden" ? "hidden" : "ignored";
    },
    inside(directory, names) {
      const added = read === undefined ? [] : readLayers(directory, names, prefix, read);
      if (added.every((layer) => layer.length === 0)) return this;
      return rules(
        layers.map((layer, i) => [...layer, ...(added[i - 1] ?? [])]),
        prefix,
        read,
      );
    },
  };
}

function readLayers(directory: string, names: readonly string[] | undefined, prefix: string, read: ReadText): Part[][] {
  const present = names?.filter((name) => IGNORE_FILES.has(name));
  if (present?.length === 0) return [];
  return IGNORE_LAYERS.map((files) =>
    files
      .filter((name) => present?.includes(name) ?? true)
      .map((name) => read(directory, name))
      .filter((text) => text !== undefined)
      .map((text) => fromText({ directory: prefix + directory, text })),
  );
}

function join(layers: Layers, prefix: string): Ignore {
  const list = ignore({ ignorecase: false });
  for (const part of layers.flat()) list.add(part.list);
  // Whoever indexes an ignored directory by name means it; only what is said of its contents counts.
  return list.add(parentsOf(prefix).map((directory) => `!/${escapeGlob(directory)}`));
}

function isDotted(path: string): boolean {
  return path[path.lastIndexOf("/", path.length - 2) + 1] === ".";
}

function parentsOf(prefix: string): string[] {
  const parts = prefix.split("/").slice(0, -1);
  return parts.map((_, i) => `${parts.slice(0, i + 1).join("/")}/`);
}

function compile(patterns: readonly string[], mark: string): Part {
  const list = patterns.reduce((all, pattern) => all.add({ pattern, mark }), ignore({ ignorecase: false }));
  return { list, patterns };
}

function fromText({ directory, text }: IgnoreText): Part {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  const patterns = directory === "" ? lines : lines.flatMap((line) => below(directory, line));
  return { list: ignore({ ignorecase: false }).add(patterns), patterns };
}

/** A pattern of `directory`'s ignore file as one of the top's: `foo` → `/directory/**\/foo`, `/foo` → `/directory/foo`. */
function below(directory: string, line: string): string[] {
  if (line.trim() === "" || line.startsWith("#")) return [];
  const negation = line.startsWith("!") ? "!" : "";
  const pattern = line.slice(negation.length).replace(/^\\(?=[!#])/, "");
  const anchored = pattern.trimEnd().replace(/\/$/, "").includes("/");
  return [`${negation}/${escapeGlob(directory)}${anchored ? pattern.replace(/^\//, "") : `**/${pattern}`}`];
}

function escapeGlob(path: string): string {
  return path.replace(/[\\*?[\]]/g, "\\$&");
}
