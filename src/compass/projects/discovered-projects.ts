/**
 * Trees that calls name and that are not registered: admitted inside the allowed roots, up to a limit. Beyond it, the
 * least recently used one is evicted; registered trees never are.
 */
import { CompassError } from "../../model/errors.ts";
import { isInside, lexical } from "../../model/paths.ts";
import type { WorkspaceRow } from "../../ports/registry.ts";
import type { CompassPorts, Discovery } from "../ports.ts";
import { absent, requireFit, shown, storeKey, type UnregisteredTree } from "./resolve-workspace.ts";

type DiscoveryPorts = Pick<CompassPorts, "env" | "registry" | "vcs" | "stores" | "readers">;

export class DiscoveredProjects {
  readonly #options: Discovery;
  readonly #ports: DiscoveryPorts;
  /** Closes a tree; false when it is in use. */
  readonly #close: (row: WorkspaceRow) => Promise<boolean>;
  readonly #admissions = new Map<string, Promise<WorkspaceRow>>();
  /** When a tree was last used here: what is written for others to know is a minute old. */
  readonly #used = new Map<string, number>();
  /** One admission at a time: each counts what the one before has left. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: Discovery, ports: DiscoveryPorts, close: (row: WorkspaceRow) => Promise<boolean>) {
    this.#options = options;
    this.#ports = ports;
    this.#close = close;
  }

  /** Registered trees are served; discovered ones where this server's own roots allow them. */
  isServed(row: WorkspaceRow): boolean {
    return !row.autoDiscovered || this.#isAllowed(row.root);
  }

  used({ root }: WorkspaceRow): void {
    this.#used.set(root, this.#ports.env.now());
  }

  /** Requests for the same tree share one admission. */
  admit({ named, root }: UnregisteredTree): Promise<WorkspaceRow> {
    if (root === undefined) return Promise.reject(this.#absent(named));
    const running = this.#admissions.get(root);
    if (running !== undefined) return running;
    const admission = this.#last.then(() => this.#admitted(named, root));
    this.#last = admission.catch(() => {});
    this.#admissions.set(root, admission);
    void this.#last.then(() => this.#admissions.delete(root));
    return admission;
  }

  async #admitted(named: string, root: string): Promise<WorkspaceRow> {
    if (!this.#isAllowed(root)) throw outside(named);
    requireFit(root, this.#ports);
    await this.#makeRoom();
    return this.#ports.registry.add(root, await storeKey(root, this.#ports), { autoDiscovered: true });
  }

  async #makeRoom(): Promise<void> {
    const { most } = this.#options;
    const rows = (await this.#ports.registry.list()).filter((row) => row.autoDiscovered && this.#isAllowed(row.root));
    const used = (row: WorkspaceRow) => Math.max(row.lastUsedAt, this.#used.get(row.root) ?? 0);
    const oldestFirst = [...rows].sort((a, b) => used(a) - used(b) || (a.root < b.root ? -1 : 1));
    let left = rows.length;
    for (const row of oldestFirst) {
      if (left < most) return;
      if (await this.#evicted(row)) left--;
    }
    if (left >= most) throw new CompassError("workspace_limit_exceeded", { limit: most });
  }

  async #evicted(row: WorkspaceRow): Promise<boolean> {
    if (!(await this.#close(row))) return false;
    this.#used.delete(row.root);
    await forget(row, this.#ports);
    return true;
  }

  #isAllowed(root: string): boolean {
    return this.#options.allowedRoots.some((allowed) => isInside(root, allowed));
  }

  /** Does not reveal whether something exists outside the allowed roots. */
  #absent(named: string): CompassError {
    return this.#isAllowed(lexical(named)) ? absent(named) : outside(named);
  }
}

/** Forgets a tree, and its index where no other tree shares it. */
export async function forget(
  row: WorkspaceRow,
  { registry, stores, readers }: Omit<DiscoveryPorts, "env" | "vcs">,
): Promise<void> {
  await registry.remove(row.root);
  const shared = (await registry.list()).some((other) => other.storeLocation === row.storeLocation);
  if (shared) return;
  readers?.forget(row.storeLocation);
  await stores.remove(row.storeLocation);
}

function outside(named: string): CompassError {
  const isAbsolute = /^([a-z]:)?[\\/]/i.test(named);
  const reason = isAbsolute ? "it lies outside the allowed roots" : "it is not an absolute path";
  return new CompassError("workspace_not_allowed", { workspace: shown(named), reason });
}
