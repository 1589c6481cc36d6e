/** Random histories of small trees, generated in memory and written into a repository by one `git fast-import`. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pick } from "./prng.ts";

/** Content by path. */
export type Content = ReadonlyMap<string, string>;

export interface Commit {
  readonly mark: number;
  readonly content: Content;
  readonly parents: readonly Commit[];
}

/** Events of a branch, in order; `sync` is an index run at that point. */
export type Event =
  | { readonly sync: string; readonly at: Commit; readonly mode: "full" | "incremental" }
  | { readonly renamed: string; readonly to: string };

export interface History {
  readonly events: readonly Event[];
  /** The last commit of each branch. */
  readonly tips: ReadonlyMap<string, Commit>;
}

export interface Pools {
  readonly paths: readonly string[];
  readonly texts: readonly string[];
  readonly ignores: readonly string[];
}

type Random = () => number;

export class Historian {
  readonly commits: Commit[] = [];
  readonly #random: Random;
  readonly #pools: Pools;

  constructor(random: Random, pools: Pools) {
    this.#random = random;
    this.#pools = pools;
  }

  history(steps: number): History {
    const events: Event[] = [];
    const tips = new Map<string, Commit>();
    tips.set("main", this.#commit(this.#edited(new Map(), 5), []));
    for (let i = 0; i < steps; i++) this.#step(tips, events);
    for (const [branch, at] of tips) events.push({ sync: branch, at, mode: "incremental" });
    return { events, tips };
  }

  #step(tips: Map<string, Commit>, events: Event[]): void {
    const branch = this.#any([...tips.keys()]);
    const other = this.#any([...tips.keys()]);
    const tip = tips.get(branch)!;
    const base = tip.parents[0] ?? tip;
    const move = (content: Content, parents: readonly Commit[]) => tips.set(branch, this.#commit(content, parents));
    switch (pick(this.#random, 12)) {
      case 0:
        if (tips.size < 4) tips.set(`b${tips.size}/${"xyz"[tips.size - 1]}-é`, tip);
        break;
      case 1: // merge
        move(this.#mixed(tip.content, tips.get(other)!.content), [tip, tips.get(other)!]);
        break;
      case 2: // rebase: the last change of this branch, applied on top of another
        move(replayed(base.content, tip.content, tips.get(other)!.content), [tips.get(other)!]);
        break;
      case 3: // amend
        move(this.#edited(tip.content, 2), tip.parents);
        break;
      case 4: // force-push
        tips.set(branch, this.#any(ancestors(tip)));
        break;
      case 5: // revert
        move(base.content, [tip]);
        break;
      case 6:
        if (branch !== "main" && !tips.has(`${branch}-renamed`)) {
          tips.delete(branch);
          tips.set(`${branch}-renamed`, tip);
          events.push({ renamed: branch, to: `${branch}-renamed` });
        }
        break;
      case 7:
      case 8:
        events.push({ sync: branch, at: tip, mode: this.#random() < 0.2 ? "full" : "incremental" });
        break;
      default:
        move(this.#edited(tip.content, 1 + pick(this.#random, 4)), [tip]);
    }
  }

  #commit(content: Content, parents: readonly Commit[]): Commit {
    const commit = { mark: this.commits.length + 1, content, parents };
    this.commits.push(commit);
    return commit;
  }

  #edited(before: Content, edits: number): Content {
    const after = new Map(before);
    for (let i = 0; i < edits; i++) this.#edit(after);
    return after;
  }

  #edit(content: Map<string, string>): void {
    const present = [...content.keys()];
    const path = present.length > 0 ? this.#any(present) : undefined;
    switch (path === undefined ? 9 : pick(this.#random, 10)) {
      case 0:
      case 1:
        content.delete(path!);
        break;
      case 2: // rename, sometimes with an edit
        put(content, this.#any(this.#pools.paths), content.get(path!)! + (this.#random() < 0.3 ? "\n// moved\n" : ""));
        content.delete(path!);
        break;
      case 3: // case-only rename
        put(content, swapCase(path!), content.get(path!)!);
        if (swapCase(path!) !== path) content.delete(path!);
        break;
      case 4:
        put(content, this.#any([".gitignore", "d/.gitignore", ".codecompassignore"]), this.#any(this.#pools.ignores));
        break;
      case 5:
      case 6:
        content.set(path!, this.#any(this.#pools.texts));
        break;
      default:
        put(content, this.#any(this.#pools.paths), this.#any(this.#pools.texts));
    }
  }

  #mixed(ours: Content, theirs: Content): Content {
    const mixed = new Map(ours);
    for (const [path, text] of theirs) if (!mixed.has(path) || this.#random() < 0.5) put(mixed, path, text);
    return mixed;
  }

  #any<T>(values: readonly T[]): T {
    return values[pick(this.#random, values.length)]!;
  }
}

/** A path may become a directory, and a directory a file; never both. */
function put(content: Map<string, string>, path: string, text: string): void {
  for (const other of [...content.keys()])
    if (other.startsWith(`${path}/`) || path.startsWith(`${other}/`)) content.delete(other);
  content.set(path, text);
}

function replayed(base: Content, mine: Content, onto: Content): Content {
  const result = new Map(onto);
  for (const [path, text] of mine) if (base.get(path) !== text) put(result, path, text);
  for (const path of base.keys()) if (!mine.has(path)) result.delete(path);
  return result;
}

function ancestors(commit: Commit): Commit[] {
  const found = [commit];
  for (let at: Commit | undefined = commit.parents[0]; at; at = at.parents[0]) found.push(at);
  return found;
}

function swapCase(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const other = name === name.toLowerCase() ? name.toUpperCase() : name.toLowerCase();
  return path.slice(0, path.length - name.length) + other;
}

/** Writes the commits into a new repository and returns their ids by mark. */
export function writeRepository(root: string, commits: readonly Commit[]): ReadonlyMap<number, string> {
  execFileSync("git", ["init", "-q", "-b", "main", root]);
  const marks = join(root, ".git", "marks");
  const stream = Buffer.concat(commits.flatMap(streamOf));
  execFileSync("git", ["-C", root, "fast-import", "--quiet", `--export-marks=${marks}`], { input: stream });
  const lines = readFileSync(marks, "utf8").trim().split("\n");
  return new Map(lines.map((line) => line.split(" ")).map(([mark, id]) => [Number(mark!.slice(1)), id!]));
}

function streamOf({ mark, content, parents }: Commit): Buffer[] {
  const [from, ...merged] = parents;
  const lines = [
    `commit refs/commits/${mark}`,
    `mark :${mark}`,
    `committer t <t@example.invalid> ${1_700_000_000 + mark} +0000`,
    "data 1\nx",
    ...(from ? [`from :${from.mark}`] : []),
    ...merged.map((parent) => `merge :${parent.mark}`),
    "deleteall",
  ];
  const files = [...content].flatMap(([path, text]) => {
    const bytes = Buffer.from(text);
    return [Buffer.from(`M 100644 inline ${JSON.stringify(path)}\ndata ${bytes.length}\n`), bytes, Buffer.from("\n")];
  });
  return [Buffer.from(`${lines.join("\n")}\n`), ...files, Buffer.from("\n")];
}
