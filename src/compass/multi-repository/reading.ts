/** Several workspaces as one reading: each answers, and the answers are merged. What only one can answer is refused. */
import { grepAcross } from "../../grep/multi-repository.ts";
import { CompassError } from "../../model/errors.ts";
import { type GrepAnswer, sumNotSearched } from "../../model/grep.ts";
import type { ProjectId } from "../../model/ids.ts";
import type {
  AnsweredWorkspace,
  MultiRepoGrepAnswer,
  MultiRepoGrepRequest,
  MultiRepoReport,
} from "../../model/multi-repository.ts";
import type { SymbolHit } from "../../model/search.ts";
import type { Catalog, CatalogedFile } from "../../ports/catalog.ts";
import type { Scanner } from "../../ports/scanner.ts";
import type { Compass, MultiRepoReading, Project, Reading, ReadOptions } from "../compass.ts";
import type { CompassPorts } from "../ports.ts";
import { splitQuery } from "../reading/query-filters.ts";
import { nothingIndexed } from "../reading/reading.ts";
import { refOfView } from "../refs/resolve-ref.ts";
import { FanOut, timeLimit, WIDE_DEADLINE_MS } from "./fan-out.ts";
import {
  mergedLocate,
  mergedMeaning,
  mergedSearch,
  mergeStatus,
  type ShowFindings,
  type WorkspaceAnswer,
} from "./merge-answers.ts";
import type { WorkspaceSelection } from "./workspace-selection.ts";
import {
  type SelectedProjects,
  type SelectionSource,
  selectByTerms,
  selectForSemantic,
} from "./workspace-selection.ts";

export interface MultiRepositoryReadingOptions extends SelectionSource {
  readonly fan: FanOut;
  readonly scanner: Scanner;
  /** A ref that a call names is meant in every workspace: each has to be opened. */
  readonly ref: string | undefined;
  /** A little time more. */
  readonly grace: () => AbortSignal;
}

const NOBODYS = { id: "" as ProjectId, root: "", vcs: false };

export function wideReading(of: MultiRepositoryReadingOptions): MultiRepoReading {
  const { selection, fan, catalog } = of;
  const shown = new Set<string>();
  const direct = new Map<string, AnsweredWorkspace>();
  const notes: string[] = [];
  const show = <T extends { readonly hits: readonly { readonly workspace?: string }[] }>(answer: T): T => {
    for (const { workspace } of answer.hits) if (workspace !== undefined) shown.add(workspace);
    return answer;
  };
  const chosen = async (worth: Promise<SelectedProjects>) => {
    const { projects, note } = await worth;
    if (note !== undefined) notes.push(note);
    return projects;
  };
  const report = (): MultiRepoReport => {
    const opened = fan.report(shown);
    const failed = [...opened.failed, ...(catalog?.missing() ?? []).map(missing)];
    return { ...opened, failed, answered: [...opened.answered, ...direct.values()].sort(byWorkspace) };
  };
  const nothing = nothingIndexed(mergeStatus([], report(), []), NOBODYS.root);
  return {
    ...nothing,
    project: NOBODYS,
    generation: 0,
    get status() {
      return mergeStatus(fan.statuses, report(), notes);
    },
    report,
    search: async (ask) => {
      const parts = await fan.ask(
        await chosen(selectByTerms(splitQuery(ask.query).text, of)),
        async (reading) => (await reading.find?.(ask, { isPart: true })) ?? { shown: await reading.search(ask) },
        (answer) => "shown" in answer || answer.places.length > 0,
      );
      const showFound: ShowFindings = (workspace, found) => fan.resume(workspace, (reading) => reading.show!(found));
      // Where no workspace has the words, the answer is empty and complete; the report names those that failed.
      return show(
        (await mergedSearch(parts, ask.limit, showFound)) ?? {
          ...(await nothing.search(ask)),
          completeness: "complete" as const,
        },
      );
    },
    locate: async (ask) => {
      const projects = await chosen(selectByTerms(ask.name ?? "", of));
      const parts = await fan.ask(projects, (reading) => reading.locate(ask), hasHits);
      return show(mergedLocate(parts, ask.limit));
    },
    semantic: async (ask) => {
      const projects = await chosen(selectForSemantic(splitQuery(ask.query).text, of));
      // Any page may be one repository's alone.
      const whole = { ...ask, offset: 0, limit: ask.offset + ask.limit };
      const parts = await fan.ask(projects, (reading) => reading.semantic(whole), hasHits);
      return show(mergedMeaning(parts, ask));
    },
    grepMany: async (ask) => {
      if (catalog === undefined || selection.shared === undefined || of.ref !== undefined)
        return show(await searchEachWorkspace(ask, await selection.all(), fan));
      return show(await directLines(ask, of, catalog, direct));
    },
    grep: async () => {
      throw new CompassError("internal_error", { reason: "lines of several workspaces are read with grepMany" });
    },
    body: async (hit) => (await findReading(hit, fan)?.body(hit)) ?? "",
    related: async (hit, limit) => (await findReading(hit, fan)?.related(hit, limit)) ?? [],
    layer: async () => undefined,
  };
}

/** While a part of the store is unavailable its repositories are unknown: its own name is reported. */
function missing(part: string): MultiRepoReport["failed"][number] {
  return { workspace: part, code: "internal_error", message: "this part of the store does not answer" };
}

function hasHits({ hits }: { readonly hits: readonly unknown[] }): boolean {
  return hits.length > 0;
}

function findReading({ workspace }: SymbolHit, fan: FanOut): Reading | undefined {
  return workspace === undefined ? undefined : fan.reading(workspace);
}

/** The store knows which files may match, wherever they are: no repository is opened. */
async function directLines(
  ask: MultiRepoGrepRequest,
  of: MultiRepositoryReadingOptions,
  catalog: Catalog,
  answered: Map<string, AnsweredWorkspace>,
): Promise<MultiRepoGrepAnswer> {
  const { selection, fan, scanner, stop } = of;
  const { files, stoppedIn, ...lines } = await grepAcross(ask, selection.shared!, { catalog, scanner, signal: stop });
  const onPage = new Set(lines.hits.map(({ workspace }) => workspace));
  for (const file of files) if (onPage.has(file.repository)) answered.set(file.repository, answeredBy(file));
  fan.note(stop.aborted && !lines.exact ? await namesFrom(stoppedIn, of) : [], 0);
  return lines;
}

/** Those that were not searched. Where the store itself is too slow to list them, only the first is known. */
async function namesFrom(
  first: string | undefined,
  { selection, grace }: MultiRepositoryReadingOptions,
): Promise<readonly string[]> {
  try {
    const projects = await selection.all({ signal: grace() });
    return projects.map(({ root }) => root).filter((name) => name >= (first ?? ""));
  } catch {
    return [first ?? "all"];
  }
}

function answeredBy({ repository, view, commit }: CatalogedFile): AnsweredWorkspace {
  const ref = view === "base" ? (commit ?? view) : refOfView(view);
  return { workspace: repository, ref, ...(commit !== undefined && { commit }), freshness: "fresh" };
}

function byWorkspace(a: AnsweredWorkspace, b: AnsweredWorkspace): number {
  return a.workspace < b.workspace ? -1 : 1;
}

/** Lines of several workspaces, each searched by itself. Workspaces before the cursor have been shown already. */
export async function searchEachWorkspace(
  ask: MultiRepoGrepRequest,
  projects: readonly Project[],
  fan: FanOut,
): Promise<MultiRepoGrepAnswer> {
  const { from } = ask;
  const behind = from === undefined ? projects : projects.filter(({ root }) => root >= from.workspace);
  const skipIn = (root: string) => (root === from?.workspace ? from.skip : 0);
  const parts = await fan.ask(behind, (reading) => reading.grep({ ...ask, offset: skipIn(reading.project.root) }));
  const hits = parts.flatMap((part) => numberHits(part, skipIn(part.workspace))).slice(0, ask.limit);
  const answers = parts.map(({ answer }) => answer);
  return {
    hits,
    counted: parts.reduce((sum, { workspace, answer }) => sum + Math.max(0, answer.total - skipIn(workspace)), 0),
    exact: parts.length === behind.length,
    more: false,
    filesMatched: answers.reduce((sum, { files }) => sum + files.length, 0),
    filesSearched: answers.reduce((sum, { filesSearched }) => sum + filesSearched, 0),
    notSearched: sumNotSearched(answers.flatMap(({ notSearched }) => notSearched)),
    complete: answers.every(({ complete }) => complete),
  };
}

function numberHits({ workspace, answer }: WorkspaceAnswer<GrepAnswer>, skipped: number): MultiRepoGrepAnswer["hits"] {
  return answer.hits.map((hit, at) => ({ ...hit, workspace, behind: { workspace, skip: skipped + at + 1 } }));
}

/** For the warnings of an answer whose time is up. */
const GRACE_MS = 500;

interface MultiReadRequest {
  readonly selection: WorkspaceSelection;
  readonly options: ReadOptions;
  readonly read: Compass["read"];
  readonly deadlineMs: number | undefined;
}

export async function readMany<T>(
  { selection, options, read, deadlineMs }: MultiReadRequest,
  { env, scanner, stores }: CompassPorts,
  use: (reading: MultiRepoReading) => Promise<T>,
): Promise<T> {
  const stop = timeLimit(env, deadlineMs ?? WIDE_DEADLINE_MS, options.signal);
  const grace = () => timeLimit(env, GRACE_MS, options.signal);
  const fan = new FanOut({ selected: selection.count, read, options, stop });
  const catalog = stores.shared;
  try {
    return await use(wideReading({ selection, fan, catalog, scanner, ref: options.ref, stop, grace }));
  } finally {
    fan.release();
  }
}
