/**
 * Compiled ignore patterns, cached by their text: checking the fifty files of a checkout needs the rules of a dozen
 * directories, and compiling them took 30 of 32 ms. Includes the built-in patterns and a prefilter.
 */
import ignore, { type Ignore } from "ignore";
import type { IgnoreText } from "./ignore-rules.ts";

export interface IgnorePatterns {
  /** Why a path is skipped; directories end in `/`. */
  verdict(path: string): "ignored" | "hidden" | undefined;
  /** The same for an entry that git tracks: it is skipped only if the other layers alone skip it, too. */
  trackedVerdict(path: string): "ignored" | "hidden" | undefined;
  /** Adds texts, one list per layer after the built-in one; later layers decide. */
  with(added: readonly (readonly IgnoreText[])[]): IgnorePatterns;
}

interface MatchOptions {
  /** Path of the root below the top of the repository; empty or ending in `/`. */
  readonly prefix: string;
  /** Whether `build` also means `Build`, as in git where `core.ignorecase` is set. */
  readonly ignoresCase: boolean;
}

interface FirstPatterns extends MatchOptions {
  /** Ignore files outside the tree. */
  readonly texts: readonly IgnoreText[];
  readonly hidden: boolean;
}

export function firstPatterns(first: FirstPatterns): IgnorePatterns {
  const { prefix, ignoresCase, hidden, texts } = first;
  return cachePatterns(JSON.stringify([prefix, ignoresCase, hidden, texts]), () => {
    const { compile, fromText } = compiler(ignoresCase);
    const builtIn = [compile(NEVER_SOURCE, "ignored"), ...(hidden ? [] : [compile(HIDDEN, "hidden")])];
    return patterns([builtIn, texts.map(fromText), [], []], { prefix, ignoresCase });
  });
}

/** The patterns of one file, plain and compiled. */
interface PatternList {
  readonly list: Ignore;
  readonly patterns: readonly string[];
}

type Layers = readonly (readonly PatternList[])[];

const REMEMBERED = 128;
const known = new Map<string, IgnorePatterns>();

/** Least recently used entries are evicted first. */
function cachePatterns(key: string, make: () => IgnorePatterns): IgnorePatterns {
  const found = known.get(key) ?? make();
  known.delete(key);
  known.set(key, found);
  if (known.size > REMEMBERED) known.delete(known.keys().next().value!);
  return found;
}

/** An `ignore` list caches every path that it tests; a fresh list now and then bounds the memory for a huge tree. */
const ASKS_PER_LIST = 20_000;
let lastId = 0;

function patterns(layers: Layers, matching: MatchOptions): IgnorePatterns {
  const { prefix, ignoresCase } = matching;
  const id = ++lastId;
  let asks = 0;
  let lists = compileLists(layers, matching);
  const verdict = (path: string) => {
    if (++asks % ASKS_PER_LIST === 0) lists = compileLists(layers, matching);
    if (!isDotted(path) && !lists.undotted(path, prefix)) return undefined;
    return verdictOf(lists.all, prefix + path);
  };
  return {
    verdict,
    trackedVerdict(path) {
      if (verdict(path) === undefined) return undefined;
      lists.tracked ??= join(
        layers.map((layer, at) => (at === GIT_LAYER ? [] : layer)),
        matching,
      );
      return verdictOf(lists.tracked, prefix + path);
    },
    with(added) {
      const { fromText } = compiler(ignoresCase);
      const more = (layer: readonly PatternList[], at: number) => [...layer, ...(added[at - 1] ?? []).map(fromText)];
      return cachePatterns(`${id} ${JSON.stringify(added)}`, () => patterns(layers.map(more), matching));
    },
  };
}

/** Position of git's own ignore files among the layers; the built-in layer is the first. */
const GIT_LAYER = 1;

interface CompiledLists {
  readonly all: Ignore;
  readonly undotted: MayMatch;
  /** Without git's layer; compiled on first use, because few repositories track a file that they ignore. */
  tracked?: Ignore;
}

function compileLists(layers: Layers, matching: MatchOptions): CompiledLists {
  // Most names do not start with a dot: the patterns for hidden files do not apply to them.
  const undotted = mayMatch([layers[0]![0]!, ...layers.slice(1).flat()], matching);
  return { all: join(layers, matching), undotted };
}

function verdictOf(list: Ignore, path: string): "ignored" | "hidden" | undefined {
  const { ignored, rule } = list.test(path);
  if (!ignored) return undefined;
  return rule?.mark === "hidden" ? "hidden" : "ignored";
}

function join(layers: Layers, { prefix, ignoresCase }: MatchOptions): Ignore {
  const list = ignore({ ignorecase: ignoresCase });
  for (const part of layers.flat()) list.add(part.list);
  // A workspace inside an ignored directory was chosen on purpose: only patterns for its contents count.
  return list.add(parentDirectories(prefix).map((directory) => `!/${escapeGlob(directory)}`));
}

function isDotted(path: string): boolean {
  return path[path.lastIndexOf("/", path.length - 2) + 1] === ".";
}

function parentDirectories(prefix: string): string[] {
  const parts = prefix.split("/").slice(0, -1);
  return parts.map((_, i) => `${parts.slice(0, i + 1).join("/")}/`);
}

function compiler(ignorecase: boolean) {
  return {
    compile(lines: readonly string[], mark: string): PatternList {
      const list = lines.reduce((all, pattern) => all.add({ pattern, mark }), ignore({ ignorecase }));
      return { list, patterns: lines };
    },
    fromText({ directory, text }: IgnoreText): PatternList {
      const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
      const own = directory === "" ? lines : lines.flatMap((line) => below(directory, line));
      return { list: withoutRetries(ignore({ ignorecase }).add(own)), patterns: own };
    },
  };
}

/** How the library writes `**` between directories, and at the start. */
const DIRECTORIES = "(?:\\/[^\\/]+)*";
const FIRST_DIRECTORIES = "^(?:.*\\/)?";

/**
 * Every `**` of a pattern may begin at each directory of a path, and the library's regular expressions try all combinations:
 * with five of them and 60 directories for 8 s. The first place where the part after a `**` fits leaves the most for the rest,
 * so it is never tried again. A path is then compared in linear time.
 */
function withoutRetries(list: Ignore): Ignore {
  // The version of the library is pinned, and a test fails if its rules look otherwise.
  const { _rules: rules } = (list as unknown as { readonly _rules: { readonly _rules: readonly LibraryRule[] } })
    ._rules;
  for (const rule of rules) {
    if (rule.pattern.split("**").length < 3) continue;
    const { source, flags } = rule.regex;
    Object.defineProperty(rule, "regex", { value: new RegExp(committed(source), flags) });
  }
  return list;
}

interface LibraryRule {
  readonly pattern: string;
  readonly regex: RegExp;
}

function committed(source: string): string {
  const isLeading = source.startsWith(FIRST_DIRECTORIES);
  const parts = source.slice(isLeading ? FIRST_DIRECTORIES.length : 0).split(DIRECTORIES);
  const last = parts.pop()!;
  if (parts.length === 0) return source;
  const commit = (skipped: string, part: string, at: number) =>
    `(?=(?<part${at}>${skipped}${part}(?=\\/)))\\k<part${at}>`;
  const [first, ...others] = parts;
  const begin = isLeading ? `^${commit("(?:.*?\\/)??", first!, 0)}` : first;
  return [begin, ...others.map((part, i) => commit(`${DIRECTORIES}?`, part, i + 1)), DIRECTORIES, last].join("");
}

/** Rewrites a pattern of a nested ignore file: `foo` → `/directory/**\/foo`, `/foo` → `/directory/foo`. */
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

/**
 * A prefilter that rejects most paths before any regular expression runs; it may only err by letting paths through. Most
 * patterns end in a plain name (`target`, `/docs/build`) or an ending (`*.pyc`), so a path needs two set look-ups. Half of
 * the walk of a large tree was spent matching patterns. For entries of included directories; directories end in `/`.
 */
export function mayMatch(
  parts: readonly { readonly patterns: readonly string[] }[],
  { ignoresCase }: Pick<MatchOptions, "ignoresCase">,
): MayMatch {
  const fold = ignoresCase ? (text: string) => text.toLowerCase() : (text: string) => text;
  const names = new Set<string>();
  const endings = new Set<string>();
  const others: string[] = [];
  for (const pattern of new Set(parts.flatMap(({ patterns }) => patterns))) sort(pattern, names, endings, others);
  const [foldedNames, foldedEndings] = [names, endings].map((them) => new Set(Array.from(them, fold)));
  const rest = others.length === 0 ? undefined : withoutRetries(ignore({ ignorecase: ignoresCase }).add(others));
  return (path, prefix) => {
    const end = path.endsWith("/") ? path.length - 1 : path.length;
    const name = fold(path.slice(path.lastIndexOf("/", end - 1) + 1, end));
    return foldedNames!.has(name) || hasEnding(name, foldedEndings!) || (rest?.ignores(prefix + path) ?? false);
  };
}

function sort(line: string, names: Set<string>, endings: Set<string>, others: string[]): void {
  const pattern = line.trim();
  if (pattern === "" || pattern.startsWith("#")) return;
  const last = lastPart(pattern);
  const ending = ENDING.exec(last)?.[1];
  if (PLAIN_NAME.test(last)) names.add(last);
  else if (ending !== undefined) endings.add(ending);
  // Every match counts here, so a `!` must not hide the match of an earlier pattern.
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

/** Storage of version control systems; not even `!` in an ignore file includes it. */
export const VCS_DIRECTORIES: ReadonlySet<string> = new Set(".git .hg .svn .bzr .jj .pijul _darcs CVS".split(" "));

/**
 * Installed packages and caches of tools. Short on purpose: `dist`, `build`, `target` and `vendor` hold source in some
 * repositories, and .gitignore names them in the others.
 */
export const NEVER_SOURCE: readonly string[] = (
  "node_modules/ bower_components/ __pycache__/ *.egg-info/ *.dist-info/ venv/ site-packages/ htmlcov/ elm-stuff/ " +
  "DerivedData/ dist-newstyle/ zig-cache/ zig-out/"
).split(" ");

/**
 * Hidden files are skipped as by ripgrep, except those that say how a project is built, checked and configured. Names
 * that may hold secrets are included, so that the classifier counts them as secrets.
 */
export const HIDDEN: readonly string[] = (
  ".* !.github/ !.gitlab/ !.gitlab-ci.yml !.circleci/ !.travis.yml !.azure-pipelines* !.ci/ !.cargo/ !.config/ !.husky/ " +
  "!.storybook/ !.vitepress/ !.devcontainer/ !.codecompass/ !.eslintrc* !.prettierrc* !.babelrc* !.rubocop.yml " +
  "!.golangci.y*ml !.goreleaser.y*ml !.pre-commit-config.yaml !.editorconfig !.clang-format !.clang-tidy !.bazelrc " +
  "!.dockerignore !.bashrc !.bash_profile !.profile !.zshrc !.vimrc !.env !.env.* !.envrc !.npmrc !.pypirc !.netrc " +
  "!.pgpass !.git-credentials !.htpasswd"
).split(" ");
