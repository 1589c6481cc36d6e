/**
 * The patterns of ignore files, compiled, and remembered by what they say: a look at the fifty files of a checkout needs
 * the rules of a dozen directories, and compiling them took 30 of its 32 ms. Nothing is remembered by place or time, so
 * a text that changes is other patterns.
 */
import ignore, { type Ignore } from "ignore";
import { HIDDEN, NEVER_SOURCE } from "./built-in-rules.ts";
import type { IgnoreText } from "./git-ignore-files.ts";
import { mayMatch } from "./pattern-prefilter.ts";

export interface Patterns {
  /** Why a path is left out; directories end in `/`. */
  verdict(path: string): "ignored" | "hidden" | undefined;
  /** With further texts, one list for each layer behind the built-in one; later layers decide. */
  with(added: readonly (readonly IgnoreText[])[]): Patterns;
}

export interface FirstPatterns {
  /** Where the root lies below the repository's top; empty or ending in `/`. */
  readonly prefix: string;
  /** What is said outside the tree's own directories. */
  readonly texts: readonly IgnoreText[];
  readonly hidden: boolean;
}

export function firstPatterns(first: FirstPatterns): Patterns {
  return remembered(JSON.stringify([first.prefix, first.hidden, first.texts]), () => {
    const builtIn = [compile(NEVER_SOURCE, "ignored"), ...(first.hidden ? [] : [compile(HIDDEN, "hidden")])];
    return patterns([builtIn, first.texts.map(fromText), [], []], first.prefix);
  });
}

/** Patterns of one file, and the same compiled. */
interface Part {
  readonly list: Ignore;
  readonly patterns: readonly string[];
}

type Layers = readonly (readonly Part[])[];

const REMEMBERED = 128;
const known = new Map<string, Patterns>();

/** The oldest go first; what was used last is put last. */
function remembered(key: string, make: () => Patterns): Patterns {
  const found = known.get(key) ?? make();
  known.delete(key);
  known.set(key, found);
  if (known.size > REMEMBERED) known.delete(known.keys().next().value!);
  return found;
}

/** An `ignore` list remembers every path it was asked about; a fresh one now and then bounds what a huge tree costs. */
const ASKS_PER_LIST = 20_000;
let lastId = 0;

function patterns(layers: Layers, prefix: string): Patterns {
  const id = ++lastId;
  let asks = 0;
  let lists = listsOf(layers, prefix);
  return {
    verdict(path) {
      if (++asks % ASKS_PER_LIST === 0) lists = listsOf(layers, prefix);
      if (!isDotted(path) && !lists.undotted(path, prefix)) return undefined;
      const { ignored, rule } = lists.all.test(prefix + path);
      if (!ignored) return undefined;
      return rule?.mark === "hidden" ? "hidden" : "ignored";
    },
    with(added) {
      const more = (layer: readonly Part[], at: number) => [...layer, ...(added[at - 1] ?? []).map(fromText)];
      return remembered(`${id} ${JSON.stringify(added)}`, () => patterns(layers.map(more), prefix));
    },
  };
}

function listsOf(layers: Layers, prefix: string) {
  // Of the built-in list, what hides dotted names says nothing about the others, which are nearly all.
  return { all: join(layers, prefix), undotted: mayMatch([layers[0]![0]!, ...layers.slice(1).flat()]) };
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

function compile(lines: readonly string[], mark: string): Part {
  const list = lines.reduce((all, pattern) => all.add({ pattern, mark }), ignore({ ignorecase: false }));
  return { list, patterns: lines };
}

function fromText({ directory, text }: IgnoreText): Part {
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
