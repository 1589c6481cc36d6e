/**
 * Files of many repositories that may match a pattern, in the order of repositories and paths. Only what a repository's
 * default view shows now counts. The backend looks trigrams up; this file decides which repositories are searched, and in which order.
 */
import type { TrigramPlan } from "../model/grep.ts";
import type { CatalogFileQuery, CatalogPosition } from "../ports/catalog.ts";
import type { Limits } from "../ports/snapshot.ts";
import { passingVersions, planMaskQuery } from "../segment/file-groups.ts";
import {
  type CandidateFile,
  compareBytes,
  type DefaultView,
  DefaultViewCache,
  type DefaultViewEntry,
  type DefaultViewFiles,
  ViewSuperseded,
} from "./default-views.ts";

export interface CandidateIndex {
  /** `places`: of the masks to read. */
  ranges(query: GroupQuery, places: readonly number[], limits: Limits | undefined): Promise<readonly GroupRange[]>;
  views(query: DefaultViewQuery, limits: Limits | undefined): Promise<DefaultViews>;
  entries(views: readonly DefaultView[], limits: Limits | undefined): Promise<readonly DefaultViewEntry[]>;
}

/** Absent names: all repositories. */
export type GroupQuery = { readonly plan: TrigramPlan } & (
  | { readonly repositories: readonly number[] }
  /** With `from`: ordered by name from there on, each repository with all of its groups, so that more may be found. */
  | { readonly names?: readonly string[] | undefined; readonly most: number; readonly from?: string }
);

/** Groups of one range of files, and its masks; those of single files have none. Numbers of a list are separated by spaces. */
export interface GroupRange {
  readonly repo: number;
  readonly run: number | null;
  readonly of: number | null;
  /** The first version of each group, and how many it has. */
  readonly firsts: string;
  readonly files: string;
  readonly masks: Uint8Array | null;
}

interface MatchingGroups {
  /** Versions that are not ruled out, by repository. */
  readonly versions: ReadonlyMap<number, readonly number[]>;
  /** How many groups were found. */
  readonly groups: number;
  /** Those that the groups belong to. */
  readonly repositories: readonly number[];
}

export type DefaultViewQuery =
  | { readonly repositories: readonly number[] }
  | { readonly from: string; readonly names: readonly string[] | undefined; readonly most: number };

export interface DefaultViews {
  readonly views: readonly DefaultView[];
  /** Of all repositories that the query selects, sorted; some have published nothing. */
  readonly names: readonly string[];
}

export interface CandidatePage {
  readonly files: readonly CandidateFile[];
  readonly more: boolean;
}

/** What is in no more groups, and may match no more files, than these is read as a whole. */
const RARE_GROUPS = 1_000;
const RARE_FILES = 600;
/** Repositories that are searched together for a common pattern: few first, since they may fill the page. */
const FIRST_REPOSITORIES = 2;
const MAX_REPOSITORIES = 512;
/**
 * If so many did not fill it, the index is queried for the groups of all others, in the order of their repositories. Of ten
 * thousand repositories most hold nothing of a pattern; a dozen are searched faster one by one.
 */
const MAX_IN_TURN = 32;
const MAX_GROUPS = 2_048;
/** For a common pattern, one candidate in so many of those asked for is an answer. */
const ENOUGH_SHARE = 4;
/** A publication may come between asking for a view and reading it. */
const MAX_TRIES = 5;
const MAX_REMEMBERED = 256;

type Request = Omit<CatalogFileQuery, "limit"> & { readonly limits: Limits | undefined };

export class CandidateSearch {
  readonly #index: CandidateIndex;
  readonly #files: DefaultViewCache;
  /** Patterns that were found to be common: their pages follow each other. True: no few repositories fill a page. */
  readonly #common = new Map<string, boolean>();

  constructor(index: CandidateIndex) {
    this.#index = index;
    this.#files = new DefaultViewCache((...query) => index.entries(...query));
  }

  /** Files that the plan does not rule out. */
  async find(plan: TrigramPlan, { limit, ...request }: CatalogFileQuery, limits?: Limits): Promise<CandidatePage> {
    const asked = { ...request, limits };
    for (let attempt = 1; ; attempt++) {
      try {
        const rare = plan.op === "any" ? undefined : await this.#rare(plan, asked);
        if (rare === undefined) return await this.#pageOf(plan, asked, limit);
        const behind = rare.filter((file) => !isBefore(file, request.from)).sort(comparePlaces);
        return { files: behind.slice(0, limit), more: behind.length > limit };
      } catch (error) {
        if (!(error instanceof ViewSuperseded) || attempt === MAX_TRIES) throw error;
      }
    }
  }

  /** All of them, or undefined if there are many. */
  async #rare(plan: TrigramPlan, request: Request): Promise<CandidateFile[] | undefined> {
    const key = patternKey(plan, request);
    if (this.#common.has(key)) return undefined;
    const { names, limits } = request;
    const found = await this.#groups({ plan, names, most: RARE_GROUPS + 1 }, limits);
    const count = [...found.versions.values()].reduce((sum, { length }) => sum + length, 0);
    if (found.groups <= RARE_GROUPS && count <= RARE_FILES) return (await this.#shown(found, limits)).files;
    this.#remember(key, false);
    return undefined;
  }

  async #groups(query: GroupQuery, limits: Limits | undefined): Promise<MatchingGroups> {
    const masks = planMaskQuery(query.plan);
    const ranges = await this.#index.ranges(query, masks.places, limits);
    const versions = new Map<number, number[]>();
    let count = 0;
    for (const { repo, run, of, firsts, files, masks: bits } of ranges) {
      const counts = files.split(" ").map(Number);
      const groups = firsts.split(" ").map((first, at) => ({ first: Number(first), files: counts[at]! }));
      count += groups.length;
      const range = { first: run ?? 0, files: of ?? 0 };
      const passing = passingVersions({ range, groups, masks: run === null ? undefined : (bits ?? undefined) }, masks);
      if (passing.length > 0) versions.set(repo, (versions.get(repo) ?? []).concat(passing));
    }
    return { versions, groups: count, repositories: ranges.map(({ repo }) => repo) };
  }

  #remember(key: string, isScattered: boolean): void {
    if (this.#common.size === MAX_REMEMBERED) this.#common.clear();
    this.#common.set(key, isScattered);
  }

  /** Repository after repository, each by path: where a pattern is common, a page is full after a few. */
  async #pageOf(plan: TrigramPlan, request: Request, limit: number): Promise<CandidatePage> {
    const key = patternKey(plan, request);
    const files: CandidateFile[] = [];
    let from = request.from?.repository ?? "";
    for (let most = this.#common.get(key) === true ? MAX_IN_TURN * 4 : FIRST_REPOSITORIES; ; most *= 4) {
      const isScattered = most > MAX_IN_TURN && plan.op !== "any";
      if (isScattered) this.#remember(key, true);
      const next = isScattered
        ? await this.#nextGroups(plan, request, from, Math.min(most, MAX_GROUPS))
        : await this.#nextRepositories(plan, request, from, Math.min(most, MAX_REPOSITORIES));
      files.push(...next.files.filter((file) => !isBefore(file, request.from)));
      if (files.length > limit) return { files: files.slice(0, limit), more: true };
      if (next.last === undefined) return { files, more: false };
      // A part of them may fill the page already; a caller that needs more asks again.
      if (files.length >= limit / ENOUGH_SHARE) return { files, more: true };
      from = `${next.last}\u0001`;
    }
  }

  /** `last`: the name of the last repository searched; absent: there is none behind it. */
  async #nextRepositories(plan: TrigramPlan, { names, limits }: Request, from: string, most: number) {
    const selected = await this.#index.views({ from, names, most }, limits);
    const repositories = selected.views.map(({ repo }) => repo);
    const [all, found] = await Promise.all([
      this.#files.read(selected.views, limits),
      plan.op === "any" ? undefined : this.#groups({ plan, repositories }, limits),
    ]);
    const files = repositories.flatMap((repo, at) =>
      found === undefined ? all[at]!.files : filesOfVersions(all[at]!, found.versions.get(repo) ?? []),
    );
    return { files, last: selected.names.length < most ? undefined : selected.names.at(-1) };
  }

  async #nextGroups(plan: TrigramPlan, { names, limits }: Request, from: string, most: number) {
    const found = await this.#groups({ plan, names, from, most }, limits);
    const { files, last } = await this.#shown(found, limits);
    if (found.groups < most) return { files, last: undefined };
    // All of the repositories were removed in between.
    if (last === undefined) throw new ViewSuperseded();
    return { files, last };
  }

  async #shown({ versions, repositories }: MatchingGroups, limits: Limits | undefined) {
    if (repositories.length === 0) return { files: [], last: undefined };
    const { views, names } = await this.#index.views({ repositories }, limits);
    const holding = views.filter(({ repo }) => versions.has(repo));
    const all = await this.#files.read(holding, limits);
    const files = holding.flatMap(({ repo }, at) => filesOfVersions(all[at]!, versions.get(repo)!));
    return { files, last: names.at(-1) };
  }
}

/** A glob may select thousands of names. Equal keys of different requests cost time, never a result. */
function patternKey(plan: TrigramPlan, { names }: Request): string {
  return JSON.stringify([plan, names?.length, names?.[0], names?.at(-1)]);
}

/** Those of the versions that are shown, by path. */
function filesOfVersions({ files, places }: DefaultViewFiles, versions: readonly number[]): CandidateFile[] {
  const found = versions.flatMap((version) => places.get(version) ?? []);
  return found.sort((a, b) => a - b).map((at) => files[at]!);
}

function comparePlaces(a: CatalogPosition, b: CatalogPosition): number {
  return compareBytes(a.repository, b.repository) || compareBytes(a.path, b.path);
}

function isBefore(file: CatalogPosition, from: CatalogPosition | undefined): boolean {
  return from !== undefined && comparePlaces(file, from) < 0;
}
