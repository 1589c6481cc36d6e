/** The repositories of a shared store by name, as projects that need no checkout. Where no store is shared there are none. */
import { CompassError } from "../model/errors.ts";
import { type ProjectId, projectId } from "../model/ids.ts";
import { type WorkspaceWord, workspaceWords } from "../model/workspace-words.ts";
import type { Cataloged } from "../ports/catalog.ts";
import type { WorkspaceRow } from "../ports/registry.ts";
import type { Project } from "./compass.ts";
import type { CompassPorts } from "./ports.ts";
import { shown } from "./workspaces.ts";

type Ports = Pick<CompassPorts, "stores" | "hash" | "files" | "registry" | "repositoryName">;

/** A name is looked up with every call; what is remembered is only how to open what was found. */
const REMEMBERED = 4_096;

export class Repositories {
  readonly #ports: Ports;
  /** A map remembers the order of insertion: the first was not asked for longest. */
  readonly #rows = new Map<ProjectId, WorkspaceRow>();

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /** The repository that the word means; undefined where it means a directory. Refuses a name that is not known. */
  async named(text: string): Promise<Project | undefined> {
    const [word, ...rest] = workspaceWords(text);
    const { catalog } = this.#ports.stores;
    if (rest.length > 0 || catalog === undefined) return undefined;
    const name = await this.#nameOf(word!);
    if (name === undefined) return undefined;
    const found = await catalog.find(name);
    if (found !== undefined) return this.project(found);
    if (word!.kind === "either") return undefined;
    throw unknown(text);
  }

  /** Where no store is shared, a name means a registered clone of that repository: its directory. */
  async clone(text: string): Promise<string | undefined> {
    const { stores, registry, repositoryName } = this.#ports;
    const [word] = workspaceWords(text);
    if (word?.kind !== "name" || stores.catalog !== undefined) return undefined;
    const found = (await registry.list()).find(({ root }) => repositoryName?.(root) === word.name);
    if (found === undefined) throw unknown(text);
    return found.root;
  }

  project(found: Cataloged): Project {
    const id = projectId(found.name, this.#ports.hash);
    this.#remember({
      id,
      root: found.name,
      storeLocation: found.location,
      registeredAt: 0,
      autoDiscovered: false,
      lastUsedAt: 0,
      published: true,
    });
    return { id, root: found.name, vcs: true, published: true };
  }

  row({ id, root }: Project): WorkspaceRow {
    const row = this.#rows.get(id);
    if (row === undefined) throw unknown(root);
    return row;
  }

  /** A directory that is there goes first: whoever stands in it means it. */
  async #nameOf(word: WorkspaceWord): Promise<string | undefined> {
    if (word.kind === "name") return word.name;
    if (word.kind !== "either") return undefined;
    const isDirectory = (await this.#ports.files.realDirectory(word.word)) !== undefined;
    return isDirectory ? undefined : word.word;
  }

  #remember(row: WorkspaceRow): void {
    this.#rows.delete(row.id);
    this.#rows.set(row.id, row);
    if (this.#rows.size > REMEMBERED) this.#rows.delete(this.#rows.keys().next().value!);
  }
}

/** The same words for one that is not there and for one that the caller may not see. */
export function unknown(word: string): CompassError {
  return new CompassError("workspace_not_registered", {
    workspace: shown(word),
    reason: "no repository of that name is in the store",
    suggestion: "Name it as it was cloned (host/owner/name), or index it: `codecompass index --store …` in a clone.",
  });
}
