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
import { DEFAULT_VIEW } from "./default-view.ts";
import { byBytes, type ShownFiles, type ShownView, Superseded, type WideFile } from "./default-view-files.ts";
import { NodeUnavailable } from "./failures.ts";
import { bunchesHolding, versionsOf } from "./file-batches.ts";
import type { Value } from "./query-interface.ts";

export interface WideAsk {
  /** Names of repositories; absent: every one that has a name and that the connection's role may see. */
  readonly names?: readonly string[];
  readonly from?: CatalogPlace;
  readonly limit: number;
  readonly limits?: Limits | undefined;
}

export interface WidePage {
  readonly files: readonly WideFile[];
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

export interface WideMeans {
  readonly db: Db;
  readonly shown: ShownFiles;
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
function keyOf(plan: TrigramPlan, { names }: WideAsk): string {
  return hash("sha1", JSON.stringify([plan, names]));
}

/** Files that the plan does not rule out. */
export async function filesHolding(means: WideMeans, plan: TrigramPlan, ask: WideAsk): Promise<WidePage> {
  for (let attempt = 1; ; attempt++) {
    try {
      const rare = plan.op === "any" ? undefined : await rareFiles(means, plan, ask);
      if (rare === undefined) return await commonFiles(means, plan, ask);
      const behind = rare.filter((file) => !isBefore(file, ask.from)).sort(byPlace);
      return { files: behind.slice(0, ask.limit), more: behind.length > ask.limit };
    } catch (error) {
      if (!(error instanceof Superseded) || attempt === MOST_TRIES) throw error;
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
  { names, limits }: Pick<WideAsk, "names" | "limits">,
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
export function textsOf(db: Db, files: readonly Version[], limits?: Limits): Promise<(Uint8Array | undefined)[]> {
  return blobsOf(db, "text", files, limits);
}

/** As `textsOf`. A text on a data node that does not answer is taken as empty; `Db.missingNodes` names the node. */
export function textsToScan(db: Db, files: readonly Version[], limits?: Limits): Promise<(Uint8Array | undefined)[]> {
  return blobsOf(db, "text", files, limits, (error) => {
    if (!(error instanceof NodeUnavailable)) throw error;
    return encodeText("");
  });
}

export function recordsOf(db: Db, files: readonly Version[], limits?: Limits): Promise<(Uint8Array | undefined)[]> {
  return blobsOf(db, "record", files, limits);
}

type Version = Pick<WideFile, "repo" | "id">;

/** What takes the place of content that could not be read; may throw. */
type Instead = (error: unknown) => Uint8Array;

/** Each data node is asked by itself, so that one that does not answer fails its own files only. */
async function blobsOf(db: Db, kind: "text" | "record", files: readonly Version[], limits?: Limits, instead?: Instead) {
  const found: (Uint8Array | undefined)[] = files.map(() => undefined);
  const byNode = Map.groupBy(files.entries(), ([, { repo }]) => nodeOf(repo));
  const reads = [...byNode].map(async ([node, entries]) => {
    const [places, own] = [entries.map(([at]) => at), entries.map(([, file]) => file)];
    const sql = `SELECT a.at AS id, v.${kind}_key AS key
      FROM unnest($1::integer[], $2::bigint[]) WITH ORDINALITY AS a (repo, version, at)
      JOIN codecompass.file_version v ON v.repo = a.repo AND v.id = a.version`;
    const values = [own.map(({ repo }) => repo), own.map(({ id }) => id)];
    const about = [...new Set(values[0])];
    const options = { limits, about, prepared: `wide_${kind}s` };
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
async function rareFiles(means: WideMeans, plan: TrigramPlan, ask: WideAsk): Promise<WideFile[] | undefined> {
  const { limits } = ask;
  const key = keyOf(plan, ask);
  if (means.common.has(key)) return undefined;
  const versions = await rareVersions(means.db, plan, ask);
  if (versions === undefined) {
    remember(means.common, key);
    return undefined;
  }
  if (versions.size === 0) return [];
  const views = await viewsOf(means.shown, [...versions.keys()], limits);
  const shown = await means.shown.of(views, limits);
  return views.flatMap(({ repo }, at) => filesOf(shown[at]!, versions.get(repo)!));
}

async function rareVersions(db: Db, plan: TrigramPlan, { names, limits }: WideAsk) {
  const look = planMaskQuery(plan);
  const values: Value[] = [look.places];
  const most = RARE_BUNCHES + 1;
  const within = () => {
    const repos = idsOf(names!, values);
    if (names!.length <= MANY_REPOSITORIES) return bunchesHolding(db, plan, values, { repos, most });
    // The index is asked once for all of them; the engine is kept from asking by repository.
    return `SELECT a.* FROM (${bunchesHolding(db, plan, values)} OFFSET 0) a WHERE a.repo IN (${repos}) LIMIT ${most}`;
  };
  const sql = names === undefined ? bunchesHolding(db, plan, values, { most }) : within();
  const { versions, bunches } = await versionsOf(db, { sql, values, look, limits });
  if (bunches > RARE_BUNCHES) return undefined;
  const found = [...versions.values()].reduce((sum, { length }) => sum + length, 0);
  return found > RARE ? undefined : versions;
}

function idsOf(names: readonly string[], values: Value[]): string {
  return `SELECT n.id FROM codecompass.repository n WHERE n.name = ANY($${values.push(names)}::text[])`;
}

/** Those of the versions that are shown, by path. */
function filesOf({ files, places }: ShownView, versions: readonly number[]): WideFile[] {
  const found = versions.flatMap((version) => places.get(version) ?? []);
  return found.sort((a, b) => a - b).map((at) => files[at]!);
}

/** Repository after repository, each by path: where a pattern is common, a page is full after a few. */
async function commonFiles(means: WideMeans, plan: TrigramPlan, ask: WideAsk): Promise<WidePage> {
  const key = keyOf(plan, ask);
  const files: WideFile[] = [];
  let from = ask.from?.repository ?? "";
  for (let most = means.scattered.has(key) ? MOST_IN_TURN * 4 : FEW_REPOSITORIES; ; most *= 4) {
    const isScattered = most > MOST_IN_TURN && plan.op !== "any";
    if (isScattered) remember(means.scattered, key);
    const stretch = { ...ask, from, most: Math.min(most, isScattered ? MOST_BUNCHES : MANY_REPOSITORIES) };
    const next = await (isScattered ? holdingFrom : inTurn)(means, plan, stretch);
    files.push(...next.files.filter((file) => !isBefore(file, ask.from)));
    if (files.length > ask.limit) return { files: files.slice(0, ask.limit), more: true };
    if (next.last === undefined) return { files, more: false };
    // A part of them may fill the page already; whoever needs more asks again.
    if (files.length >= ask.limit / ENOUGH_SHARE) return { files, more: true };
    from = `${next.last}\u0001`;
  }
}

interface Stretch extends Pick<WideAsk, "names" | "limits"> {
  /** Not before this name. */
  readonly from: string;
  readonly most: number;
}

/** What was found in a stretch. */
interface Found {
  readonly files: readonly WideFile[];
  /** The name of the last repository that was looked at; absent: there is none behind them. */
  readonly last?: string | undefined;
}

/** In the next repositories, whatever they hold. */
async function inTurn({ db, shown }: WideMeans, plan: TrigramPlan, stretch: Stretch): Promise<Found> {
  const { from, most, names: within, limits } = stretch;
  const scope = within === undefined ? "" : "AND r.name = ANY($2::text[])";
  const where = `r.name >= $1 ${scope} ORDER BY r.name LIMIT ${most}`;
  const { views, names } = await shown.views(where, [from, ...(within === undefined ? [] : [within])], { limits });
  const all = await shown.of(views, limits);
  const look = planMaskQuery(plan);
  const about = views.map(({ repo }) => repo);
  const values: Value[] = [look.places, about];
  const sql = bunchesHolding(db, plan, values, { repos: "SELECT unnest($2::integer[])" });
  const versions =
    plan.op === "any" ? undefined : (await versionsOf(db, { sql, values, look, limits, about })).versions;
  const files = views.flatMap(({ repo }, at) =>
    versions === undefined ? all[at]!.files : filesOf(all[at]!, versions.get(repo) ?? []),
  );
  return { files, last: names.length < most ? undefined : names.at(-1) };
}

/** In the next bunches that the plan does not rule out, in the order of their repositories, each with all of its bunches. */
async function holdingFrom({ db, shown }: WideMeans, plan: TrigramPlan, stretch: Stretch): Promise<Found> {
  const { from, most, names, limits } = stretch;
  const look = planMaskQuery(plan);
  const values: Value[] = [look.places, from];
  const holding = bunchesHolding(db, plan, values);
  const scope = names === undefined ? "" : `AND r.name = ANY($${values.push(names)}::text[])`;
  // The index is asked once for all repositories; the engine is kept from asking by repository.
  const sql = `SELECT f.* FROM (${holding} OFFSET 0) f
    JOIN codecompass.repository r ON r.id = f.repo AND r.name >= $2 ${scope}
    ORDER BY r.name FETCH FIRST ${most} ROWS WITH TIES`;
  const { versions, bunches, repositories } = await versionsOf(db, { sql, values, look, limits });
  const [views, last] = await Promise.all([
    viewsOf(shown, [...versions.keys()], limits),
    bunches < most ? undefined : lastOf(db, repositories, limits),
  ]);
  const all = await shown.of(views, limits);
  return { files: views.flatMap(({ repo }, at) => filesOf(all[at]!, versions.get(repo)!)), last };
}

async function viewsOf(shown: ShownFiles, about: readonly number[], limits: Limits | undefined) {
  return (await shown.views("r.id = ANY($1::integer[])", [about], { limits, about })).views;
}

/** The greatest of their names: masks may have ruled out all that the last one has. */
async function lastOf(db: Db, repositories: readonly number[], limits: Limits | undefined): Promise<string> {
  const sql = "SELECT max(name) AS last FROM codecompass.repository WHERE id = ANY($1::integer[])";
  const [row] = await db.rows<{ last: string | null }>(sql, [repositories], { limits, about: repositories });
  // All of them went away in between.
  if (row!.last === null) throw new Superseded();
  return row!.last;
}

/** As the engine orders them: by bytes. */
function byPlace(a: CatalogedFile, b: CatalogedFile): number {
  return byBytes(a.repository, b.repository) || byBytes(a.path, b.path);
}

function isBefore(file: CatalogedFile, from: CatalogPlace | undefined): boolean {
  if (from === undefined) return false;
  return (byBytes(file.repository, from.repository) || byBytes(file.path, from.path)) < 0;
}
