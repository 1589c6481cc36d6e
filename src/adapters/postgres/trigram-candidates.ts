/**
 * Files of all repositories, or of some, that hold trigrams, in the order of repositories and paths: candidates for a
 * pattern that is not about one repository. Only what a repository's default view shows now counts.
 *
 * Matching is the engine's own; here is only what may match.
 */
import { hash } from "node:crypto";
import type { SkipReason } from "../../model/code.ts";
import type { TrigramPlan } from "../../model/grep.ts";
import type { CatalogedFile, CatalogPlace } from "../../ports/catalog.ts";
import type { Limits } from "../../ports/limits.ts";
import { planMaskQuery } from "../../segment/file-groups.ts";
import { encodeText } from "../../segment/stored-content.ts";
import { readBlobs } from "./blobs.ts";
import { nodeOf } from "./data-nodes.ts";
import type { Db } from "./db.ts";
import {
  type CandidateFile,
  compareBytes,
  DEFAULT_VIEW,
  type DefaultViewCache,
  type DefaultViewFiles,
  ViewSuperseded,
} from "./default-view.ts";
import { NodeUnavailable } from "./failures.ts";
import { groupsHolding, readVersions } from "./file-groups.ts";
import type { SqlValue } from "./queryable.ts";

export interface CandidateRequest {
  /** Names of repositories; absent: every one that has a name and that the connection's role may see. */
  readonly names?: readonly string[];
  readonly from?: CatalogPlace;
  readonly limit: number;
  readonly limits?: Limits | undefined;
}

export interface CandidatePage {
  readonly files: readonly CandidateFile[];
  readonly more: boolean;
}

/** What is in no more bunches, and may match no more files, than these is known as a whole. */
const RARE_BUNCHES = 1_000;
const RARE = 600;
/** Repositories that are looked at together where a pattern is common: few first, since they may fill the page. */
const FEW_REPOSITORIES = 2;
const MANY_REPOSITORIES = 512;
/**
 * Where so many did not, the index is asked for the bunches of all others, in the order of their repositories. Of ten
 * thousand most hold nothing of a pattern; of a dozen, each is looked at sooner.
 */
const MOST_IN_TURN = 32;
const MOST_BUNCHES = 2_048;
/** Of a common pattern, so many candidates less than were asked for are an answer. */
const ENOUGH_SHARE = 4;
/** A publication may come between asking for a view and reading it. */
const MOST_TRIES = 5;

export interface CandidateSearch {
  readonly db: Db;
  readonly shown: DefaultViewCache;
  /** Patterns that were found to be common: they are asked for page after page, and by many. */
  readonly common: Set<string>;
  /** Of these, those that no few repositories fill a page with. */
  readonly scattered: Set<string>;
}

const MOST_REMEMBERED = 256;

function remember(keys: Set<string>, key: string): void {
  if (keys.size === MOST_REMEMBERED) keys.clear();
  keys.add(key);
}

/** A glob may stand for thousands of names: they are not kept. */
function patternKey(plan: TrigramPlan, { names }: CandidateRequest): string {
  return hash("sha1", JSON.stringify([plan, names]));
}

/** Files that the plan does not rule out. */
export async function findCandidates(
  means: CandidateSearch,
  plan: TrigramPlan,
  ask: CandidateRequest,
): Promise<CandidatePage> {
  for (let attempt = 1; ; attempt++) {
    try {
      const rare = plan.op === "any" ? undefined : await findRareFiles(means, plan, ask);
      if (rare === undefined) return await findCommonFiles(means, plan, ask);
      const behind = rare.filter((file) => !isBefore(file, ask.from)).sort(compareLocation);
      return { files: behind.slice(0, ask.limit), more: behind.length > ask.limit };
    } catch (error) {
      if (!(error instanceof ViewSuperseded) || attempt === MOST_TRIES) throw error;
    }
  }
}

/**
 * For which of the reasons some default view has skipped files. EXISTS stops at the first repository that has one, so
 * that ten thousand repositories cost no more than a few.
 */
export async function skippedReasons(
  db: Db,
  reasons: readonly SkipReason[],
  { names, limits }: Pick<CandidateRequest, "names" | "limits">,
): Promise<SkipReason[]> {
  const scope = names === undefined ? "" : "AND r.name = ANY($2::text[])";
  const sql = `SELECT k.reason FROM unnest($1::text[]) AS k (reason)
    WHERE EXISTS (SELECT 1 FROM codecompass.repository r CROSS JOIN ${DEFAULT_VIEW}
      WHERE r.name IS NOT NULL ${scope} AND (d.totals::jsonb -> 'skipped') ? k.reason)`;
  const rows = await db.rows<{ reason: SkipReason }>(sql, [reasons, ...(names === undefined ? [] : [names])], {
    limits,
  });
  const found = new Set(rows.map(({ reason }) => reason));
  return reasons.filter((reason) => found.has(reason));
}

/** Their texts as they are stored (`encodeText`), whichever repositories they belong to; undefined for one that is gone. */
export function readTexts(
  db: Db,
  files: readonly StoredVersion[],
  limits?: Limits,
): Promise<(Uint8Array | undefined)[]> {
  return readContent(db, "text", files, limits);
}

/** As `textsOf`. A text on a data node that does not answer is taken as empty; `Db.missingNodes` names the node. */
export function readTextsToScan(
  db: Db,
  files: readonly StoredVersion[],
  limits?: Limits,
): Promise<(Uint8Array | undefined)[]> {
  return readContent(db, "text", files, limits, (error) => {
    if (!(error instanceof NodeUnavailable)) throw error;
    return encodeText("");
  });
}

export function readRecords(
  db: Db,
  files: readonly StoredVersion[],
  limits?: Limits,
): Promise<(Uint8Array | undefined)[]> {
  return readContent(db, "record", files, limits);
}

type StoredVersion = Pick<CandidateFile, "repo" | "id">;

/** What takes the place of content that could not be read; may throw. */
type Instead = (error: unknown) => Uint8Array;

/** Each data node is asked by itself, so that one that does not answer fails its own files only. */
async function readContent(
  db: Db,
  kind: "text" | "record",
  files: readonly StoredVersion[],
  limits?: Limits,
  instead?: Instead,
) {
  const found: (Uint8Array | undefined)[] = files.map(() => undefined);
  const byNode = Map.groupBy(files.entries(), ([, { repo }]) => nodeOf(repo));
  const reads = [...byNode].map(async ([node, entries]) => {
    const [places, own] = [entries.map(([at]) => at), entries.map(([, file]) => file)];
    const sql = `SELECT a.at AS id, v.${kind}_key AS key
      FROM unnest($1::integer[], $2::bigint[]) WITH ORDINALITY AS a (repo, version, at)
      JOIN codecompass.file_version v ON v.repo = a.repo AND v.id = a.version`;
    const values = [own.map(({ repo }) => repo), own.map(({ id }) => id)];
    const options = { limits, scope: [...new Set(values[0])], prepared: `wide_${kind}s` };
    try {
      const bytes = await readBlobs(db, node, { sql, values }, options);
      for (const [at, place] of places.entries()) found[place] = bytes.get(at + 1);
    } catch (error) {
      if (instead === undefined) throw error;
      const bytes = instead(error);
      for (const place of places) found[place] = bytes;
    }
  });
  await Promise.all(reads);
  return found;
}

/** All of them, or undefined where there are many. */
async function findRareFiles(
  means: CandidateSearch,
  plan: TrigramPlan,
  ask: CandidateRequest,
): Promise<CandidateFile[] | undefined> {
  const { limits } = ask;
  const key = patternKey(plan, ask);
  if (means.common.has(key)) return undefined;
  const versions = await findRareVersions(means.db, plan, ask);
  if (versions === undefined) {
    remember(means.common, key);
    return undefined;
  }
  if (versions.size === 0) return [];
  const views = await readViews(means.shown, [...versions.keys()], limits);
  const shown = await means.shown.of(views, limits);
  return views.flatMap(({ repo }, at) => filesOfVersions(shown[at]!, versions.get(repo)!));
}

async function findRareVersions(db: Db, plan: TrigramPlan, { names, limits }: CandidateRequest) {
  const look = planMaskQuery(plan);
  const values: SqlValue[] = [look.places];
  const most = RARE_BUNCHES + 1;
  const within = () => {
    const repos = idsByName(names!, values);
    if (names!.length <= MANY_REPOSITORIES) return groupsHolding(db, plan, values, { repos, most });
    // The index is asked once for all of them; the engine is kept from asking by repository.
    return `SELECT a.* FROM (${groupsHolding(db, plan, values)} OFFSET 0) a WHERE a.repo IN (${repos}) LIMIT ${most}`;
  };
  const sql = names === undefined ? groupsHolding(db, plan, values, { most }) : within();
  const { versions, bunches } = await readVersions(db, { sql, values, look, limits });
  if (bunches > RARE_BUNCHES) return undefined;
  const found = [...versions.values()].reduce((sum, { length }) => sum + length, 0);
  return found > RARE ? undefined : versions;
}

function idsByName(names: readonly string[], values: SqlValue[]): string {
  return `SELECT n.id FROM codecompass.repository n WHERE n.name = ANY($${values.push(names)}::text[])`;
}

/** Those of the versions that are shown, by path. */
function filesOfVersions({ files, places }: DefaultViewFiles, versions: readonly number[]): CandidateFile[] {
  const found = versions.flatMap((version) => places.get(version) ?? []);
  return found.sort((a, b) => a - b).map((at) => files[at]!);
}

/** Repository after repository, each by path: where a pattern is common, a page is full after a few. */
async function findCommonFiles(
  means: CandidateSearch,
  plan: TrigramPlan,
  ask: CandidateRequest,
): Promise<CandidatePage> {
  const key = patternKey(plan, ask);
  const files: CandidateFile[] = [];
  let from = ask.from?.repository ?? "";
  for (let most = means.scattered.has(key) ? MOST_IN_TURN * 4 : FEW_REPOSITORIES; ; most *= 4) {
    const isScattered = most > MOST_IN_TURN && plan.op !== "any";
    if (isScattered) remember(means.scattered, key);
    const stretch = { ...ask, from, most: Math.min(most, isScattered ? MOST_BUNCHES : MANY_REPOSITORIES) };
    const next = await (isScattered ? candidatesByGroup : candidatesByRepository)(means, plan, stretch);
    files.push(...next.files.filter((file) => !isBefore(file, ask.from)));
    if (files.length > ask.limit) return { files: files.slice(0, ask.limit), more: true };
    if (next.last === undefined) return { files, more: false };
    // A part of them may fill the page already; whoever needs more asks again.
    if (files.length >= ask.limit / ENOUGH_SHARE) return { files, more: true };
    from = `${next.last}\u0001`;
  }
}

interface RepositoryRange extends Pick<CandidateRequest, "names" | "limits"> {
  /** Not before this name. */
  readonly from: string;
  readonly most: number;
}

/** What was found in a stretch. */
interface RangeCandidates {
  readonly files: readonly CandidateFile[];
  /** The name of the last repository that was looked at; absent: there is none behind them. */
  readonly last?: string | undefined;
}

/** In the next repositories, whatever they hold. */
async function candidatesByRepository(
  { db, shown }: CandidateSearch,
  plan: TrigramPlan,
  stretch: RepositoryRange,
): Promise<RangeCandidates> {
  const { from, most, names: within, limits } = stretch;
  const scope = within === undefined ? "" : "AND r.name = ANY($2::text[])";
  const where = `r.name >= $1 ${scope} ORDER BY r.name LIMIT ${most}`;
  const { views, names } = await shown.views(where, [from, ...(within === undefined ? [] : [within])], { limits });
  const all = await shown.of(views, limits);
  const look = planMaskQuery(plan);
  const repositories = views.map(({ repo }) => repo);
  const values: SqlValue[] = [look.places, repositories];
  const sql = groupsHolding(db, plan, values, { repos: "SELECT unnest($2::integer[])" });
  const versions =
    plan.op === "any"
      ? undefined
      : (await readVersions(db, { sql, values, look, limits, scope: repositories })).versions;
  const files = views.flatMap(({ repo }, at) =>
    versions === undefined ? all[at]!.files : filesOfVersions(all[at]!, versions.get(repo) ?? []),
  );
  return { files, last: names.length < most ? undefined : names.at(-1) };
}

/** In the next bunches that the plan does not rule out, in the order of their repositories, each with all of its bunches. */
async function candidatesByGroup(
  { db, shown }: CandidateSearch,
  plan: TrigramPlan,
  stretch: RepositoryRange,
): Promise<RangeCandidates> {
  const { from, most, names, limits } = stretch;
  const look = planMaskQuery(plan);
  const values: SqlValue[] = [look.places, from];
  const holding = groupsHolding(db, plan, values);
  const scope = names === undefined ? "" : `AND r.name = ANY($${values.push(names)}::text[])`;
  // The index is asked once for all repositories; the engine is kept from asking by repository.
  const sql = `SELECT f.* FROM (${holding} OFFSET 0) f
    JOIN codecompass.repository r ON r.id = f.repo AND r.name >= $2 ${scope}
    ORDER BY r.name FETCH FIRST ${most} ROWS WITH TIES`;
  const { versions, bunches, repositories } = await readVersions(db, { sql, values, look, limits });
  const [views, last] = await Promise.all([
    readViews(shown, [...versions.keys()], limits),
    bunches < most ? undefined : lastNameOf(db, repositories, limits),
  ]);
  const all = await shown.of(views, limits);
  return { files: views.flatMap(({ repo }, at) => filesOfVersions(all[at]!, versions.get(repo)!)), last };
}

async function readViews(shown: DefaultViewCache, repositories: readonly number[], limits: Limits | undefined) {
  return (await shown.views("r.id = ANY($1::integer[])", [repositories], { limits, scope: repositories })).views;
}

/** The greatest of their names: masks may have ruled out all that the last one has. */
async function lastNameOf(db: Db, repositories: readonly number[], limits: Limits | undefined): Promise<string> {
  const sql = "SELECT max(name) AS last FROM codecompass.repository WHERE id = ANY($1::integer[])";
  const [row] = await db.rows<{ last: string | null }>(sql, [repositories], { limits, scope: repositories });
  // All of them went away in between.
  if (row!.last === null) throw new ViewSuperseded();
  return row!.last;
}

/** As the engine orders them: by bytes. */
function compareLocation(a: CatalogedFile, b: CatalogedFile): number {
  return compareBytes(a.repository, b.repository) || compareBytes(a.path, b.path);
}

function isBefore(file: CatalogedFile, from: CatalogPlace | undefined): boolean {
  if (from === undefined) return false;
  return (compareBytes(file.repository, from.repository) || compareBytes(file.path, from.path)) < 0;
}
