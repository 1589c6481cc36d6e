/** The repositories of a shared store by name, as projects that need no checkout. Where no store is shared there are none. */
import { CompassError } from "../../model/errors.ts";
import { type ProjectId, projectId } from "../../model/ids.ts";
import { parseSelectors, type WorkspaceSelector } from "../../model/workspace-selector.ts";
import type { Cataloged } from "../../ports/catalog.ts";
import type { WorkspaceRow } from "../../ports/registry.ts";
import type { Project } from "../compass.ts";
import type { CompassPorts } from "../ports.ts";
import { shown } from "./resolve-workspace.ts";

type RepositoryPorts = Pick<CompassPorts, "stores" | "hash" | "files" | "registry" | "repositoryName">;

/** Working out the ids of ten thousand names takes a good part of what a question to all of them does. */
const REMEMBERED = 50_000;

export class StoredRepositories {
  readonly #ports: RepositoryPorts;
  readonly #ids = new Map<string, ProjectId>();

  constructor(ports: RepositoryPorts) {
    this.#ports = ports;
  }

  /** The repository that the word means; undefined where it means a directory. Refuses a name that is not known. */
  async named(text: string): Promise<Project | undefined> {
    const [word, ...rest] = parseSelectors(text);
    const { shared } = this.#ports.stores;
    if (rest.length > 0 || shared === undefined) return undefined;
    const name = await this.#nameOf(word!);
    if (name === undefined) return undefined;
    const [found] = await shared.repositories({ names: [name] });
    if (found !== undefined) return this.project(found);
    if (word!.kind === "either") return undefined;
    throw unknown(text);
  }

  /** Where no store is shared, a name means a registered clone of that repository: its directory. */
  async clone(text: string): Promise<string | undefined> {
    const { stores, registry, repositoryName } = this.#ports;
    const [word] = parseSelectors(text);
    if (word?.kind !== "name" || stores.shared !== undefined) return undefined;
    const found = (await registry.list()).find(({ root }) => repositoryName?.(root) === word.name);
    if (found === undefined) throw unknown(text);
    return found.root;
  }

  project({ name, location }: Cataloged): Project {
    return { id: this.#idOf(name), root: name, vcs: true, published: { location } };
  }

  /** A directory of that name comes first. */
  async #nameOf(word: WorkspaceSelector): Promise<string | undefined> {
    if (word.kind === "name") return word.name;
    if (word.kind !== "either") return undefined;
    const isDirectory = (await this.#ports.files.realDirectory(word.word)) !== undefined;
    return isDirectory ? undefined : word.word;
  }

  #idOf(name: string): ProjectId {
    const known = this.#ids.get(name);
    if (known !== undefined) return known;
    if (this.#ids.size >= REMEMBERED) this.#ids.clear();
    const id = projectId(name, this.#ports.hash);
    this.#ids.set(name, id);
    return id;
  }
}

/** How a repository is opened: as a tree that is nowhere. */
export function publishedRow({ id, root }: Project, location: string): WorkspaceRow {
  return {
    id,
    root,
    storeLocation: location,
    registeredAt: 0,
    autoDiscovered: false,
    lastUsedAt: 0,
    published: true,
  };
}

/** The same text for a repository that does not exist and one that the caller may not see. */
export function unknown(word: string): CompassError {
  return new CompassError("workspace_not_registered", {
    workspace: shown(word),
    reason: "no repository of that name is in the store",
    suggestion: "Name it as it was cloned (host/owner/name), or index it: `codecompass index --store …` in a clone.",
  });
}

/** Refuses `all` where the shared store has no named repository. */
export function noneNamed(): CompassError {
  return new CompassError("project_not_found", {
    workspace: "all",
    reason: "no repository in the store has a name: it is called what the `origin` of its clone is called",
    suggestion:
      "Index one: `codecompass index --store …` in a clone. One without an `origin` needs it first: `git remote add origin https://…`.",
  });
}
