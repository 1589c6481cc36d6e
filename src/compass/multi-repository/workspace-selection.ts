/** From a call's word for several workspaces to the projects that it means. A word that means nothing is refused. */
import { globFilter } from "../../grep/glob.ts";
import { CompassError } from "../../model/errors.ts";
import { parseSelectors, type WorkspaceSelector } from "../../model/workspace-selector.ts";
import type { Catalog, Cataloged } from "../../ports/catalog.ts";
import type { Limits } from "../../ports/limits.ts";
import type { WorkspaceRow } from "../../ports/registry.ts";
import type { Project } from "../compass.ts";
import type { CompassPorts } from "../ports.ts";
import { noneNamed, type StoredRepositories, unknown } from "../projects/stored-repositories.ts";

export interface Selection {
  readonly count: number;
  /** All of them, by name, each once. A store of ten thousand is listed only for who needs it: that takes 30 ms. */
  readonly all: (limits?: Limits) => Promise<readonly Project[]>;
  /** Those of these names. */
  readonly named: (names: readonly string[]) => Promise<readonly Project[]>;
  /** All of them are the shared store's, which can be asked about them at once; without names: about everything. */
  readonly shared?: { readonly names?: readonly string[] };
}

export interface Selecting {
  readonly ports: Pick<CompassPorts, "registry" | "stores" | "repositoryName">;
  readonly repositories: StoredRepositories;
  /** One workspace by its word. */
  readonly one: (word: string) => Promise<Project>;
  readonly isServed: (row: WorkspaceRow) => boolean;
}

export async function selectWorkspaces(text: string, by: Selecting): Promise<Selection> {
  const words = parseSelectors(text);
  const { catalog } = by.ports.stores;
  if (catalog !== undefined && words.every(({ kind }) => kind === "all")) return everything(catalog, by);
  const found = (await Promise.all(words.map((word) => projectsOf(word, text, by)))).flat();
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

async function everything(catalog: Catalog, { repositories }: Selecting): Promise<Selection> {
  const count = await catalog.count();
  if (count === 0) throw noneNamed();
  const projects = (rows: readonly Cataloged[]) => eachOnce(rows.map((row) => repositories.project(row)));
  return {
    count,
    all: async (limits) => projects(await catalog.beginning("", limits)),
    named: async (names) => {
      const byName = new Map((await catalog.named(names)).map((row) => [row.name, row]));
      return names.flatMap((name) => (byName.has(name) ? repositories.project(byName.get(name)!) : []));
    },
    shared: {},
  };
}

async function projectsOf(word: WorkspaceSelector, text: string, by: Selecting): Promise<readonly Project[]> {
  if (word.kind === "directory") return [await by.one(word.path)];
  if (word.kind === "either") return [await by.one(word.word)];
  if (word.kind === "name") return [await by.one(`repo:${word.name}`)];
  const glob = word.kind === "all" ? undefined : word.glob;
  const isShared = by.ports.stores.catalog !== undefined;
  const found = isShared ? await cataloged(glob, by) : await registered(glob, by);
  if (found.length > 0) return found;
  if (glob !== undefined) throw unknown(text);
  throw isShared ? noneNamed() : new CompassError("project_not_found", { workspace: "all" });
}

async function cataloged(glob: string | undefined, { ports, repositories }: Selecting): Promise<readonly Project[]> {
  const fixed = glob?.replace(/[*?[{].*$/s, "") ?? "";
  const matches = glob === undefined ? () => true : nameFilter(glob);
  const rows = await ports.stores.catalog!.beginning(fixed);
  return rows.filter(({ name }) => matches(name)).map((row) => repositories.project(row));
}

/** On one machine a repository goes by the name it was cloned from, too, or by where it lies. */
async function registered(glob: string | undefined, by: Selecting): Promise<readonly Project[]> {
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
