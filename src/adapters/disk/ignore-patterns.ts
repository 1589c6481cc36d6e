/**
 * The patterns of ignore files, compiled, and remembered by what they say: a look at the fifty files of a checkout needs
 * the rules of a dozen directories, and compiling them took 30 of its 32 ms. Nothing is remembered by place or time, so
 * a text that changes is other patterns.
 */
import ignore, { type Ignore } from "ignore";
import type { IgnoreText } from "./ignore-rules.ts";

export interface IgnorePatterns {
  /** Why a path is left out; directories end in `/`. */
  verdict(path: string): "ignored" | "hidden" | undefined;
  /** With further texts, one list for each layer behind the built-in one; later layers decide. */
  with(added: readonly (readonly IgnoreText[])[]): IgnorePatterns;
}

interface FirstPatterns {
  /** Where the root lies below the repository's top; empty or ending in `/`. */
  readonly prefix: string;
  /** What is said outside the tree's own directories. */
  readonly texts: readonly IgnoreText[];
  readonly hidden: boolean;
}

export function firstPatterns(first: FirstPatterns): IgnorePatterns {
  return cachePatterns(JSON.stringify([first.prefix, first.hidden, first.texts]), () => {
    const builtIn = [compile(NEVER_SOURCE, "ignored"), ...(first.hidden ? [] : [compile(HIDDEN, "hidden")])];
    return patterns([builtIn, first.texts.map(fromText), [], []], first.prefix);
  });
}

/** Patterns of one file, and the same compiled. */
interface PatternList {
  readonly list: Ignore;
  readonly patterns: readonly string[];
}

type Layers = readonly (readonly PatternList[])[];

const REMEMBERED = 128;
const known = new Map<string, IgnorePatterns>();

/** The oldest go first; what was used last is put last. */
function cachePatterns(key: string, make: () => IgnorePatterns): IgnorePatterns {
  const found = known.get(key) ?? make();
  known.delete(key);
  known.set(key, found);
  if (known.size > REMEMBERED) known.delete(known.keys().next().value!);
  return found;
}

/** An `ignore` list remembers every path it was asked about; a fresh one now and then bounds what a huge tree costs. */
const ASKS_PER_LIST = 20_000;
let lastId = 0;

function patterns(layers: Layers, prefix: string): IgnorePatterns {
  const id = ++lastId;
  let asks = 0;
  let lists = compileLists(layers, prefix);
  return {
    verdict(path) {
      if (++asks % ASKS_PER_LIST === 0) lists = compileLists(layers, prefix);
      if (!isDotted(path) && !lists.undotted(path, prefix)) return undefined;
      const { ignored, rule } = lists.all.test(prefix + path);
      if (!ignored) return undefined;
      return rule?.mark === "hidden" ? "hidden" : "ignored";
    },
    with(added) {
      const more = (layer: readonly PatternList[], at: number) => [...layer, ...(added[at - 1] ?? []).map(fromText)];
      return cachePatterns(`${id} ${JSON.stringify(added)}`, () => patterns(layers.map(more), prefix));
    },
  };
}

function compileLists(layers: Layers, prefix: string) {
  // Of the built-in list, what hides dotted names says nothing about the others, which are nearly all.
  return { all: join(layers, prefix), undotted: mayMatch([layers[0]![0]!, ...layers.slice(1).flat()]) };
}

function join(layers: Layers, prefix: string): Ignore {
  const list = ignore({ ignorecase: false });
  for (const part of layers.flat()) list.add(part.list);
  // Whoever indexes an ignored directory by name means it; only what is said of its contents counts.
  return list.add(parentDirectories(prefix).map((directory) => `!/${escapeGlob(directory)}`));
}

function isDotted(path: string): boolean {
  return path[path.lastIndexOf("/", path.length - 2) + 1] === ".";
}

function parentDirectories(prefix: string): string[] {
  const parts = prefix.split("/").slice(0, -1);
  return parts.map((_, i) => `${parts.slice(0, i + 1).join("/")}/`);
}

function compile(lines: readonly string[], mark: string): PatternList {
  const list = lines.reduce((all, pattern) => all.add({ pattern, mark }), ignore({ ignorecase: false }));
  return { list, patterns: lines };
}

function fromText({ directory, text }: IgnoreText): PatternList {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  const own = directory === "" ? lines : lines.flatMap((line) => below(directory, line));
  return { list: ignore({ ignorecase: false }).add(own), patterns: own };
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

type MayMatch = (path: string, prefix: string) => boolean;

const PLAIN_NAME = /^[\w.+@~-]+$/;
const ENDING = /^\*(\.[\w.+@~-]+)$/;

/** Only for what stands in directories that the rules let in; a directory's own path ends in `/`. */
export function mayMatch(parts: readonly { readonly patterns: readonly string[] }[]): MayMatch {
  const names = new Set<string>();
  const endings = new Set<string>();
  const others: string[] = [];
  for (const pattern of new Set(parts.flatMap(({ patterns }) => patterns))) sort(pattern, names, endings, others);
  const rest = others.length === 0 ? undefined : ignore({ ignorecase: false }).add(others);
  return (path, prefix) => {
    const end = path.endsWith("/") ? path.length - 1 : path.length;
    const name = path.slice(path.lastIndexOf("/", end - 1) + 1, end);
    return names.has(name) || hasEnding(name, endings) || (rest?.ignores(prefix + path) ?? false);
  };
}

function sort(line: string, names: Set<string>, endings: Set<string>, others: string[]): void {
  const pattern = line.trim();
  if (pattern === "" || pattern.startsWith("#")) return;
  const last = lastPart(pattern);
  const ending = ENDING.exec(last)?.[1];
  if (PLAIN_NAME.test(last)) names.add(last);
  else if (ending !== undefined) endings.add(ending);
  // A `!` would hide that an earlier pattern matched; here every match counts.
  else others.push(line.replace(/^!/, ""));
}

function lastPart(pattern: string): string {
  const bare = pattern.replace(/^!/, "").replace(/\/$/, "");
  return bare.slice(bare.lastIndexOf("/") + 1);
}

function hasEnding(name: string, endings: ReadonlySet<string>): boolean {
  for (let dot = name.indexOf("."); dot >= 0; dot = name.indexOf(".", dot + 1)) {
    if (endings.has(name.slice(dot))) return true;
  }
  return false;
}

/** Repositories' own storage; not even `!` in an ignore file brings it in. */
export const VCS_DIRECTORIES: ReadonlySet<string> = new Set([
  ".git",
  ".hg",
  ".svn",
  ".bzr",
  ".jj",
  ".pijul",
  "_darcs",
  "CVS",
]);

/** Installed packages and caches of tools. */
export const NEVER_SOURCE: readonly string[] = [
  "node_modules/",
  "bower_components/",
  "__pycache__/",
  "*.egg-info/",
  "*.dist-info/",
  "venv/",
  "site-packages/",
  "htmlcov/",
  "elm-stuff/",
  "DerivedData/",
  "dist-newstyle/",
  "zig-cache/",
  "zig-out/",
];

export const HIDDEN: readonly string[] = [
  ".*",
  "!.github/",
  "!.gitlab/",
  "!.gitlab-ci.yml",
  "!.circleci/",
  "!.travis.yml",
  "!.azure-pipelines*",
  "!.ci/",
  "!.cargo/",
  "!.config/",
  "!.husky/",
  "!.storybook/",
  "!.vitepress/",
  "!.devcontainer/",
  "!.codecompass/",
  "!.eslintrc*",
  "!.prettierrc*",
  "!.babelrc*",
  "!.rubocop.yml",
  "!.golangci.y*ml",
  "!.goreleaser.y*ml",
  "!.pre-commit-config.yaml",
  "!.editorconfig",
  "!.clang-format",
  "!.clang-tidy",
  "!.bazelrc",
  "!.dockerignore",
  "!.bashrc",
  "!.bash_profile",
  "!.profile",
  "!.zshrc",
  "!.vimrc",
  "!.env",
  "!.env.*",
  "!.envrc",
  "!.npmrc",
  "!.pypirc",
  "!.netrc",
  "!.pgpass",
  "!.git-credentials",
  "!.htpasswd",
];
