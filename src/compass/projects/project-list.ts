/** The projects that this process serves: those given at start, those registered on this machine, those it discovers. */
import { CompassError } from "../../model/errors.ts";
import { namesRepositories, parseSelectors } from "../../model/workspace-selector.ts";
import type { WorkspaceRow } from "../../ports/registry.ts";
import type { Project, Workspace } from "../compass.ts";
import { selectWorkspaces, type WorkspaceSelection } from "../multi-repository/workspace-selection.ts";
import type { CompassOptions, CompassPorts } from "../ports.ts";
import { DiscoveredProjects, forget } from "./discovered-projects.ts";
import { registerWorkspace, resolveWorkspace, shown } from "./resolve-workspace.ts";
import { publishedRow, StoredRepositories, unknown } from "./stored-repositories.ts";

export class ProjectList {
  readonly #ports: CompassPorts;
  readonly #options: CompassOptions;
  readonly #close: (row: WorkspaceRow) => Promise<boolean>;
  readonly #discoveries: DiscoveredProjects | undefined;
  readonly #projects = new Map<string, { readonly project: Project; readonly row: WorkspaceRow }>();
  readonly #repositories: StoredRepositories;
  #registered: Promise<void> | undefined;

  /** `close` closes a tree; false: it is in use. */
  constructor(ports: CompassPorts, options: CompassOptions, close: (row: WorkspaceRow) => Promise<boolean>) {
    this.#ports = ports;
    this.#options = options;
    this.#close = close;
    this.#repositories = new StoredRepositories(ports);
    const { discovery } = options;
    this.#discoveries =
      discovery &&
      new DiscoveredProjects(discovery, ports, async (row) => {
        const isClosed = await close(row);
        if (isClosed) this.#projects.delete(row.id);
        return isClosed;
      });
  }

  /** The project of a call: the named workspace, else the default one. */
  async project(workspace?: string): Promise<Project> {
    try {
      return await this.#resolved(workspace);
    } catch (error) {
      if (!isUnknown(error)) throw error;
      if (this.#options.discreet) throw discreetly(error, workspace);
      // The data directory may have been deleted since the given trees were registered.
      this.#registered = undefined;
      return this.#resolved(workspace);
    }
  }

  /** Every workspace that the words mean. */
  async select(words: string): Promise<WorkspaceSelection> {
    await this.#registerGiven();
    return selectWorkspaces(words, {
      ports: this.#ports,
      repositories: this.#repositories,
      one: (word) => this.project(word),
      isServed: (row) => this.#discoveries?.isServed(row) ?? !row.autoDiscovered,
    });
  }

  async register(path: string): Promise<Project> {
    return this.#projectOf(await registerWorkspace(path, this.#ports));
  }

  /** Forgets a tree; refuses while a job runs in it. */
  async forget(path: string): Promise<Project> {
    if (namesRepositories(path)) return this.#withdraw(path);
    const row = await resolveWorkspace({ named: path, fallback: undefined, isServed: isAnyones }, this.#ports).catch(
      () => this.#ports.registry.find(path),
    );
    if (row === undefined) throw new CompassError("workspace_not_registered", { workspace: path });
    const project = await this.#projectOf(row);
    if (!(await this.#close(row))) throw new CompassError("index_in_progress", { workspace: row.root });
    this.#projects.delete(row.id);
    await forget(row, this.#ports);
    return project;
  }

  /** Forgetting a directory leaves the shared index to its other users; forgetting a name deletes it for all. */
  async #withdraw(word: string): Promise<Project> {
    const project = await this.#repositories.named(word);
    if (project === undefined) {
      const reason = `${shown(word)} is a name in a shared store: name one repository, with --store`;
      throw new CompassError("invalid_input", { parameter: "workspace", reason });
    }
    this.#ports.readers?.forget(project.published!.location);
    await this.#ports.stores.shared!.withdraw(project.root);
    return project;
  }

  async workspaces(): Promise<readonly Workspace[]> {
    return (await this.#ports.registry.list()).map(({ id, root, autoDiscovered, registeredAt, lastUsedAt }) => {
      return { id, root, autoDiscovered, registeredAt, lastUsedAt };
    });
  }

  /** The projects given at start and those used since. */
  async known(): Promise<readonly Project[]> {
    await this.#registerGiven();
    const { workspaces, defaultWorkspace } = this.#options;
    const given = workspaces.length > 0 || defaultWorkspace === undefined ? workspaces : [defaultWorkspace];
    const own = (await Promise.all(given.map((path) => this.#at(path)))).flat();
    const used = await this.#visible([...this.#projects.values()].map(({ project }) => project));
    return [...new Map([...own, ...used].map((project) => [project.id, project])).values()];
  }

  /** Hides the projects of other callers. */
  async #visible(projects: readonly Project[]): Promise<readonly Project[]> {
    if (!this.#options.discreet) return projects;
    const rows = await Promise.all(projects.map(({ root }) => this.#ports.registry.find(root).catch(() => undefined)));
    return projects.filter((_, at) => rows[at] !== undefined);
  }

  row(project: Project): WorkspaceRow {
    if (project.published) return publishedRow(project, project.published.location);
    const known = this.#projects.get(project.id);
    // Discovered trees give way to others, also between two steps of a call.
    if (known === undefined) throw new CompassError("workspace_not_registered", { workspace: project.root });
    return known.row;
  }

  async #resolved(workspace: string | undefined): Promise<Project> {
    await this.#registerGiven();
    const named = workspace ?? this.#options.workspaces[0];
    const published = named === undefined ? undefined : await this.#repositories.named(named);
    if (published !== undefined) return published;
    const clone = workspace === undefined ? undefined : await this.#repositories.clone(workspace);
    return this.#directory(clone ?? workspace).catch(async (error: unknown) => {
      throw this.#ports.stores.shared === undefined ? error : await this.#amongRepositories(error, workspace);
    });
  }

  /** With a shared store, a name that is not a directory may be that of a repository. */
  async #amongRepositories(error: unknown, workspace: string | undefined): Promise<unknown> {
    if (!isUnknown(error)) return error;
    if (workspace === undefined) return new CompassError(error.code, { ...error.data, suggestion: NAME_ONE });
    if (parseSelectors(workspace)[0]!.kind !== "either") return error;
    return (await this.#ports.files.realDirectory(workspace)) === undefined ? unknown(workspace) : error;
  }

  async #directory(workspace: string | undefined): Promise<Project> {
    const discoveries = this.#discoveries;
    const row = await resolveWorkspace(
      {
        named: workspace,
        fallback: this.#options.workspaces[0] ?? this.#options.defaultWorkspace,
        isServed: (one) => discoveries?.isServed(one) ?? !one.autoDiscovered,
        ...(discoveries !== undefined && { admit: (tree) => discoveries.admit(tree) }),
      },
      this.#ports,
    );
    void this.#ports.registry.touch(row);
    if (row.autoDiscovered) discoveries?.used(row);
    return this.#projectOf(row);
  }

  /** Trees named at start are registered when first needed, never during the handshake. */
  #registerGiven(): Promise<void> {
    // A caller that may not know of them cannot register them: the server has registered them at start.
    if (this.#options.discreet) return Promise.resolve();
    this.#registered ??= (async () => {
      for (const path of this.#options.workspaces) await this.#registerOne(path);
    })().catch((error: unknown) => {
      // The next call tries again: a full disk or a missing permission may be gone by then.
      this.#registered = undefined;
      throw error;
    });
    return this.#registered;
  }

  /** A given tree that is gone fails the calls that name it, not the others. */
  async #registerOne(path: string): Promise<void> {
    const { files, registry } = this.#ports;
    if ((await this.#repositories.named(path)) !== undefined) return;
    const isKnown = () =>
      registry.find(path).then(
        (row) => row !== undefined,
        // A damaged registration is one; the other trees do not depend on it.
        () => true,
      );
    const gone = (await files.realDirectory(path)) === undefined && (await isKnown());
    if (!gone) await registerWorkspace(path, this.#ports);
  }

  async #at(path: string): Promise<Project[]> {
    const published = await this.#repositories.named(path).catch(() => undefined);
    if (published !== undefined) return [published];
    const by = { named: undefined, fallback: path, isServed: isAnyones };
    const row = await resolveWorkspace(by, this.#ports).catch(() => undefined);
    return row === undefined ? [] : [await this.#projectOf(row)];
  }

  async #projectOf(row: WorkspaceRow): Promise<Project> {
    const known = this.#projects.get(row.id);
    if (known !== undefined) return known.project;
    const repository = await this.#ports.vcs.repository(row.root);
    const project = { id: row.id, root: row.root, vcs: repository !== undefined };
    this.#projects.set(row.id, { project, row });
    return project;
  }
}

/** Hides which trees the server was started with. */
function discreetly(error: unknown, workspace: string | undefined): unknown {
  return workspace === undefined ? new CompassError("project_not_found", { workspace: "this server" }) : error;
}

const NAME_ONE =
  "Say which repository of the shared store is meant: `workspace` is host/owner/name, repo:github.com/acme/*, or all.";

function isUnknown(error: unknown): error is CompassError {
  return error instanceof CompassError && /_not_(found|registered)$/.test(error.code);
}

function isAnyones(): boolean {
  return true;
}
