/** From a call's word for several workspaces to the projects that it means. A word that means nothing is refused. */
import { globFilter } from "../../grep/glob.ts";
import { CompassError } from "../../model/errors.ts";
import { parseSelectors, type WorkspaceSelector } from "../../model/workspace-selector.ts";
import type { Catalog, Cataloged } from "../../ports/catalog.ts";
import type { WorkspaceRow } from "../../ports/registry.ts";
import type { Limits } from "../../ports/snapshot.ts";
import { classify } from "../../query/parsed-query.ts";
import { contentWords } from "../../query/query-words.ts";
import type { Project } from "../compass.ts";
import type { CompassPorts } from "../ports.ts";
import { noneNamed, type StoredRepositories, unknown } from "../projects/stored-repositories.ts";

export interface WorkspaceSelection {
  readonly count: number;
  /** All of them, by name, each once. Listing a store of ten thousand takes 30 ms, so only on demand. */
  readonly all: (limits?: Limits) => Promise<readonly Project[]>;
  /** Those of these names. */
  readonly named: (names: readonly string[]) => Promise<readonly Project[]>;
  /** Present where all of them are in the shared store, which can search them at once; without names: everything. */
  readonly shared?: { readonly names?: readonly string[] };
}

export interface SelectionOptions {
  readonly ports: Pick<CompassPorts, "registry" | "stores" | "repositoryName">;
  readonly repositories: StoredRepositories;
  /** One workspace by its word. */
  readonly one: (word: string) => Promise<Project>;
  readonly isServed: (row: WorkspaceRow) => boolean;
}

export async function selectWorkspaces(text: string, by: SelectionOptions): Promise<WorkspaceSelection> {
  const words = parseSelectors(text);
  const { shared } = by.ports.stores;
  if (shared !== undefined && words.every(({ kind }) => kind === "all")) return everything(shared, by);
  const found = (await Promise.all(words.map((word) => projectsNamed(word, text, by)))).flat();
  const projects = eachOnce(found);
  const byName = new Map(projects.map((project) => [project.root, project]));
  const selected = {
    count: projects.length,
    all: async () => projects,
    named: async (names: readonly string[]) => names.flatMap((name) => byName.get(name) ?? []),
  };
  if (!projects.every(({ published }) => published)) return selected;
  const isAll = words.some(({ kind }) => kind === "all");
  return { ...selected, shared: isAll ? {} : { names: projects.map(({ root }) => root) } };
}

async function everything(catalog: Catalog, { repositories }: SelectionOptions): Promise<WorkspaceSelection> {
  const count = await catalog.count();
  if (count === 0) throw noneNamed();
  const projects = (rows: readonly Cataloged[]) => eachOnce(rows.map((row) => repositories.project(row)));
  return {
    count,
    all: async (limits) => projects(await catalog.repositories({ prefix: "" }, limits)),
    named: async (names) => {
      const byName = new Map((await catalog.repositories({ names })).map((row) => [row.name, row]));
      return names.flatMap((name) => (byName.has(name) ? repositories.project(byName.get(name)!) : []));
    },
    shared: {},
  };
}

async function projectsNamed(word: WorkspaceSelector, text: string, by: SelectionOptions): Promise<readonly Project[]> {
  if (word.kind === "directory") return [await by.one(word.path)];
  if (word.kind === "either") return [await by.one(word.word)];
  if (word.kind === "name") return [await by.one(`repo:${word.name}`)];
  const glob = word.kind === "all" ? undefined : word.glob;
  const isShared = by.ports.stores.shared !== undefined;
  const found = isShared ? await cataloged(glob, by) : await registered(glob, by);
  if (found.length > 0) return found;
  if (glob !== undefined) throw unknown(text);
  throw isShared ? noneNamed() : new CompassError("project_not_found", { workspace: "all" });
}

async function cataloged(
  glob: string | undefined,
  { ports, repositories }: SelectionOptions,
): Promise<readonly Project[]> {
  const fixed = glob?.replace(/[*?[{].*$/s, "") ?? "";
  const matches = glob === undefined ? () => true : nameFilter(glob);
  const rows = await ports.stores.shared!.repositories({ prefix: fixed });
  return rows.filter(({ name }) => matches(name)).map((row) => repositories.project(row));
}

/** Without a shared store, a repository is known by the name of its origin or by its path. */
async function registered(glob: string | undefined, by: SelectionOptions): Promise<readonly Project[]> {
  const matches = glob === undefined ? () => true : nameFilter(glob);
  const rows = (await by.ports.registry.list()).filter(by.isServed);
  const chosen = rows.filter(({ root }) => matches(by.ports.repositoryName?.(root) ?? root) || matches(root));
  return Promise.all(chosen.map(({ root }) => by.one(root)));
}

/** The whole name: `*` stays inside one part of it, `**` does not. */
function nameFilter(glob: string): (name: string) => boolean {
  const kept = globFilter([glob.startsWith("/") ? glob : `/${glob}`]);
  return (name) => kept(name.replace(/^\//, ""));
}

function eachOnce(projects: readonly Project[]): Project[] {
  return [...new Map(projects.map((project) => [project.root, project])).values()].sort(byRoot);
}

function byRoot(a: Project, b: Project): number {
  return a.root < b.root ? -1 : a.root > b.root ? 1 : 0;
}

/** Opening one costs memory and, when it was not used lately, a tenth of a second. */
export const MOST_OPENED = 32;

export interface SelectedProjects {
  readonly projects: readonly Project[];
  /** What the caller should know of those that were left out. */
  readonly note?: string;
}

export interface SelectionSource {
  readonly selection: WorkspaceSelection;
  readonly catalog: Catalog | undefined;
  readonly stop: AbortSignal;
}

export async function selectByTerms(words: string, choosing: SelectionSource): Promise<SelectedProjects> {
  return (await allOfFew(choosing)) ?? byWords(words, choosing);
}

/** For a semantic search, which would have to compare vectors in every repository otherwise; the answer says so. */
export async function selectForSemantic(words: string, choosing: SelectionSource): Promise<SelectedProjects> {
  return (await allOfFew(choosing)) ?? { ...(await byWords(words, choosing)), note: ONLY_WITH_WORDS };
}

async function allOfFew({ selection, catalog }: SelectionSource): Promise<SelectedProjects | undefined> {
  if (selection.shared !== undefined && catalog !== undefined && selection.count > MOST_OPENED) return undefined;
  return { projects: await selection.all() };
}

async function byWords(words: string, { selection, catalog, stop }: SelectionSource): Promise<SelectedProjects> {
  const ask = { ...selection.shared!, most: MOST_OPENED };
  const { names, all } = await catalog!.withTerms(termsOf(words), ask, { signal: stop });
  return { projects: await selection.named(names), ...(!all && { note: MORE_WITH_WORDS }) };
}

const MORE_WITH_WORDS =
  "More repositories hold these words than were asked: name fewer of them, or ask more precisely.";
const ONLY_WITH_WORDS =
  "Only repositories that hold the question's words were asked: name fewer of them to have every chunk compared.";

/** As the index has them: the stems of the words, and a name as a whole. */
export function termsOf(words: string): string[] {
  const intent = classify(words);
  const name = /([\p{L}\p{N}_$]+)\W*$/u.exec(words.trim())?.[1];
  const whole = intent === "symbol" && name !== undefined ? [name.toLowerCase()] : [];
  return [...new Set([...whole, ...contentWords(words, intent)])];
}
